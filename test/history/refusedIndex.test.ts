// An index that the system will not open, or whose log cannot be read, for longer than the historian takes to try again several
// times: it is kept, and answers again as soon as that is over. The system's refusal is a link that leads to itself, in place
// of the index's folder; the log's are a list of archived parts that makes no sense, and an archived part that is missing.
import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { archiveJournal, openExchange, VirtualClock } from '../../engine/index.ts';
import { openHistorian } from '../../server/history/historian.ts';
import { inTempDir } from '../journal/support.ts';
import { START_MS, settings, submitFounding, submitRounds } from '../pipeline/workload.ts';
import { PATIENCE } from '../support/patience.ts';
import { answersInPlace, askText, openVenue, WAIT_MS_MAX } from './harness.ts';
import { OPEN_INTEREST } from './questions.ts';
import { Player } from './world.ts';

const LONG = { timeout: 300_000 } as const;
/** One more than after which the historian begins with an empty index if it is the index that fails. */
const FAILURES = 3;

/** What a historian logs that fails again and again until `mend` is called, and then answers. */
async function loggedUntilMended(dataDir: string, lastSequence: number, mend: () => void): Promise<readonly string[]> {
  const logged: string[] = [];
  const log = (_: string, text: string, figures: object = {}): void => void logged.push(text + JSON.stringify(figures));
  const historian = openHistorian({ dataDir, log, waitMsMax: WAIT_MS_MAX });
  historian.durable(new Uint8Array(), lastSequence);
  await vi.waitUntil(() => logged.length >= FAILURES, PATIENCE);
  mend();
  await expect.poll(() => askText(historian, OPEN_INTEREST).catch(String), PATIENCE).toMatch(/^\[/);
  await historian.close();
  return logged;
}

/** Plays in a data directory, which gets an index of everything; returns the last sequence. */
async function play(dataDir: string): Promise<number> {
  const venue = await openVenue({ dataDir });
  await new Player(1, venue).play(60);
  await venue.close();
  return venue.exchange.durableSequence;
}

test('an index that the system refuses to open again and again is kept', LONG, async () => {
  await inTempDir(async (dataDir) => {
    const last = await play(dataDir);
    const [index, kept] = [join(dataDir, 'history'), join(dataDir, 'kept')];
    renameSync(index, kept);
    symlinkSync(index, index);
    const logged = await loggedUntilMended(dataDir, last, () => {
      rmSync(index);
      renameSync(kept, index);
    });
    for (const text of logged) expect(text).toMatch(/^The historian is started again: .*history/);
  });
});

test('an index is kept while the list of archived parts of its log cannot be read', LONG, async () => {
  await inTempDir(async (dataDir) => {
    const last = await play(dataDir);
    const list = join(dataDir, 'archive.json');
    writeFileSync(list, '{');
    const logged = await loggedUntilMended(dataDir, last, () => rmSync(list));
    for (const text of logged)
      expect(text).toMatch(/^The historian is started again: .*archive list .* cannot be read/);
  });
});

test('a failure after an answer counts as the first one again', LONG, async () => {
  await inTempDir(async (dataDir) => {
    const last = await play(dataDir);
    rmSync(join(dataDir, 'history'), { recursive: true }); // there is something to index after the first failure
    const list = join(dataDir, 'archive.json');
    const delays: unknown[] = [];
    const log = (_: string, _text: string, figures: object = {}): void =>
      void delays.push(Reflect.get(figures, 'delayMs'));
    const historian = openHistorian({ dataDir, log, waitMsMax: WAIT_MS_MAX });
    for (const failures of [1, 2]) {
      writeFileSync(list, '{');
      historian.durable(new Uint8Array(), last);
      await vi.waitUntil(() => delays.length === failures, PATIENCE);
      rmSync(list);
      await expect.poll(() => historian.indexedSequence, PATIENCE).toBe(last); // without being asked for it
      expect(await askText(historian, OPEN_INTEREST)).toMatch(/^\[/);
      await historian.release(); // ends its thread, so that the next record starts another
    }
    await historian.close();
    expect(delays[1]).toBe(delays[0]);
  });
});

/** Runs commands of these seeds, each in an exchange that leaves a snapshot; returns the last sequence. */
async function run(dataDir: string, clock: VirtualClock, seeds: readonly number[]): Promise<number> {
  let last = 0;
  for (const seed of seeds) {
    const exchange = await openExchange({ dataDir, clock, settings, followers: [], snapshotFrom: 1 });
    if (exchange.isFresh) await submitFounding(exchange);
    await submitRounds(exchange, clock, seed, { rounds: 5, commandsEach: 25 });
    await exchange.close();
    last = exchange.durableSequence;
  }
  return last;
}

test('an index is kept while a part of the log after its end is missing from the archive', LONG, async () => {
  await inTempDir(async (folder) => {
    const [dataDir, first, second, away] = ['data', 'first', 'second', 'away'].map((name) => join(folder, name));
    const clock = new VirtualClock(START_MS);
    const indexed = await run(dataDir, clock, [1]);
    await answersInPlace(dataDir, indexed, []);
    await run(dataDir, clock, [2, 3, 4]);
    const part = await archiveJournal(dataDir, first);
    expect(part?.keptFrom, 'the index ends in the first part').toBeGreaterThan(indexed);
    const last = await run(dataDir, clock, [5, 6, 7]);
    expect(await archiveJournal(dataDir, second)).toBeDefined();
    renameSync(second, away);
    const logged = await loggedUntilMended(dataDir, last, () => renameSync(away, second));
    for (const text of logged) expect(text).toMatch(/^The historian is started again: .*archived to .*second/);
  });
});
