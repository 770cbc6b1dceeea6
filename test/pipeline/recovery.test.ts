// Recovery: a restart finds what was acknowledged, with the same state and the same events, after a clean end and after a
// kill at any moment. A journal whose events differ, or whose rules are unknown, stops the start with its sequence.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import {
  DataDirectoryLocked,
  JournalReader,
  type LogRecord,
  openExchange,
  ReadAheadThread,
  RecoveryDiffers,
  RulesVersionUnknown,
  VirtualClock,
} from '../../engine/index.ts';
import { Journal, LmdbStore } from '../../engine/journal/index.ts';
import { Reducers } from '../../engine/pipeline/index.ts';
import { commandLayouts, encodeCommand } from '../../engine/protocol/index.ts';
import { inTempDir, lastSequenceIn, recordingListener } from '../journal/support.ts';
import { foundingCommands, randomOf, START_MS, settings, submitFounding, submitRounds } from './workload.ts';

/** A short journal is read in place, most of a long one by a thread. */
const readings = [
  ['when the journal is read in place', {}],
  ['when a thread reads ahead', { readHere: 1 }],
] as const;
/** The same, and with a thread that was started before. */
const restarts = [
  ...readings.map(([name, parts]) => [name, parts, false] as const),
  ['when a thread started earlier reads ahead', { readHere: 0 }, true],
  ['when a thread started earlier is not needed', {}, true],
] as const;

const textOf = ({ sequence, tMs, command, events }: LogRecord): string =>
  JSON.stringify([sequence, tMs, command.type, events]);

/** A follower that keeps every record as text. */
function keeper() {
  const texts: string[] = [];
  return { texts, name: 'keeper', apply: (record: LogRecord) => void texts.push(textOf(record)) };
}

test.each(restarts)(
  'a restart has the same state and replays the same records to its followers %s',
  async (_, parts, hasThread) => {
    await inTempDir(async (dataDir) => {
      const clock = new VirtualClock(START_MS);
      const before = keeper();
      const first = await openExchange({ dataDir, clock, settings, followers: [before] });
      expect(first.isFresh).toBe(true);
      await submitFounding(first);
      await submitRounds(first, clock, 7, { rounds: 60, commandsEach: 50 });
      first.checkInvariants();
      const hashes = first.stateHash();
      await first.close();
      expect(before.texts.length).toBe(first.durableSequence);
      expect(before.texts.filter((text) => text.includes('"Trade"')).length).toBeGreaterThan(100);

      const after = keeper();
      const progress: number[] = [];
      const onProgress = (done: number, total: number): void => void progress.push(done / total);
      const readAheadThread = hasThread ? new ReadAheadThread() : undefined;
      const options = { dataDir, clock, settings, followers: [after], onProgress, readAheadThread };
      const second = await openExchange(options, parts);
      await readAheadThread?.end();
      expect(second.isFresh).toBe(false);
      expect(after.texts.slice(0, -1)).toEqual(before.texts);
      expect(JSON.parse(after.texts.at(-1) ?? '')[2]).toBe('Started');
      expect(progress.at(-1)).toBe(1);
      expect(await stateAt(dataDir, first.durableSequence)).toEqual(hashes);
      second.checkInvariants();
      await second.close();
      expect(second.stateHash()).toEqual(await stateAt(dataDir, second.durableSequence));
    });
  },
);

/** The state hash after replaying the journal up to a sequence. */
async function stateAt(dataDir: string, sequence: number) {
  const reader = new JournalReader(dataDir);
  const reducers = new Reducers();
  for (const records of reader.read()) {
    for (const record of records) if (record.sequence <= sequence) reducers.reduce(record.tMs, record.command);
  }
  await reader.close();
  reducers.checkInvariants();
  return reducers.stateHash();
}

/** Starts the child, kills it a little after `killAfter` acknowledgements, and returns what it acknowledged. */
async function killedAfter(dataDir: string, seed: number, killAfter: number): Promise<number> {
  const args = [...nodeOptions, join(import.meta.dirname, './child.ts'), dataDir, String(seed)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let acknowledged = 0;
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [word, figure] = line.split(' ');
    expect(word, line).not.toBe('refused');
    if (word !== 'ack') continue;
    acknowledged = Math.max(acknowledged, Number(figure));
    count += 1;
    if (count === killAfter) child.kill('SIGKILL');
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
  return acknowledged;
}

test('after each of 12 kills at random moments, the journal has every acknowledged record', async () => {
  await inTempDir(async (dataDir) => {
    const random = randomOf(99);
    let earlier = 0;
    for (let kill = 0; kill < 12; kill += 1) {
      const acknowledged = await killedAfter(dataDir, 1_000 + kill, 1 + random(400));
      expect(acknowledged).toBeGreaterThan(earlier);
      earlier = await lastSequenceIn(dataDir);
      expect(earlier).toBeGreaterThanOrEqual(acknowledged);
    }
    const seen: number[] = [];
    const follower = { name: 'counter', apply: (record: LogRecord) => void seen.push(record.sequence) };
    const exchange = await openExchange({ dataDir, settings, followers: [follower] });
    expect(seen.slice(0, earlier + 1)).toEqual(Array.from({ length: earlier + 1 }, (_, index) => index + 1));
    exchange.checkInvariants();
    await exchange.close();
    // After the close, since the real clock may have ticked in between: everything in the log is compared.
    expect(await stateAt(dataDir, exchange.durableSequence)).toEqual(exchange.stateHash());
  });
});

/** Copies a journal's records into a new one, modified by `change`, with valid checksums and hashes. */
async function forge(dataDir: string, change: (command: Uint8Array, events: Uint8Array, sequence: number) => void) {
  const original = new JournalReader(dataDir);
  const records = [...original.read()].flat().map(({ sequence, tMs, command, events }) => {
    return { sequence, tMs, command: command.slice(), events: events.slice() };
  });
  await original.close();
  rmSync(join(dataDir, 'journal'), { recursive: true });
  const forged = new Journal(new LmdbStore(join(dataDir, 'journal')), recordingListener());
  for (const { sequence, tMs, command, events } of records) {
    change(command, events, sequence);
    forged.append(sequence, tMs, command, events, events.length);
  }
  await forged.close(1_000);
}

async function smallJournal(dataDir: string): Promise<number> {
  const clock = new VirtualClock(START_MS);
  const exchange = await openExchange({ dataDir, clock, settings, followers: [] });
  for (const command of foundingCommands()) await exchange.submit(command);
  await exchange.close();
  return exchange.durableSequence;
}

test.each(readings)('a journal whose events differ from the replayed ones stops the start %s', async (_, parts) => {
  await inTempDir(async (dataDir) => {
    const last = await smallJournal(dataDir);
    await forge(dataDir, (_, events, sequence) => {
      if (sequence === last) events[events.length - 2] ^= 1;
    });
    const clock = new VirtualClock(START_MS);
    const opening = openExchange({ dataDir, clock, settings, followers: [] }, parts);
    const error = await opening.catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(RecoveryDiffers);
    expect(error).toMatchObject({ sequence: last });
    expect(String(error)).toMatch(
      /event \d+ was \{"type":"CollateralChanged".* and now is \{"type":"CollateralChanged"/,
    );
    expect(existsSync(join(dataDir, 'lock'))).toBe(false);
  });
});

test('a journal with an unknown rules version is refused with an error that names the version', async () => {
  await inTempDir(async (dataDir) => {
    await smallJournal(dataDir);
    await forge(dataDir, (command, _, sequence) => {
      if (sequence === 1) command[commandLayouts.Started.offsets.rulesVersion] = 9;
    });
    const clock = new VirtualClock(START_MS);
    const error = await openExchange({ dataDir, clock, settings, followers: [] }).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(RulesVersionUnknown);
    expect(String(error)).toContain('rules version 9 from sequence 1 on; this program knows 1');
  });
});

test.each(readings)('a damaged journal stops the start with an error that names the sequence %s', async (_, parts) => {
  await inTempDir(async (dataDir) => {
    await smallJournal(dataDir);
    const path = join(dataDir, 'journal');
    const database = open<Uint8Array, number>({ path, encoding: 'binary', overlappingSync: false, maxDbs: 1 });
    const batch = Buffer.from(database.get(3) ?? []);
    await database.close();
    // Directly in the file, wherever LMDB has it: pages that it no longer uses may hold it too.
    const file = join(path, 'data.mdb');
    const bytes = readFileSync(file);
    for (let at = bytes.indexOf(batch); at >= 0; at = bytes.indexOf(batch, at + 1)) bytes[at + batch.length - 1] ^= 1;
    writeFileSync(file, bytes);
    const clock = new VirtualClock(START_MS);
    const opening = openExchange({ dataDir, clock, settings, followers: [] }, parts);
    await expect(opening).rejects.toThrow('damaged at sequence 3: the record does not match its checksum');
  });
});

test('a data directory in use is refused, and can be opened again once its exchange is closed', async () => {
  await inTempDir(async (dataDir) => {
    const clock = new VirtualClock(START_MS);
    const exchange = await openExchange({ dataDir, clock, settings, followers: [] });
    await expect(openExchange({ dataDir, clock, settings, followers: [] })).rejects.toThrow(DataDirectoryLocked);
    await exchange.submit(encodeCommand({ type: 'Tick' }));
    await exchange.close();
    const again = await openExchange({ dataDir, clock, settings, followers: [] });
    expect(again.durableSequence).toBe(3);
    await again.close();
    expect(JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'))).toEqual({ format: 2 });
  });
});
