// The index after a clean end, a deletion, a kill at any moment and every kind of damage: the answers are those of an index
// that nothing ever happened to, byte for byte, and those of the oracle. HISTORY_KILLS sets how many kills there are.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { open } from 'lmdb';
import { afterAll, expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { encodeCommand } from '../../engine/index.ts';
import { LogFollower } from '../../server/history/follower.ts';
import { openHistorian } from '../../server/history/historian.ts';
import { JournalSource } from '../../server/history/source.ts';
import type { HistoryRequest } from '../../server/wire/historyQueries.ts';
import { inTempDir } from '../journal/support.ts';
import { Random } from '../model/random.ts';
import { usedBytesOf } from '../support/lmdbFile.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { answersInPlace, askText, expectSame, openVenue, oracleOf, WAIT_MS_MAX } from './harness.ts';
import type { Oracle } from './oracle.ts';
import { everything, KINDS, Questions } from './questions.ts';
import { newClock, Player } from './world.ts';

const kills = environmentNumber('HISTORY_KILLS', 50);
const indexOf = (dataDir: string): string => join(dataDir, 'history');
const fileOf = (dataDir: string): string => join(indexOf(dataDir), 'data.mdb');
const DROPPED = /The index of histories is rebuilt/;

interface Prepared {
  readonly dataDir: string;
  readonly lastSequence: number;
  readonly oracle: Oracle;
  readonly requests: readonly HistoryRequest[];
  readonly answers: readonly (string | undefined)[];
}

/** A journal with its index, closed in order, and that index's answers. */
async function prepare(dataDir: string, seed: number, steps: number): Promise<Prepared> {
  const venue = await openVenue({ dataDir });
  await new Player(seed, venue).play(steps);
  const oracle = oracleOf(venue.records);
  const questions = new Questions(new Random(seed), oracle);
  const drawn = KINDS.flatMap((kind) => Array.from({ length: 12 }, () => questions.draw(kind)));
  const requests = [...everything(oracle), ...drawn];
  await expectSame(venue.historian, oracle, requests, `seed ${seed}`);
  const answers = await Promise.all(requests.map((request) => askText(venue.historian, request)));
  const lastSequence = venue.exchange.durableSequence;
  await venue.close();
  return { dataDir, lastSequence, oracle, requests, answers };
}

/** The current answers of a data directory's index, and the messages of its historian meanwhile. */
async function answersOf({ lastSequence, requests }: Prepared, dataDir: string) {
  const logged: string[] = [];
  const log = (_: string, text: string, figures: object = {}): void => void logged.push(text + JSON.stringify(figures));
  const historian = openHistorian({ dataDir, log, waitMsMax: WAIT_MS_MAX });
  historian.durable(new Uint8Array(), lastSequence);
  const answers = await Promise.all(requests.map((request) => askText(historian, request)));
  await historian.close();
  return { answers, logged };
}

test('a reopened index and a rebuilt one give the same bytes as before', { timeout: 600_000 }, async () => {
  await inTempDir(async (dataDir) => {
    for (const seed of [1, 2, 3]) {
      const prepared = await prepare(join(dataDir, String(seed)), seed, 200);
      const reopened = await answersOf(prepared, prepared.dataDir);
      expect(reopened.answers).toEqual(prepared.answers);
      expect(reopened.logged).toEqual([]);
      const renewed = await answersInPlace(prepared.dataDir, prepared.lastSequence, prepared.requests, true);
      expect(renewed.answers).toEqual(prepared.answers);
      rmSync(indexOf(prepared.dataDir), { recursive: true });
      const rebuilt = await answersOf(prepared, prepared.dataDir);
      expect(rebuilt.answers).toEqual(prepared.answers);
      expect(existsSync(fileOf(prepared.dataDir))).toBe(true);
      rmSync(indexOf(prepared.dataDir), { recursive: true });
      const both = await answersInPlace(prepared.dataDir, prepared.lastSequence, prepared.requests, true);
      expect(both.answers).toEqual(prepared.answers);
    }
  });
});

test('a restarted exchange continues its index where it stopped', { timeout: 600_000 }, async () => {
  await inTempDir(async (dataDir) => {
    const clock = newClock();
    const players: Player[] = [];
    for (let start = 0; start < 4; start += 1) {
      const logged: string[] = [];
      const venue = await openVenue({ dataDir, clock, recordsPerCommit: 7, onLog: (text) => logged.push(text) });
      // Those from before the restart go on with the positions and orders that they have.
      for (const player of players) {
        player.moveTo(venue);
        await player.continue(30);
      }
      const player = new Player(50 + start, venue);
      await player.play(60);
      players.push(player);
      const oracle = oracleOf(venue.records);
      await expectSame(venue.historian, oracle, everything(oracle), `start ${start}`);
      await venue.close();
      expect(logged.filter((text) => DROPPED.test(text))).toEqual([]);
      if (start === 2) rmSync(indexOf(dataDir), { recursive: true });
    }
  });
});

/** More than are indexed before it is looked whether a commit is due. */
const BATCH_RECORDS = 2_000;

test('an index whose last commit is inside a batch is continued from there', async () => {
  await inTempDir(async (dataDir) => {
    const venue = await openVenue({ dataDir });
    await new Player(1, venue).play(60);
    const first = venue.exchange.durableSequence;
    await venue.exchange.submitTogether(new Array(BATCH_RECORDS).fill(encodeCommand({ type: 'Tick' })));
    await new Player(2, venue).play(60);
    const last = venue.exchange.durableSequence;
    const requests = everything(oracleOf(venue.records));
    const answers = await Promise.all(requests.map((request) => askText(venue.historian, request)));
    await venue.close();

    const settings = { indexPath: indexOf(dataDir), dataDir, isFresh: true, recordsPerCommit: first + 200 };
    const follower = new LogFollower(settings, new JournalSource(dataDir), () => {});
    while (!follower.isCommitting) follower.index();
    await follower.commit();
    await follower.abandon(); // as a kill would leave it
    const again = await answersInPlace(dataDir, last, requests);
    expect(again.foundSequence).toBeGreaterThan(first);
    expect(again.foundSequence).toBeLessThan(first + BATCH_RECORDS);
    expect(again.answers).toEqual(answers);
    expect(again.dropped).toEqual([]);
  });
});

interface Kill {
  /** Announces the records to the historian a few at a time, or all at once. */
  readonly isLive: boolean;
  readonly fromSequence: number;
  /** When to kill: once it has come this far (live) or has dropped the old index (rebuilding), and `afterMs` later. */
  readonly atSequence: number;
  readonly afterMs: number;
}

const children = new Set<ReturnType<typeof spawn>>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** Runs the child on a data directory and kills it at that moment; returns what it printed about its index. */
async function runAndKill(dataDir: string, lastSequence: number, kill: Kill): Promise<string[]> {
  const { isLive, fromSequence, atSequence, afterMs } = kill;
  const figures = [isLive ? fromSequence : lastSequence, lastSequence, isLive ? 3 : lastSequence];
  const args = [...nodeOptions, join(import.meta.dirname, './child.ts'), dataDir, ...figures.map(String)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.add(child);
  const logged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, figure] = line.split(' ');
    if (word === 'log') logged.push(line);
    const isTime = isLive ? word === 'indexed' && Number(figure) >= atSequence : word === 'log';
    if (isTime) setTimeout(() => child.kill('SIGKILL'), afterMs);
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  children.delete(child);
  expect(child.signalCode).toBe('SIGKILL');
  return logged;
}

/** Leaves a damaged index in a data directory, which is rebuilt when it is opened. */
function spoil(dataDir: string, soundDir: string, random: Random): void {
  rmSync(indexOf(dataDir), { recursive: true, force: true });
  cpSync(indexOf(soundDir), indexOf(dataDir), { recursive: true });
  flip(fileOf(dataDir), random);
}

test('a kill at any moment of indexing or rebuilding loses and duplicates nothing', { timeout: 600_000 }, async () => {
  await inTempDir(async (folder) => {
    const prepared = await prepare(join(folder, 'venue'), 4, 400);
    const { dataDir, lastSequence, requests } = prepared;
    const [killedDir, copyDir] = [join(folder, 'killed'), join(folder, 'copy')];
    for (const dir of [killedDir, copyDir]) cpSync(dataDir, dir, { recursive: true });
    const random = new Random(5);
    let reached = lastSequence;
    let waitMs = 60;
    let unfinished = 0;
    for (let number = 0; number < kills; number += 1) {
      const isLive = number % 2 === 0;
      if (!isLive) spoil(killedDir, dataDir, random);
      else if (reached >= lastSequence) {
        rmSync(indexOf(killedDir), { recursive: true });
        reached = 1;
      }
      const atSequence = Math.min(lastSequence, reached + random.int(0, 150));
      const afterMs = isLive ? random.int(0, 3) : random.int(0, waitMs);
      const logged = await runAndKill(killedDir, lastSequence, { isLive, fromSequence: reached, atSequence, afterMs });
      if (isLive) expect(logged, 'a kill is no reason to build anew').toEqual([]);
      rmSync(indexOf(copyDir), { recursive: true, force: true });
      // Between the drop of an index and its creation there is none.
      if (existsSync(indexOf(killedDir))) cpSync(indexOf(killedDir), indexOf(copyDir), { recursive: true });
      const { answers, dropped, foundSequence } = await answersInPlace(copyDir, lastSequence, requests);
      expect(answers, `kill ${number}, at ${foundSequence} of ${lastSequence}`).toEqual(prepared.answers);
      expect(dropped, `kill ${number}`).toEqual([]);
      if (foundSequence > 0 && foundSequence < lastSequence) unfinished += 1;
      if (!isLive) waitMs = foundSequence === lastSequence ? Math.ceil(waitMs / 2) : waitMs + 30;
      reached = Math.max(1, foundSequence);
    }
    console.info(`${kills} kills, ${unfinished} of them while a part was indexed.`);
    expect(unfinished).toBeGreaterThan(kills / 4);
  });
});

/** Changes some bytes of a file. */
function flip(file: string, random: Random): void {
  const bytes = readFileSync(file);
  for (let times = random.int(1, 8); times > 0; times -= 1)
    bytes[random.int(0, bytes.length - 1)] ^= random.int(1, 255);
  writeFileSync(file, bytes);
}

/** Modifies the index's cursor, a JSON text. */
async function changeCursor(dataDir: string, change: (cursor: Record<string, unknown>) => void): Promise<void> {
  const database = open<Buffer, Buffer>({
    ...{ path: indexOf(dataDir), encoding: 'binary', keyEncoding: 'binary', overlappingSync: false, maxDbs: 1 },
  });
  const key = Buffer.alloc(9);
  const cursor = JSON.parse(database.get(key)?.toString('utf8') ?? '');
  change(cursor);
  await database.put(key, Buffer.from(JSON.stringify(cursor)));
  await database.close();
  rmSync(join(indexOf(dataDir), 'sum.json'));
}

test('an index that is damaged, of another format or of another journal is rebuilt', {
  timeout: 300_000,
}, async () => {
  await inTempDir(async (folder) => {
    const prepared = await prepare(join(folder, 'venue'), 6, 200);
    const { dataDir } = prepared;
    const other = await prepare(join(folder, 'other'), 7, 120);
    const sound = join(folder, 'sound');
    cpSync(indexOf(dataDir), sound, { recursive: true });
    const file = fileOf(dataDir);
    const sumFile = join(indexOf(dataDir), 'sum.json');
    const random = new Random(8);
    const cutTo = (share: number) => (): void => truncateSync(file, Math.floor(usedBytesOf(file) * share));
    const damages: Readonly<Record<string, () => void | Promise<void>>> = {
      'bytes flipped': () => flip(file, random),
      'other bytes flipped': () => flip(file, random),
      'cut in half': cutTo(0.5),
      'cut in half, without its sum': () => {
        cutTo(0.5)();
        rmSync(sumFile);
      },
      'cut to a page': () => truncateSync(file, 4096),
      'cut within the first page': () => truncateSync(file, 100),
      empty: () => truncateSync(file, 0),
      'a page short, without its sum': () => {
        truncateSync(file, usedBytesOf(file) - 4096);
        rmSync(sumFile);
      },
      'no index at all': () => writeFileSync(file, 'This was never an index.'),
      'only the lock is left': () => rmSync(file),
      'another format': () => changeCursor(dataDir, (cursor) => Object.assign(cursor, { format: 0 })),
      'a newer format': () => changeCursor(dataDir, (cursor) => Object.assign(cursor, { format: 99 })),
      'a cursor past the journal': () => changeCursor(dataDir, (cursor) => Object.assign(cursor, { sequence: 1e6 })),
      'another hash': () => changeCursor(dataDir, (cursor) => Object.assign(cursor, { hash: '00'.repeat(32) })),
      'the index of another journal': () => {
        rmSync(indexOf(dataDir), { recursive: true });
        cpSync(indexOf(other.dataDir), indexOf(dataDir), { recursive: true });
      },
    };
    for (const [name, damage] of Object.entries(damages)) {
      rmSync(indexOf(dataDir), { recursive: true });
      cpSync(sound, indexOf(dataDir), { recursive: true });
      await damage();
      const { answers, logged } = await answersOf(prepared, dataDir);
      expect(answers, name).toEqual(prepared.answers);
      expect(logged.filter((text) => DROPPED.test(text)).length, `${name}: ${logged.join(' ')}`).toBeGreaterThan(0);
      const again = await answersInPlace(dataDir, prepared.lastSequence, prepared.requests);
      expect(again.answers, `${name}, opened once more`).toEqual(prepared.answers);
      expect(again.dropped, `${name}, opened once more`).toEqual([]);
    }
  });
});
