// The order ids that the core remembers, against a set of strings: every added id is found again and nothing else is, in
// growing slices, at any load, with times in any order, after hours are dropped, and on both sides of a snapshot.
import { expect, test } from 'vitest';
import { IdWindow } from '../../engine/core/idWindow.ts';
import { Message } from '../../engine/protocol/index.ts';
import { Random } from '../model/random.ts';
import { KeptSections } from '../support/keptSections.ts';

const SEED = 11;
const HOUR_MS = 3_600_000;
const START_MS = 480_000 * HOUR_MS;
/**
 * Ids with the same first word lie in one run of a table: a few of
 * any, and often the extreme words that an entry can begin with.
 */
const FIRST_WORDS = [0, 1, -1, 0x7fffffff, -0x80000000];
const IDS = 60_000;

interface Signed {
  readonly timestampMs: number;
  readonly words: readonly [number, number];
}

const message = new Message();

class World {
  readonly window = new IdWindow();
  readonly known = new Map<string, Signed>();

  /** Checks that window and set agree on an id, and adds it to both when it is new. */
  take(signed: Signed, window = this.window): void {
    const key = textOf(signed);
    const isKnown = this.known.has(key);
    message.words.set(signed.words);
    if (window.has(message, 0, signed) !== isKnown) throw new Error(`${key} of seed ${SEED}: the set says ${isKnown}`);
    if (isKnown) return;
    window.add(message, 0, signed);
    this.known.set(key, signed);
  }

  checkAll(window = this.window): void {
    for (const signed of this.known.values()) this.take(signed, window);
  }
}

/** 0 marks a free entry and is stored as 1, so ids that begin with either are the same: of digests one in four billion. */
const textOf = ({ timestampMs, words }: Signed): string =>
  `${Math.floor(timestampMs / 1_800)} ${words[0] || 1} ${words[1]}`;

const anyWord = (random: Random): number => random.int(-0x80000000, 0x7fffffff);

/** An id of about this time; some share their first word, and in a crowd nearly all are of one slice. */
function signedAt(random: Random, nowMs: number, spreadMs: number): Signed {
  const first = random.int(0, 9) === 0 ? FIRST_WORDS[random.int(0, FIRST_WORDS.length - 1)] : anyWord(random);
  return { timestampMs: nowMs - random.int(0, spreadMs), words: [first, random.int(0, 3) === 0 ? 7 : anyWord(random)] };
}

test('an id window knows the same ids as a set, in dense and in sparse traffic', () => {
  const random = new Random(SEED);
  const world = new World();
  let nowMs = START_MS;
  for (let i = 0; i < IDS; i += 1) {
    // A thousand in one slice, then a few in each of many slices, then back.
    nowMs += Math.floor(i / 4_000) % 2 === 0 ? random.int(0, 1) : random.int(0, 900);
    world.take(signedAt(random, nowMs, i % 50 === 0 ? HOUR_MS : 2_000));
    if (i % 20_000 === 19_999) world.checkAll();
  }
  expect(world.known.size).toBeGreaterThan(IDS / 2);
});

test('an id window loaded from a snapshot has the same hash and ids, and keeps matching a set', () => {
  const random = new Random(SEED + 1);
  const world = new World();
  for (let i = 0; i < 20_000; i += 1) world.take(signedAt(random, START_MS + i, 5_000));
  const kept = new Map<string, unknown>();
  world.window.visit(new KeptSections(kept, false));
  const loaded = new IdWindow();
  loaded.visit(new KeptSections(kept, true));
  expect(loaded.hashParts()).toEqual(world.window.hashParts());
  world.checkAll(loaded);
  for (let i = 0; i < 20_000; i += 1) world.take(signedAt(random, START_MS + 20_000 + i, 5_000), loaded);
  world.checkAll(loaded);
});

test('forget drops ids by whole hours, and an earlier time does not move its cutoff back', () => {
  const random = new Random(SEED + 2);
  const world = new World();
  for (let i = 0; i < 3_000; i += 1) world.take(signedAt(random, START_MS + i * 4_000, 1_000));
  expect(world.window.oldestEndMs).toBe(START_MS);
  world.window.forget(START_MS + HOUR_MS + 1);
  expect(world.window.forgottenBeforeMs).toBe(START_MS + HOUR_MS + 1);
  expect(world.window.oldestEndMs).toBe(START_MS + 2 * HOUR_MS);
  for (const [key, { timestampMs }] of world.known) if (timestampMs < START_MS + HOUR_MS) world.known.delete(key);
  world.checkAll();
  world.window.forget(START_MS);
  expect(world.window.forgottenBeforeMs).toBe(START_MS + HOUR_MS + 1);
});
