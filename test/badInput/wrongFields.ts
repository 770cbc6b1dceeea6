// A body with one field spoiled: ways to remove a value or to replace it, and wrong values of the kinds that both orders
// and operators' bodies have. Used by the tests of fields.

/** Stands for a key that is absent. */
export const MISSING = Symbol('missing');

/** The keys from the body down to a field. */
export type Path = readonly string[];

/** A copy with one value replaced or removed. */
export function withValue(body: unknown, [key, ...rest]: Path, value: unknown): unknown {
  const copy = structuredClone(body) as Record<string, unknown>; // every body here is an object
  if (rest.length > 0) copy[key] = withValue(copy[key], rest, value);
  else if (value === MISSING) delete copy[key];
  else copy[key] = value;
  return copy;
}

/** A value in the message of a failed assertion. */
export const shown = (value: unknown): string => (value === MISSING ? 'missing' : JSON.stringify(value)).slice(0, 60);

export const INVALID_ADDRESSES = [
  MISSING,
  null,
  '',
  'me',
  '0x',
  `0x${'1'.repeat(39)}`,
  `0x${'1'.repeat(41)}`,
  `0x${'g'.repeat(40)}`,
  1,
  [],
  {},
];
export const INVALID_BYTES32 = [
  '0x',
  `0x${'1'.repeat(63)}`,
  `0x${'1'.repeat(65)}`,
  `0x${'z'.repeat(64)}`,
  '1'.repeat(64),
  1,
  true,
  [],
  {},
];
export const INVALID_TOKENS = [
  MISSING,
  null,
  '',
  'x',
  '-1',
  '1e3',
  '1.0',
  '0x1',
  (2n ** 256n).toString(),
  '9'.repeat(500),
  1,
  1e21,
  [],
  {},
];
export const NOT_FLAGS = [0, 1, 'true', '', [], {}];
