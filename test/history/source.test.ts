// The historian's journal source by itself, beside the journal that is written: it delivers every durable batch, and closes
// what it has opened exactly once.
import { closeSync, fstatSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DATA_FORMAT, journalFolderIn } from '../../engine/index.ts';
import { type Journal, LmdbStore } from '../../engine/journal/index.ts';
import { BatchReader, JournalSource } from '../../server/history/source.ts';
import { appendRange, inTempDir, openJournal } from '../journal/support.ts';

const FORMAT_FILE = 'format.json';

/** Writes a batch of five records to a journal. */
async function writeBatch(journal: Journal, first: number): Promise<void> {
  appendRange(journal, first, first + 4);
  await journal.drained();
}

/** Runs with a data directory whose journal holds batches that begin at 1, 6 and 11, and with that journal. */
async function inDataDir(run: (dataDir: string, journal: Journal) => Promise<void>): Promise<void> {
  await inTempDir(async (dataDir) => {
    writeFileSync(join(dataDir, FORMAT_FILE), JSON.stringify({ format: DATA_FORMAT }));
    const store = new LmdbStore(journalFolderIn(dataDir));
    const journal = openJournal(store);
    for (const first of [1, 6, 11]) await writeBatch(journal, first);
    await run(dataDir, journal);
    await store.close();
  });
}

/** The first sequence of the batch after a record; undefined if none is delivered. */
function firstAfter(source: JournalSource, sequence: number, durableSequence: number): number | undefined {
  const bytes = source.next(sequence, durableSequence);
  if (bytes === undefined) return undefined;
  const batch = new BatchReader(bytes);
  batch.next();
  return batch.sequence;
}

test('a batch that becomes durable while the ones before it are read follows them', async () => {
  await inDataDir(async (dataDir, journal) => {
    const source = new JournalSource(dataDir);
    expect(firstAfter(source, 0, 15)).toBe(1);
    await writeBatch(journal, 16);
    expect([5, 10, 15, 20].map((sequence) => firstAfter(source, sequence, 20))).toEqual([6, 11, 16, undefined]);
    await source.close();
  });
});

test('the copy of a very large batch does not stay with the source', async () => {
  await inDataDir(async (dataDir, journal) => {
    const source = new JournalSource(dataDir);
    const large = new Uint8Array(5 * 2 ** 20);
    journal.together(() => {
      for (const sequence of [16, 17]) journal.append(sequence, 1_000 + sequence, large, large, large.length);
    });
    await journal.drained();
    await writeBatch(journal, 18);
    expect([15, 17].map((sequence) => firstAfter(source, sequence, 22))).toEqual([16, 18]);
    const { copy } = source as unknown as { readonly copy: Uint8Array };
    expect(copy.length).toBeGreaterThan(0);
    expect(copy.length).toBeLessThan(2 ** 20);
    await source.close();
  });
});

test('a source that could not be reopened closes no file of anybody else', async () => {
  await inDataDir(async (dataDir) => {
    const source = new JournalSource(dataDir);
    const away = join(dataDir, 'away');
    renameSync(join(dataDir, FORMAT_FILE), away);
    await expect(source.reopen()).rejects.toThrow('format unknown');
    const descriptor = openSync(away, 'r');
    await source.close();
    expect(fstatSync(descriptor).isFile()).toBe(true);
    closeSync(descriptor);
  });
});
