// Impossible snapshots: numbers that are off, lists that are cut, entries that changed places. The response of the
// unchanged core to loading each is the standard for a mutant. Used by traces.ts and killer.ts; like corruption.ts it does
// not know what the numbers mean.
import type { Exchange } from '../../engine/core/index.ts';
import { KeptSections } from '../support/keptSections.ts';
import { answerOrError } from './answerOrError.ts';

type Numbers = Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** How many of a list's first and last words are damaged. */
const FIRST_WORDS = 24;
const LAST_WORDS = 4;
/** Possible words per record, for lists that are cut to a number of records. */
const RECORD_WORDS = [1, 2, 4, 16] as const;
/** Record counts to which a list is cut, while the number beside it is set to match. */
const RECORDS = [16, 64] as const;
/** How many times as long a list is made, while the number beside it says as many: more than other tables have room for. */
const LENGTHENED = 4;

const isNumbers = (value: unknown): value is Numbers => value instanceof Int32Array || value instanceof Float64Array;

const partOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);

/** Everything else in the same part of the snapshot. */
const besides = (values: ReadonlyMap<string, unknown>, key: string): readonly (readonly [string, unknown])[] =>
  [...values].filter(([other]) => other !== key && partOf(other) === partOf(key));

/** Wrong values for a number. */
const wrongNumbers = (value: number): readonly number[] =>
  [value + 1, value - 1, -1, 0, 1, 2, 1_000_000].filter((wrong) => wrong !== value);

function withWord(numbers: Numbers, index: number, value: number): Numbers {
  const changed = numbers.slice();
  changed[index] = value;
  return changed;
}

/** The list with two pairs of its words exchanged. */
function withPairsSwapped(numbers: Numbers, first: number, second: number): Numbers {
  const changed = numbers.slice();
  for (const off of [0, 1]) {
    changed[first + off] = numbers[second + off];
    changed[second + off] = numbers[first + off];
  }
  return changed;
}

/** Wrong values for a list; `counts` are the numbers beside it, one of which may be its length. */
function* wrongLists(numbers: Numbers, counts: readonly number[]): Generator<Numbers> {
  const { length } = numbers;
  const lengths = [length - 1, length - 2, length >> 1, 0];
  for (const count of counts) for (const words of RECORD_WORDS) lengths.push(count * words);
  for (const cut of new Set(lengths)) if (cut >= 0 && cut < length) yield numbers.slice(0, cut);
  for (let index = 0; index < length; index += 1) {
    if (index >= FIRST_WORDS && index < length - LAST_WORDS) continue;
    for (const wrong of wrongNumbers(numbers[index])) yield withWord(numbers, index, wrong);
    if (index % 2 === 0 && index + 8 < length) yield withPairsSwapped(numbers, index, index + 6);
  }
}

/** The list, LENGTHENED times as long, padded with zeros. */
function withRoom(numbers: Numbers): Numbers {
  const length = numbers.length * LENGTHENED;
  const longer = numbers instanceof Int32Array ? new Int32Array(length) : new Float64Array(length);
  longer.set(numbers);
  return longer;
}

/** For each length that several lists of a part have, such as one word for each account: all of them cut to one word. */
function* cutTogether(values: ReadonlyMap<string, unknown>): Generator<Map<string, unknown>> {
  const groups = new Map<string, Map<string, Numbers>>();
  for (const [key, value] of values) {
    if (!isNumbers(value) || value.length < 2) continue;
    const name = `${partOf(key)} ${value.length}`;
    groups.set(name, (groups.get(name) ?? new Map()).set(key, value.slice(0, 1)));
  }
  for (const group of groups.values()) if (group.size > 1) yield group;
}

/** Every damage, as the values that replace the right ones. */
function* damages(values: ReadonlyMap<string, unknown>): Generator<Map<string, unknown>> {
  yield* cutTogether(values);
  for (const [key, value] of values) {
    const others = besides(values, key);
    if (typeof value === 'number') {
      for (const wrong of wrongNumbers(value)) yield new Map([[key, wrong]]);
      for (const [other, list] of others) {
        if (!isNumbers(list)) continue;
        for (const words of RECORD_WORDS) yield new Map([[key, list.length / words]]);
        for (const words of RECORD_WORDS) {
          yield new Map<string, unknown>([
            [key, (list.length / words) * LENGTHENED],
            [other, withRoom(list)],
          ]);
        }
        for (const records of RECORDS) {
          for (const words of RECORD_WORDS) {
            yield new Map<string, unknown>([
              [key, records],
              [other, list.slice(0, records * words)],
            ]);
          }
        }
      }
    } else if (isNumbers(value)) {
      const counts = others.map(([, other]) => other).filter((other) => typeof other === 'number');
      for (const list of wrongLists(value, counts)) yield new Map([[key, list]]);
    }
  }
}

function load(
  make: new () => Exchange,
  values: ReadonlyMap<string, unknown>,
  changes: ReadonlyMap<string, unknown>,
): string {
  return answerOrError(() => {
    new make().visit(new KeptSections(new Map([...values, ...changes]), true));
    return '';
  });
}

const snapshotOf = (core: Exchange): Map<string, unknown> => {
  const values = new Map<string, unknown>();
  core.visit(new KeptSections(values, false));
  return values;
};

/** What loading a core's own snapshot gives for each damage in turn: the error, or '' where it loads. */
export function damagedLoadOutcomes(core: Exchange, make: new () => Exchange): string[] {
  const values = snapshotOf(core);
  return Array.from(damages(values), (changes) => load(make, values, changes));
}

/** The first damage that loads with another outcome than expected; undefined when there is none. */
export function differentLoadOutcome(
  core: Exchange,
  make: new () => Exchange,
  expected: readonly string[],
): string | undefined {
  const values = snapshotOf(core);
  let at = 0;
  for (const changes of damages(values)) {
    const outcome = load(make, values, changes);
    if (outcome !== expected[at]) {
      return `${[...changes.keys()].join(' and ')}: "${outcome}" instead of "${expected[at]}"`;
    }
    at += 1;
  }
  return undefined;
}
