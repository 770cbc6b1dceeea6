// Reads bodies that must fit a schema. The first fault becomes `unknown_field: x`, `missing_field: x` or `invalid_field: x`
// with the limit. Called by the routes of operators, development and positions, and by imports. Not for the hot path:
// orders and cancels are parsed by hand elsewhere.
import { z } from 'zod';
import { isAddress, isBytes32 } from '../auth/hex.ts';
import { SIGNATURE_TYPES } from '../auth/orderDigest.ts';
import { type Fields, isFields } from '../lib/jsonFields.ts';
import { BadRequest } from './badRequest.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_BYTES32 } from './examples.ts';
import { type DecimalUnit, decimalUnits } from './numbers.ts';

type Issue = z.core.$ZodIssue;

/** The most of a path that an error text shows: keys may be as long as the body. */
const PATH_CHARACTERS_MAX = 100;

const pathOf = (issue: Issue): string => issue.path.map(String).join('.').slice(0, PATH_CHARACTERS_MAX);

/** The value at an issue's path; undefined if there is none. */
function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = body;
  for (const key of path) value = (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key]; // any JSON
  return value;
}

function sentenceOf(issue: Issue, body: unknown): string {
  const path = pathOf(issue);
  if (issue.code === 'unrecognized_keys') {
    return `unknown_field: ${path === '' ? '' : `${path}.`}${issue.keys[0].slice(0, PATH_CHARACTERS_MAX)}`;
  }
  if (valueAt(body, issue.path) === undefined) return `missing_field: ${path}`;
  // For an invalid key, the message comes from the key's own schema.
  const { message } = issue.code === 'invalid_key' ? issue.issues[0] : issue;
  return `invalid_field: ${path}: it ${message}`;
}

/** Unknown keys are reported first, then missing ones, then wrong values. */
function rank(issue: Issue, body: unknown): number {
  if (issue.code === 'unrecognized_keys') return 0;
  return valueAt(body, issue.path) === undefined ? 1 : 2;
}

/**
 * Refuses a map with the key `__proto__`, which zod drops without a word. Maps are fields of the body itself; in objects of
 * fixed fields zod reports the key as unknown.
 */
function refuseDroppedKey(body: Fields): void {
  for (const [name, value] of Object.entries(body)) {
    if (isFields(value) && Object.hasOwn(value, '__proto__')) throw new BadRequest(`unknown_field: ${name}.__proto__`);
  }
}

/** The body as parsed by the schema. @throws BadRequest naming the first field at fault */
export function readFields<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  if (!isFields(body)) throw new BadRequest('the body must be a JSON object');
  const result = schema.safeParse(body);
  if (result.success) {
    refuseDroppedKey(body);
    return result.data;
  }
  const [first] = result.error.issues.toSorted((left, right) => rank(left, body) - rank(right, body));
  throw new BadRequest(sentenceOf(first, body));
}

/** Checks that a request names at most `max` things; the error uses the interface's wording. @throws BadRequest */
export function boundCount(count: number, max: number): void {
  if (count > max) throw new BadRequest('Payload exceeds the limit');
}

/** A decimal string parsed into whole units from `min` to `max`. JSON numbers are refused, since they lose digits. */
export function decimalField(
  { places, parse, print }: DecimalUnit,
  { min, max, example }: DecimalBounds,
): z.ZodType<number> {
  const limit = `must be a decimal string with at most ${places} decimal places, from ${print(min)} to ${print(max)}`;
  return z
    .string(`${limit}, such as "${example}", not a number`)
    .meta({ pattern: '^[0-9]+(\\.[0-9]+)?$', examples: [example] })
    .transform((text, context) => {
      const units = parse(text);
      if (units !== undefined && units >= min && units <= max) return units;
      context.addIssue({ code: 'custom', message: limit });
      return z.NEVER;
    });
}

interface DecimalBounds {
  /** In whole units, like `max`. */
  readonly min: number;
  readonly max: number;
  /** An example within the bounds. */
  readonly example: string;
}

/** An amount of collateral or shares, in micro; at least 1. */
export const amountField = decimalField(decimalUnits.micro, {
  min: 1,
  max: Number.MAX_SAFE_INTEGER,
  example: '12.5',
});

/** An address in any letter case, converted to lower case. */
export const addressField = z
  .string('must be 0x and 40 hex digits')
  .refine(isAddress, 'must be 0x and 40 hex digits')
  .meta({ pattern: '^0x[0-9a-fA-F]{40}$', examples: [EXAMPLE_ADDRESS] })
  .transform((text) => text.toLowerCase());

/** 32 bytes of hex in any letter case, converted to lower case. */
export const bytes32Field = z
  .string('must be 0x and 64 hex digits')
  .refine(isBytes32, 'must be 0x and 64 hex digits')
  .meta({ pattern: '^0x[0-9a-fA-F]{64}$', examples: [EXAMPLE_BYTES32] })
  .transform((text) => text.toLowerCase());

/** A wallet's signature type. */
export const signatureTypeField = z.union(
  SIGNATURE_TYPES.map((type) => z.literal(type)),
  'must be the number 0, 1, 2 or 3',
);

/** Text of at most `max` characters. */
export function textField(max: number): z.ZodString {
  return z.string(`must be a string of at most ${max} characters`).max(max, `must have at most ${max} characters`);
}

/** Text of at most `max` characters that is not blank, for names shown to people. */
export function nameField(max: number): z.ZodString {
  return textField(max).min(1, 'must not be empty').regex(/\S/, 'must not be blank');
}

/** JSON true or false. */
export const booleanField = z.boolean('must be true or false');
