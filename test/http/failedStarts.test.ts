// Starts that fail, in the program's own process: each names its reason, which has a numbered exit status, says what to do, and
// leaves port and data directory to the next one.
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { StorageUnavailable, VirtualClock } from '../../engine/index.ts';
import { Catalog } from '../../server/catalog/index.ts';
import { startTestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';

type Options = Parameters<typeof startTestServer>[0];

const startAndStop = async (options: Options): Promise<void> => (await startTestServer(options)).close();

/** The reason and the sentence of a start that fails. */
async function failureOf(options: Options): Promise<readonly [string, string]> {
  const error = await startAndStop(options).catch((thrown) => thrown);
  return [error?.reason, error?.message];
}

test('a clock behind the journal is refused, unless the operator accepts it', async () => {
  const dataDir = tempDir();
  const clock = new VirtualClock(Date.now() + 3_600_000);
  await startAndStop({ clock, config: { dataDir } });
  expect(await failureOf({ config: { dataDir } })).toEqual(['clock', expect.stringContaining('--accept-clock')]);
  await startAndStop({ config: { dataDir, acceptClock: true } });
});

test('a data directory of a later format is refused with both versions', async () => {
  const dataDir = tempDir();
  await startAndStop({ config: { dataDir } });
  const file = join(dataDir, 'format.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, JSON.stringify({ format: JSON.parse(text).format + 1 }));
  expect(await failureOf({ config: { dataDir } })).toEqual(['data', expect.stringMatching(/format/)]);
  writeFileSync(file, text);
  await startAndStop({ config: { dataDir } });
});

/** Changes the last byte of the batch that begins at a sequence. */
async function damage(dataDir: string, sequence: number): Promise<void> {
  const own = { overlappingSync: false, eventTurnBatching: false, maxDbs: 1 } as const;
  const journal = open<Buffer, number>({ path: join(dataDir, 'journal'), encoding: 'binary', ...own });
  const bytes = Buffer.from(journal.get(sequence) ?? expect.unreachable('no batch begins there'));
  bytes[bytes.length - 1] ^= 1;
  await journal.put(sequence, bytes);
  await journal.close();
}

test('a damaged record is refused with the command that restores those before it, if there are any', async () => {
  const dataDir = join(tempDir(), "the trader's data");
  const config = { dataDir };
  await startAndStop({ config }); // one record of the start, and a batch of ten credits
  const outcry = 'npm run -s outcry --';
  const word = `'${dataDir.replace("'", `'\\''`)}'`; // as a shell reads it
  const intact = `"${outcry} verify --data-dir ${word}" shows which records are intact`;
  const restore = `, and "${outcry} restore ${word} --to 10 --data-dir <new folder>" copies the records before it`;
  for (const [batch, sequence, remedy] of [
    [1, 1, `${intact}.`],
    [2, 11, `${intact}${restore}.`], // the last batch is looked at first
  ] as const) {
    await damage(dataDir, batch);
    const sentence = `The journal is damaged at sequence ${sequence}: the record does not match its checksum.`;
    expect(await failureOf({ config })).toEqual(['data', `${sentence} ${remedy}`]);
  }
});

test('a start that cannot write the mode of its directory leaves it unlocked', async () => {
  const dataDir = tempDir();
  const draft = join(dataDir, 'mode.new');
  symlinkSync('/dev/full', draft);
  expect(await failureOf({ config: { dataDir } })).toEqual(['data', expect.stringContaining('ENOSPC')]);
  expect(existsSync(join(dataDir, 'lock'))).toBe(false);
  rmSync(draft, { force: true });
  await startAndStop({ config: { dataDir } });
});

test('a journal that cannot be written once the server listens is the storage that ends the start', async () => {
  const dataDir = tempDir();
  const ready = vi.spyOn(Catalog.prototype, 'ready').mockImplementationOnce(() => {
    throw new StorageUnavailable('the disk is full');
  });
  onTestFinished(() => ready.mockRestore());
  const expected = ['storage', 'The exchange cannot start: the disk is full.'];
  expect(await failureOf({ config: { dataDir } })).toEqual(expected);
  expect(existsSync(join(dataDir, 'lock'))).toBe(false);
  await startAndStop({ config: { dataDir } });
});
