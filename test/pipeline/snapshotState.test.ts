// What a snapshot holds: at any point of any sequence of commands, a state that is written, loaded and gone on with gives
// the same events, hashes and due times as one that was never interrupted. SNAPSHOT_COMMANDS sets how many commands are
// applied, SNAPSHOT_SEED the first seed. Bytes that were changed are refused by name, or change nothing.
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import { type SnapshotFacts, SnapshotFile, SnapshotFolder } from '../../engine/journal/index.ts';
import { Reducers } from '../../engine/pipeline/index.ts';
import { EventWriter, encodeCommand, type Sections, SnapshotUnusable } from '../../engine/protocol/index.ts';
import { inTempDir } from '../journal/support.ts';
import { Generator } from '../model/generator.ts';
import { Pair } from '../model/pair.ts';
import { commandsOf, foundingCommands, randomOf, START_MS } from './workload.ts';

const commandsMin = Number(process.env.SNAPSHOT_COMMANDS ?? 8_000);
const firstSeed = Number(process.env.SNAPSHOT_SEED ?? 1);
const timeout = 600_000;

const factsOf = (sequence: number): SnapshotFacts => ({
  ...{ sequence, tMs: 0, journalHash: '', versions: {}, hashes: {} },
});

/** Writes what is visited into a file of the folder and hands it, read back, to `load`. */
function through(dir: string, sequence: number, visit: (s: Sections) => void, load: (s: Sections) => void): string {
  const path = new SnapshotFolder(dir).write(factsOf(sequence), visit);
  new SnapshotFile(path).load(load);
  return path;
}

const visitOf = (reducers: Reducers) => (sections: Sections) => {
  reducers.core.visit(sections.part('core'));
  reducers.registry.visit(sections.part('registry'));
};

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
  ...{ type: 'Started', rulesVersion: 1, orderWindowMs: 3_600_000, heartbeatWindowMs: 10_000 },
  ...{ minedDelayMs: 50, confirmedDelayMs: 100, creditMicro: 1_000_000 },
});

test('core and registry go on from any snapshot as if nothing had happened', { timeout }, async () => {
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
        // Now and then long enough for heartbeats to lapse, orders to expire, hours of ids to be dropped.
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

test('the core goes on from any snapshot in the whole world of the model', { timeout }, async () => {
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

test('bytes that were changed, or are missing, are refused by name', { timeout }, async () => {
  await inTempDir((dir) => {
    const reducers = new Reducers();
    const commands = commandsOf(5, () => START_MS);
    for (const command of [startedCommand, ...foundingCommands()]) eventsOf(reducers, START_MS, command);
    for (let count = 0; count < 500; count += 1) eventsOf(reducers, START_MS + count, commands.next().value);
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
        // What lies between sections is not part of any.
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
