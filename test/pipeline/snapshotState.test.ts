// The content of a snapshot: at any point of any sequence of commands, a state that is written, loaded and continued gives
// the same events, hashes and due times as one that was never interrupted. SNAPSHOT_COMMANDS sets how many commands are
// applied, SNAPSHOT_SEED the first seed. Changed bytes are refused by name, or change nothing.
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import { type SnapshotFacts, SnapshotFile, SnapshotFolder } from '../../engine/journal/index.ts';
import { Reducers, visitState } from '../../engine/pipeline/index.ts';
import {
  EventWriter,
  encodeCommand,
  RULES_VERSION,
  type Sections,
  SnapshotUnusable,
} from '../../engine/protocol/index.ts';
import { inTempDir } from '../journal/support.ts';
import { Generator } from '../model/generator.ts';
import { Pair } from '../model/pair.ts';
import { KeptSections } from '../support/keptSections.ts';
import { watchSyncs } from '../support/syncs.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { commandsOf, foundingCommands, randomOf, START_MS } from './workload.ts';

const commandsMin = environmentNumber('SNAPSHOT_COMMANDS', 8_000);
const firstSeed = environmentNumber('SNAPSHOT_SEED', 1);
const timeout = 600_000;

const factsOf = (sequence: number): SnapshotFacts => ({ sequence, tMs: 0, journalHash: '', versions: {} });

/** Writes the visited sections into a file of the folder, reads it back and passes it to `load`. */
function through(dir: string, sequence: number, visit: (s: Sections) => void, load: (s: Sections) => void): string {
  const path = new SnapshotFolder(dir).write(factsOf(sequence), visit);
  new SnapshotFile(path).load(load);
  return path;
}

const visitOf = (reducers: Reducers) => (sections: Sections) => visitState(reducers, [], sections);

function reloaded(dir: string, sequence: number, reducers: Reducers): Reducers {
  const fresh = new Reducers();
  through(dir, sequence, visitOf(reducers), visitOf(fresh));
  fresh.checkInvariants();
  expect(fresh.stateHash()).toEqual(reducers.stateHash());
  expect(fresh.core.nextDueMs()).toBe(reducers.core.nextDueMs());
  return fresh;
}

function eventsOf(reducers: Reducers, tMs: number, command: Uint8Array): Uint8Array {
  reducers.reduce(tMs, command);
  return reducers.out.bytes.slice(0, reducers.out.length);
}

const startedCommand = encodeCommand({
  ...{ type: 'Started', rulesVersion: RULES_VERSION, orderWindowMs: 3_600_000, heartbeatWindowMs: 10_000 },
  ...{ minedDelayMs: 50, confirmedDelayMs: 100, creditMicro: 1_000_000 },
});

/** Reducers after the founding commands and this many others. */
function reducersAfter(commandCount: number): Reducers {
  const reducers = new Reducers();
  const commands = commandsOf(5, () => START_MS);
  for (const command of [startedCommand, ...foundingCommands()]) eventsOf(reducers, START_MS, command);
  for (let count = 0; count < commandCount; count += 1) eventsOf(reducers, START_MS + count, commands.next().value);
  return reducers;
}

test('a snapshot is synced before it gets its name, and its folder afterwards', async () => {
  await inTempDir(async (dir) => {
    const reducers = reducersAfter(0);
    const folder = new SnapshotFolder(dir);
    const written = (sequence: number): Promise<string[]> =>
      watchSyncs(() => folder.write(factsOf(sequence), visitOf(reducers)));
    const stepsOf = (sequence: number): string[] => {
      const path = join(folder.path, `${sequence}.snapshot`);
      return [`synced ${path}.draft`, `named ${path}`, `synced ${folder.path}`];
    };
    // The first one makes the folder, whose own name the data directory holds.
    expect(await written(1)).toEqual([`made ${folder.path}`, `synced ${dir}`, ...stepsOf(1)]);
    expect(await written(2)).toEqual(stepsOf(2));
  });
});

test('core and registry loaded from any snapshot continue with the same events and state', { timeout }, async () => {
  const perSeed = 2_000;
  for (let seed = firstSeed, done = 0; done < commandsMin; seed += 1, done += perSeed) {
    await inTempDir((dir) => {
      const random = randomOf(seed * 7 + 3);
      let nowMs = START_MS;
      const commands = commandsOf(seed, () => nowMs);
      const steady = new Reducers();
      let moving = new Reducers();
      for (const command of [startedCommand, ...foundingCommands()]) {
        expect(eventsOf(moving, nowMs, command)).toEqual(eventsOf(steady, nowMs, command));
      }
      for (let count = 0; count < perSeed; count += 1) {
        // Now and then long enough for heartbeats to lapse, orders to expire and hours of ids to be dropped.
        nowMs += random(50) === 0 ? random(400_000) : random(40);
        if (random(40) === 0) moving = reloaded(dir, count + 1, moving);
        const command = commands.next().value;
        const expected = eventsOf(steady, nowMs, command);
        expect(eventsOf(moving, nowMs, command), `seed ${seed}, command ${count}`).toEqual(expected);
      }
      moving.checkInvariants();
      expect(moving.stateHash()).toEqual(steady.stateHash());
    });
  }
});

test('the core loaded from any snapshot continues identically under the commands of the model', {
  timeout,
}, async () => {
  const perSeed = 2_500;
  for (let seed = firstSeed, done = 0; done < commandsMin; seed += 1, done += perSeed) {
    await inTempDir((dir) => {
      const random = randomOf(seed + 11);
      const generator = new Generator(seed);
      const pair = new Pair();
      let moving = new Exchange();
      const [one, other] = [new EventWriter(1 << 14), new EventWriter(1 << 14)];
      const steady = new Exchange();
      for (let count = 0; count < perSeed; count += 1) {
        const timed = generator.next(pair.reference.state);
        pair.replay(timed);
        const command = encodeCommand(timed.command);
        if (random(50) === 0) {
          const fresh = new Exchange();
          through(
            dir,
            count + 1,
            (sections) => moving.visit(sections),
            (sections) => fresh.visit(sections),
          );
          fresh.checkInvariants();
          expect([fresh.stateHash(), fresh.idSetHash()]).toEqual([moving.stateHash(), moving.idSetHash()]);
          moving = fresh;
        }
        for (const [exchange, out] of [[steady, one] as const, [moving, other] as const]) {
          out.begin();
          exchange.apply(timed.tMs, command, out);
          out.finish();
        }
        const expected = one.bytes.subarray(0, one.length);
        expect(Buffer.compare(other.bytes.subarray(0, other.length), expected), `seed ${seed}, ${count}`).toBe(0);
        expect(moving.nextDueMs()).toBe(steady.nextDueMs());
      }
      expect([moving.stateHash(), moving.idSetHash()]).toEqual([steady.stateHash(), steady.idSetHash()]);
    });
  }
});

test('a snapshot with changed or missing bytes is refused, unless the change has no effect', { timeout }, async () => {
  await inTempDir((dir) => {
    const reducers = reducersAfter(500);
    const path = new SnapshotFolder(dir).write(factsOf(1), visitOf(reducers));
    const sound = readFileSync(path);
    const random = randomOf(77);
    const target = join(dir, 'changed');
    const load = (bytes: Uint8Array): Reducers => {
      writeFileSync(target, bytes);
      const fresh = new Reducers();
      new SnapshotFile(target).load(visitOf(fresh));
      return fresh;
    };
    let refused = 0;
    for (let round = 0; round < 400; round += 1) {
      const bytes = Uint8Array.from(sound);
      const at = round < 40 ? round : random(bytes.length);
      bytes[at] ^= 1 << random(8);
      try {
        // Bytes between sections belong to none.
        expect(load(bytes).stateHash(), `byte ${at}`).toEqual(reducers.stateHash());
      } catch (error) {
        expect(error, `byte ${at}`).toBeInstanceOf(SnapshotUnusable);
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(300);
    for (let round = 0; round < 60; round += 1) {
      expect(() => load(sound.subarray(0, random(sound.length - 64)))).toThrow(SnapshotUnusable);
    }
    closeSync(openSync(target, 'w'));
    expect(() => new SnapshotFile(target)).toThrow('it has 0 bytes');
    expect(() => new SnapshotFile(join(dir, 'nowhere'))).toThrow(SnapshotUnusable);
    expect(load(sound).stateHash()).toEqual(reducers.stateHash());
  });
});

/**
 * Words of an entry of remembered ids, and of a snapshot's head of an id slice: which slice, number of entries, number of ids.
 */
const [ENTRY_WORDS, HEAD_WORDS] = [2, 3];

test.each([
  ['unchanged', undefined, () => {}],
  ['a count that is one too high', /holds \d+, and not \d+/, (heads: Int32Array) => heads.set([heads[2] + 1], 2)],
  ['no entries', /has 0 entries/, (heads: Int32Array) => heads.set([0], 1)],
  ['a number of entries that is too high', /has 1048576 entries/, (heads: Int32Array) => heads.set([1 << 20], 1)],
  ['an invalid number of entries', /has 33 entries/, (heads: Int32Array) => heads.set([33], 1)],
  [
    'a duplicate id',
    /an id/,
    (heads: Int32Array, entries: Int32Array, taken: number, free: number) => {
      entries.copyWithin(free, taken, taken + ENTRY_WORDS);
      heads[2] += 1;
    },
  ],
  [
    'an id that a lookup does not reach',
    /an id/,
    (_: Int32Array, entries: Int32Array, taken: number, free: number) => {
      entries.copyWithin(free, taken, taken + ENTRY_WORDS);
      entries.fill(0, taken, taken + ENTRY_WORDS);
    },
  ],
] as const)('loading a snapshot checks the consistency of its remembered ids: %s', (_, refusal, change) => {
  const reducers = reducersAfter(500);
  const kept = new Map<string, unknown>();
  reducers.core.visit(new KeptSections(kept, false));
  const named = (ending: string): Int32Array =>
    [...kept].find(([name]) => name.startsWith('ids/hour') && name.endsWith(ending))?.[1] as Int32Array; // one is there
  const [heads, entries] = [named('/slices'), named('/entries')];
  const slice = entries.subarray(0, heads[1] * ENTRY_WORDS);
  const at = (isWanted: (entry: number, before: number) => boolean): number =>
    slice.findIndex((entry, index) => index >= 2 && index % ENTRY_WORDS === 0 && isWanted(entry, slice[index - 2]));
  const taken = at((entry) => entry !== 0);
  // After a free entry, so that a search for the id does not reach it.
  const free = at((entry, before) => entry === 0 && before === 0);
  expect([heads.length >= HEAD_WORDS, taken > 0, free > 0]).toEqual([true, true, true]);
  change(heads, slice, taken, free);
  const fresh = new Exchange();
  const load = (): void => fresh.visit(new KeptSections(kept, true));
  if (refusal !== undefined) expect(load).toThrow(refusal);
  else {
    load();
    expect(fresh.idSetHash()).toBe(reducers.core.idSetHash());
  }
});

/** How many numbers of a market a snapshot has, and the positions of its tick and its grid. */
const [MARKET_NUMBERS, TICK_AT, GRID_AT] = [15, 4, 14];

test.each([
  ['unchanged', undefined, (tick: number) => [tick, tick]],
  ['a grid that divides the tick', undefined, (tick: number) => [tick, tick / 2]],
  ['a tick of 0', /market 0 has a tick of 0 pips/, () => [0, 10]],
  ['an unsupported tick', /market 0 has a tick of 20 pips/, () => [20, 20]],
  ['a grid of 0', /market 0 has a grid of 0 pips/, (tick: number) => [tick, 0]],
  ['a grid that does not divide the tick', /market 0 has a grid of 40 pips/, (tick: number) => [tick, 40]],
  ['a negative grid', /market 0 has a grid of -10 pips/, (tick: number) => [tick, -10]],
  ['a fractional grid', /market 0 has a grid of 0.5 pips/, (tick: number) => [tick, 0.5]],
] as const)(
  'loading a snapshot checks the tick and grid of a market, even one without orders: %s',
  (_, refusal, change) => {
    const reducers = reducersAfter(0);
    const kept = new Map<string, unknown>();
    reducers.core.visit(new KeptSections(kept, false));
    const columns = kept.get('markets/columns') as Float64Array; // the core writes it
    expect([columns.length % MARKET_NUMBERS, columns[TICK_AT], columns[GRID_AT]]).toEqual([0, 100, 100]);
    [columns[TICK_AT], columns[GRID_AT]] = change(columns[TICK_AT]);
    const load = (): void => new Exchange().visit(new KeptSections(kept, true));
    if (refusal === undefined) load();
    else expect(load).toThrow(refusal);
  },
);
