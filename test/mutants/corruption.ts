// Damage to a core's memory, one number or amount at a time, and what its invariants report: a check of the checks. Used by
// traces.ts to record what the unchanged checks find, and by the killer to ask a mutant the same. It does not know what the
// numbers mean: it takes every numeric array and every number that it can reach.
import { Script } from 'node:vm';
import type { Exchange } from '../../engine/core/index.ts';
import { answerOrError } from './answerOrError.ts';

export interface FoundCorruption {
  readonly path: string;
  readonly index: number;
  readonly by: number;
  /** How the invariants' report begins; '' when they found nothing. */
  readonly report: string;
}

type Numbers = Int32Array | Uint32Array | Float64Array | Uint8Array | Uint16Array;
interface Place {
  readonly path: string;
  readonly index: number;
  readonly read: () => number;
  readonly write: (value: number) => void;
  /** The amounts by which the number is changed, one after the other. */
  readonly shifts: (value: number) => readonly number[];
}

/** Changes of a single number: by little, past whatever follows it in an order, and below zero. */
const singleShifts = (value: number): readonly number[] => [1, -1, 2, 1_000_000, -1 - value];
/** Moves the whole amount to another place, which no sum shows. */
const wholeShift = (value: number): readonly number[] => [-value];
/** The distance to that other place: the next account, or the same amount of a later record. */
const MOVE_DISTANCES = [1, ...Array.from({ length: 12 }, (_, records) => 8 * (records + 1))];

const PLACES_AN_ARRAY = 24;
const DEPTH_MAX = 5;
/** A check that runs this long (ms) is in an endless loop. */
const CHECK_TIMEOUT_MS = 2_000;

/** The fields of a ladder that say where its words lie. */
const LADDER_PLACEMENT = /^(?:space|words|bitsAt|summaryAt|levelsAt)$/;

const isNumbers = (value: unknown): value is Numbers => ArrayBuffer.isView(value) && !(value instanceof DataView);

function placesOf(object: object, path: string, depth: number, seen: Set<object>, places: Place[]): void {
  if (seen.has(object) || depth > DEPTH_MAX) return;
  seen.add(object);
  const ownWords = ladderWords(object);
  if (ownWords !== undefined) numbersOf(ownWords, `${path}.words`, places);
  if (Array.isArray(object)) betweenRecords(object, path, places);
  for (const name of Object.keys(object)) {
    if (/^(?:out|message|taker|dry|suspects|touched|prefetched|tMs|ladderSpace)$/.test(name)) continue;
    if (ownWords !== undefined && LADDER_PLACEMENT.test(name)) continue;
    const value: unknown = Reflect.get(object, name);
    const at = `${path}.${name}`;
    if (typeof value === 'number') {
      const write = (next: number): void => void Reflect.set(object, name, next);
      places.push({ path: at, index: 0, read: () => Number(Reflect.get(object, name)), write, shifts: singleShifts });
    } else if (isNumbers(value)) {
      numbersOf(value, at, places);
    } else if (value instanceof Map) {
      for (const [key, entry] of [...value].slice(0, 3))
        if (typeof entry === 'object') placesOf(entry, `${at}(${key})`, depth + 1, seen, places);
    } else if (typeof value === 'object' && value !== null) {
      placesOf(value, at, depth + 1, seen, places);
    }
  }
}

/** Adds damage between records: each number of a record moved to the record before it. */
function betweenRecords(records: readonly unknown[], path: string, places: Place[]): void {
  for (let at = 1; at < records.length; at += 1) {
    const [to, from] = [Object(records[at - 1]), Object(records[at])];
    for (const name of Object.keys(from)) {
      const amount: unknown = Reflect.get(from, name);
      if (typeof amount !== 'number' || amount === 0) continue;
      const read = (): number => Number(Reflect.get(from, name));
      const move = (value: number): void => {
        Reflect.set(to, name, Number(Reflect.get(to, name)) + read() - value);
        Reflect.set(from, name, value);
      };
      places.push({ path: `${path}.${name} to the one before`, index: at, read, write: move, shifts: wholeShift });
    }
  }
}

/**
 * The words of a ladder lie in an array shared by many, wherever there was room when its first order came. Only its own
 * words are damaged, by their index among these. Undefined for an object that is no ladder. (A mutant's class differs from
 * the core's.)
 */
function ladderWords(object: object): Int32Array | undefined {
  const [words, from, levelsAt, levelCount] = ['words', 'bitsAt', 'levelsAt', 'levelCount'].map((name): unknown =>
    Reflect.get(object, name),
  );
  if (!(words instanceof Int32Array) || typeof from !== 'number') return undefined;
  return words.subarray(from, Number(levelsAt) + 2 * Number(levelCount));
}

function numbersOf(numbers: Numbers, path: string, places: Place[]): void {
  const used: number[] = [];
  for (let index = 0; index < Math.min(numbers.length, 4_096) && used.length < 400; index += 1) {
    if (numbers[index] !== 0) used.push(index);
  }
  const step = Math.max(1, Math.floor(used.length / PLACES_AN_ARRAY));
  for (let at = 0; at < used.length; at += step) {
    const index = used[at];
    const write = (value: number): void => {
      numbers[index] = value;
    };
    places.push({ path, index, read: () => numbers[index], write, shifts: singleShifts });
    if (!(numbers instanceof Float64Array)) continue;
    for (const by of MOVE_DISTANCES) {
      const move = (value: number): void => {
        numbers[index + by] += numbers[index] - value;
        numbers[index] = value;
      };
      // A value that is no safe integer could not be restored exactly.
      if (Number.isSafeInteger(numbers[index]) && Number.isSafeInteger(numbers[index + by])) {
        places.push({
          path: `${path} to ${by} behind`,
          index,
          read: () => numbers[index],
          write: move,
          shifts: wholeShift,
        });
      }
    }
  }
}

const check = (core: Exchange): string =>
  answerOrError(() => {
    core.checkInvariants();
    return '';
  });

/** Runs a check that may loop endlessly; undefined when it does. */
function checkInTime(core: Exchange): string | undefined {
  Reflect.set(globalThis, 'corruptionCheck', () => check(core));
  try {
    return String(new Script('corruptionCheck()').runInThisContext({ timeout: CHECK_TIMEOUT_MS }));
  } catch {
    return undefined;
  }
}

/** Damages one number after the other, restoring each, and returns what the invariants report for each. */
export function corruptions(core: Exchange): FoundCorruption[] {
  const found: FoundCorruption[] = [];
  const places: Place[] = [];
  placesOf(core, '', 0, new Set(), places);
  for (const { path, index, read, write, shifts } of places) {
    const value = read();
    for (const by of shifts(value)) {
      write(value + by);
      const report = checkInTime(core);
      write(value);
      if (report !== undefined && report !== '') found.push({ path, index, by, report });
    }
  }
  if (check(core) !== '') throw new Error('corruption: the damage was not undone');
  return found;
}

/** The first damage for which a core's invariants report something unexpected; undefined when there is none. */
export function differentReport(core: Exchange, expected: readonly FoundCorruption[]): string | undefined {
  const places: Place[] = [];
  placesOf(core, '', 0, new Set(), places);
  const byName = new Map(places.map((place) => [`${place.path} ${place.index}`, place]));
  for (const { path, index, by, report } of expected) {
    const place = byName.get(`${path} ${index}`);
    if (place === undefined) return `${path} ${index} is not there`;
    const value = place.read();
    place.write(value + by);
    const found = check(core);
    place.write(value);
    if (found !== report) return `${path} ${index}: "${found}" instead of "${report}"`;
  }
  return undefined;
}
