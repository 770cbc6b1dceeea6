// The views as they list themselves for snapshots, kept to be compared with those of a later life of the exchange: a replay
// of the same log, or a start from a snapshot, must bring back the same. Used by simulation.ts. What no snapshot holds
// (mirrored books, counts since the start) is not compared here.
import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import type { Sections } from '../../engine/index.ts';
import type { Views } from '../../server/views/index.ts';
import { fail } from './audit.ts';

/** The serialized value of each section, by its name. */
export type KeptViews = ReadonlyMap<string, Buffer>;

export function keepViews(views: Views): KeptViews {
  const values = new Map<string, Buffer>();
  for (const { snapshot } of views.followers()) snapshot?.visit(keeping(values, ''));
  const packed = `trades/chunk ${numberIn(values, 'trades/chunks') - 1}`;
  const chunk = values.get(packed);
  // What lies behind the last packed trade means nothing.
  if (chunk !== undefined)
    values.set(packed, serialize(deserialize(chunk).subarray(0, numberIn(values, 'trades/used'))));
  return values;
}

function numberIn(values: KeptViews, name: string): number {
  const bytes = values.get(name);
  return bytes === undefined ? fail('the views list their packed trades', { name }) : deserialize(bytes);
}

function keeping(values: Map<string, Buffer>, path: string): Sections {
  const keep = <T>(name: string, value: T): T => {
    values.set(path + name, serialize(value));
    return value;
  };
  const part = (name: string): Sections => keeping(values, `${path}${name}/`);
  return { isLoading: false, part, number: keep, int32: keep, float64: keep, uint8: keep, plain: keep };
}

/** Fails with the first section in which the views are not as they were kept; nothing is compared if they were not. */
export function compareKept(views: Views, kept: KeptViews | undefined): void {
  if (kept === undefined) return;
  const found = keepViews(views);
  for (const [section, was] of kept) {
    const is = found.get(section);
    if (is === undefined || !isSame(is, was)) fail(`the views come back: ${section}`);
  }
}

/**
 * Equal values mostly have equal bytes, at the latest once both were loaded: until then a whole number may be stored as a
 * fraction. Bytes are compared many times faster than values.
 */
const isSame = (is: Buffer, was: Buffer): boolean =>
  Buffer.compare(is, was) === 0 ||
  Buffer.compare(loaded(is), loaded(was)) === 0 ||
  isDeepStrictEqual(deserialize(is), deserialize(was));

const loaded = (bytes: Buffer): Buffer => serialize(deserialize(bytes));
