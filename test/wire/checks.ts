// The checks of fields in tests of replies: types and formats as functions, objects as tables of them, and how an object
// deviates from a table. Used by the schema tests of this folder and by the catalog's.

export type Check = (value: unknown) => boolean;
/** Every field of an object, and its check. */
export type Table = Readonly<Record<string, Check>>;

export const text: Check = (value) => typeof value === 'string';
export const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);
export const integer: Check = (value) => Number.isInteger(value);
export const flag: Check = (value) => typeof value === 'boolean';
export const iso: Check = (value) =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value;
export const digits: Check = (value) => text(value) && /^\d+$/.test(String(value));
export const decimal: Check = (value) => text(value) && /^\d+(\.\d*[1-9])?$/.test(String(value));
export const nothing: Check = (value) => value === null;
export const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(String(value)) && text(value);
export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How an object deviates from a table: fields that are missing or of another type, and fields that the table lacks. */
export function faultsOf(value: unknown, table: Table): readonly string[] {
  if (!isObject(value)) return [`no object: ${JSON.stringify(value)}`];
  const wrong = Object.entries(table).flatMap(([name, check]) => {
    if (!(name in value)) return [`${name} is missing`];
    return check(value[name]) ? [] : [`${name} is ${JSON.stringify(value[name])}`];
  });
  const more = Object.keys(value).filter((name) => !(name in table));
  return [...wrong, ...more.map((name) => `${name} does not belong here`)];
}

export const objectOf =
  (table: Table): Check =>
  (value) =>
    faultsOf(value, table).length === 0;
