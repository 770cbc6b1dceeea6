// A light fuzz: right requests with one to three things spoilt at random, in their JSON or in their bytes. Whatever comes
// of it is a 200 or a 4xx in words; what is refused changes nothing; the server goes on. FUZZ_REQUESTS says how many,
// FUZZ_SEED repeats a run (it is printed).
import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generator } from '../conformance/generator.ts';
import { bodyCases, endpointCases, levelOf } from './endpoints.ts';
import { type Reply, Target } from './harness.ts';

const REQUEST_COUNT = Number(process.env.FUZZ_REQUESTS ?? 2_000);
const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
const random = generator(SEED);

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

const below = (bound: number): number => Math.floor(random() * bound);
const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)];

/** What a leaf may turn into. */
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
const KEYS = ['order', 'salt', 'maker', 'amount', 'token_id', 'market', 'postOnly', '__proto__', 'toString', '', 'x'];

/** A copy with one place of it spoilt: a value changed, a key dropped, added or doubled. */
function spoiltValue(value: unknown): unknown {
  const isDeep = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isDeep || random() < 0.15) return pick(VALUES);
  if (Array.isArray(value)) {
    const copy = [...value];
    const chance = random();
    const index = below(copy.length);
    if (chance < 0.15) copy.splice(index, 1);
    else if (chance < 0.3) copy.push(copy[index]);
    else copy[index] = spoiltValue(copy[index]);
    return copy;
  }
  const copy: Record<string, unknown> = { ...value };
  const key = pick(Object.keys(copy));
  const chance = random();
  if (chance < 0.15) delete copy[key];
  else if (chance < 0.3) copy[pick(KEYS)] = pick(VALUES);
  else copy[key] = spoiltValue(copy[key]);
  return copy;
}

/** Bytes with one to three of them changed, lost, doubled or added, or an end cut off. */
function spoiltBytes(bytes: Buffer): Buffer {
  let spoilt = Buffer.from(bytes);
  for (let count = 1 + below(3); count > 0 && spoilt.length > 0; count -= 1) {
    const at = below(spoilt.length);
    const chance = random();
    if (chance < 0.3) spoilt[at] = below(256);
    else if (chance < 0.5) spoilt = Buffer.concat([spoilt.subarray(0, at), spoilt.subarray(at + 1)]);
    else if (chance < 0.7)
      spoilt = Buffer.concat([spoilt.subarray(0, at), Buffer.from([below(256)]), spoilt.subarray(at)]);
    else if (chance < 0.85) spoilt = Buffer.concat([spoilt, spoilt.subarray(at)]);
    else spoilt = spoilt.subarray(0, at);
  }
  return spoilt;
}

/** Resolving would end the only market, and deleting the key the test. */
const bodied = bodyCases.filter(({ path }) => !path(target0()).endsWith('/resolve'));
const queried = endpointCases.filter(({ method, path }) => method === 'GET' && path(target0()).length > 12);

/** Stands in where only the form of a path is of interest. */
function target0(): Target {
  return { market: { conditionId: 'c', yes: '1', no: '2' }, orderId: 'o' } as Target; // paths read nothing else
}

interface Shot {
  readonly method: string;
  readonly path: string;
  readonly body?: Buffer;
}

const ESCAPES = [
  '%00',
  '%ff',
  '%',
  '&',
  '=',
  '?',
  '+',
  '%2f',
  '"',
  '<',
  '\\',
  '%F0%9F%92%A5',
  '-',
  '9'.repeat(90),
  '0x',
];

function spoiltPath(path: string): string {
  const at = 1 + below(path.length);
  const cutTo = random() < 0.5 ? at : Math.min(path.length, at + below(8));
  return `${path.slice(0, at)}${random() < 0.8 ? pick(ESCAPES) : ''}${path.slice(cutTo)}`;
}

function shot(): Shot {
  if (random() < 0.2) {
    const endpoint = pick(queried);
    return { method: endpoint.method, path: spoiltPath(endpoint.path(target)) };
  }
  const endpoint = pick(bodied);
  let value = endpoint.body(target);
  const isBytes = random() < 0.3;
  for (let count = 1 + below(3); count > 0 && !isBytes; count -= 1) value = spoiltValue(value);
  const text = Buffer.from(JSON.stringify(value) ?? '');
  return { method: endpoint.method, path: endpoint.path(target), body: isBytes ? spoiltBytes(text) : text };
}

/** Signed as its endpoint wants it, mostly; else with credentials of another kind, or none. */
async function fire({ method, path, body }: Shot): Promise<Reply> {
  const rightful = endpointCases.find((endpoint) => endpoint.method === method && endpoint.path(target) === path);
  const level = random() < 0.9 && rightful !== undefined ? levelOf(rightful) : pick(['none', 'l2', 'admin'] as const);
  const headers = target.credentialsFor(level, method, path, body ?? '');
  return target.call(method, path, { headers, ...(body !== undefined && { body }) });
}

/** A kill is a refusal that is remembered: the one kind that changes what is hashed. */
const isKill = (error: string): boolean => /FOK orders are|FAK orders are/.test(error);

test(`${REQUEST_COUNT} spoilt requests are answered in words, and refusals change nothing`, {
  timeout: 300_000,
}, async () => {
  console.info(`FUZZ_SEED=${SEED}`);
  const statuses = new Map<number, number>();
  for (let count = 0; count < REQUEST_COUNT; count += 1) {
    const one = shot();
    const told = `FUZZ_SEED=${SEED}, request ${count}: ${one.method} ${one.path} ${one.body?.toString('latin1').slice(0, 600)}`;
    const before = target.stateHash();
    const reply = await fire(one);
    statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1);
    expect([200, 400, 401, 404, 405, 413], told).toContain(reply.status);
    if (reply.status === 200) continue;
    expect(reply.json?.error, told).toMatch(/[a-z]/i);
    if (!isKill(reply.json.error)) expect(target.stateHash(), told).toEqual(before);
  }
  console.info(`answers: ${JSON.stringify(Object.fromEntries(statuses))}`);
  expect((await target.call('GET', '/ok')).json).toBe('OK');
  const book = await target.call('GET', `/book?token_id=${target.market.yes}`);
  expect(book.status).toBe(200);
});
