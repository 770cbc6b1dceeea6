// How the fuzz spoils valid input: values of JSON, bytes, paths and headers, from a seeded source. It knows nothing of
// endpoints, and the same seed always spoils in the same way.

/** Values that may replace a leaf. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  1.5,
  1e3,
  1e21,
  1e300,
  2 ** 53,
  -(2 ** 53),
  Number.MIN_VALUE,
  '',
  ' ',
  '0',
  '-1',
  '1e3',
  '0.1',
  '00012',
  '9007199254740991',
  '9007199254740992',
  '115792089237316195423570985008687907853269984665640564039457584007913129639936',
  '0x',
  `0x${'0'.repeat(40)}`,
  `0x${'f'.repeat(40)}`,
  `0x${'0'.repeat(64)}`,
  `0x${'F'.repeat(64)}`,
  'BUY',
  'SELL',
  'GTD',
  'FAK',
  'FOK',
  '__proto__',
  'constructor',
  '\ud800',
  '\u0000',
  '💥',
  'é'.repeat(300),
  'x'.repeat(5_000),
  "it's",
  '"; --',
  [],
  {},
  [[[[]]]],
  { a: { a: { a: 1 } } },
  [null],
];
/** Values that no field which decides what to do accepts, whatever its kind. */
const NEVER: readonly unknown[] = [-1, 1.5, 1e21, 2 ** 53, 1e300, [], {}, [[[[]]]], [null], { a: 1 }];
const KEYS = ['order', 'salt', 'maker', 'amount', 'token_id', 'market', 'postOnly', '__proto__', 'toString', '', 'x'];
const QUERY_TEXTS = [
  '',
  '0',
  '-1',
  '1e3',
  '1.5',
  'x',
  'LTE=',
  'MA==',
  'MTA=',
  '9007199254740991',
  '9007199254740992',
  '2030-02-30',
  '%00',
  '%ff',
  '%F0%9F%92%A5',
  'null',
  '__proto__',
  '1,2,3',
  `0x${'0'.repeat(40)}`,
  `0x${'0'.repeat(64)}`,
  'x'.repeat(1_000),
];
const ESCAPES = ['%00', '%ff', '%', '&', '=', '?', '+', '%2f', '"', '<', '\\', '%F0%9F%92%A5', '-', '/', '0x'];

/** Spoils input, using one seeded source of numbers in [0, 1). */
export class Spoiler {
  readonly random: () => number;

  constructor(random: () => number) {
    this.random = random;
  }

  below(bound: number): number {
    return Math.floor(this.random() * bound);
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.below(values.length)];
  }

  /** A copy with one place spoilt: a value changed, a key dropped, added or doubled. */
  value(value: unknown): unknown {
    const isDeep = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    if (!isDeep || this.random() < 0.15) return this.pick(VALUES);
    if (Array.isArray(value)) {
      const copy = [...value];
      const chance = this.random();
      const index = this.below(copy.length);
      if (chance < 0.15) copy.splice(index, 1);
      else if (chance < 0.3) copy.push(copy[index]);
      else copy[index] = this.value(copy[index]);
      return copy;
    }
    const copy: Record<string, unknown> = { ...value };
    const key = this.pick(Object.keys(copy));
    const chance = this.random();
    if (chance < 0.15) delete copy[key];
    else if (chance < 0.3) copy[this.pick(KEYS)] = this.pick(VALUES);
    else copy[key] = this.value(copy[key]);
    return copy;
  }

  /** A copy of a body with an impossible value in one of these fields; in a list, in every element. */
  fatally(value: unknown, fields: readonly string[]): unknown {
    if (Array.isArray(value)) return value.map((element) => this.fatally(element, fields));
    if (typeof value !== 'object' || value === null) return -1;
    return { ...value, [this.pick(fields)]: this.pick(NEVER) };
  }

  /** Bytes with one to three of them changed, lost, doubled or added, or an end cut off. */
  bytes(bytes: Buffer): Buffer {
    let spoilt = Buffer.from(bytes);
    for (let count = 1 + this.below(3); count > 0 && spoilt.length > 0; count -= 1) {
      const at = this.below(spoilt.length);
      const chance = this.random();
      if (chance < 0.3) spoilt[at] = this.below(256);
      else if (chance < 0.5) spoilt = Buffer.concat([spoilt.subarray(0, at), spoilt.subarray(at + 1)]);
      else if (chance < 0.7)
        spoilt = Buffer.concat([spoilt.subarray(0, at), Buffer.from([this.below(256)]), spoilt.subarray(at)]);
      else if (chance < 0.85) spoilt = Buffer.concat([spoilt, spoilt.subarray(at)]);
      else spoilt = spoilt.subarray(0, at);
    }
    return spoilt;
  }

  /** A path with one place cut, replaced or extended, or with another value of one of its parameters. */
  path(path: string, names: readonly string[]): string {
    if (names.length > 0 && this.random() < 0.6) {
      const joint = path.includes('?') ? '&' : '?';
      const name = this.pick(names);
      const parameter = `${name}=${this.pick(QUERY_TEXTS)}`;
      if (this.random() < 0.4) return `${path}${joint}${parameter}`;
      const [bare, query = ''] = path.split('?');
      const kept = query.split('&').filter((part) => part !== '' && !part.startsWith(`${name}=`));
      return `${bare}?${[...kept, parameter].join('&')}`;
    }
    const at = 1 + this.below(path.length);
    const cutTo = this.random() < 0.5 ? at : Math.min(path.length, at + this.below(8));
    return `${path.slice(0, at)}${this.random() < 0.8 ? this.pick(ESCAPES) : ''}${path.slice(cutTo)}`;
  }

  /** Headers with one of them cut, changed, dropped or given another's value; each stays a legal header. */
  headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const copy: Record<string, string> = { ...headers };
    const names = Object.keys(copy);
    if (names.length === 0) return { POLY_ADDRESS: this.pick(QUERY_TEXTS) };
    const name = this.pick(names);
    const value = copy[name];
    const at = this.below(value.length);
    const chance = this.random();
    if (chance < 0.2) delete copy[name];
    else if (chance < 0.4) copy[name] = value.slice(0, at);
    else if (chance < 0.6) copy[name] = copy[this.pick(names)];
    else if (chance < 0.8) copy[name] = `${value.slice(0, at)}${this.pick(ESCAPES)}${value.slice(at + 1)}`;
    else copy[name] = this.pick(QUERY_TEXTS);
    return copy;
  }
}
