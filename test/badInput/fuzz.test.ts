// The fuzz: valid requests of every endpoint, randomly spoilt in their JSON, bytes, path or headers, over real sockets with
// many in flight. The result is always a 200 or a 4xx in words; refusals change nothing; no request hangs; memory stays
// bounded. FUZZ_REQUESTS says how many, FUZZ_SEED repeats a run (it is printed).
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectGarbage } from '../../bench/lib/collectGarbage.ts';
import { generator } from '../conformance/generator.ts';
import { ADMIN, l1Headers, l2Headers } from '../support/client.ts';
import { startTestServer } from '../support/server.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { type Answer, Connections, type Request } from './connections.ts';
import type { EndpointCase } from './endpointCase.ts';
import { endpointCases, levelOf } from './endpoints.ts';
import { isPlain, Target } from './harness.ts';
import { Spoiler } from './spoil.ts';

const REQUEST_COUNT = environmentNumber('FUZZ_REQUESTS', 40_000);
const SEED = environmentNumber('FUZZ_SEED', randomInt(2 ** 31), 0);
const CONNECTION_COUNT = 32;
/** Requests after which refusals must have left the state unchanged. */
const BATCH_COUNT = 250;
/** Orders signed before anything is sent; each is spoilt again and again. */
const ORDERS_MADE_COUNT = 200;
/** Most growth of live memory (objects and buffers after a collection) over the last two thirds, in which nothing is kept. */
const LIVE_GROWTH_MIB_MAX = 16;
/**
 * The same for the whole process, to find leaks outside of the heap: wider, since the heap keeps pages that it no longer needs.
 */
const RESIDENT_GROWTH_MIB_MAX = 128;
/** More than a heartbeat lasts. */
const HEARTBEAT_MS = 12_000;
const STATUSES = [200, 400, 401, 404, 405, 413, 415, 422];

const spoiler = new Spoiler(generator(SEED));

const dataDir = mkdtempSync(join(tmpdir(), 'outcry-fuzz-'));
let target: Target;
let connections: Connections;
/** Replaces the target in paths and bodies: another market and owner where the operator's requests would end both. */
let spare: Target;
let orders: readonly unknown[];
beforeAll(async () => {
  target = await Target.start(dataDir);
  const market = await target.createMarket('spare');
  const [, , , , , wallet] = target.server.wallets;
  spare = Object.assign(Object.create(target), { market, wallet });
  orders = Array.from({ length: ORDERS_MADE_COUNT }, () => target.orderBody());
  connections = new Connections(target.server.port, CONNECTION_COUNT);
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

interface Shot extends Request {
  readonly row: EndpointCase;
}

const isOperators = (path: string): boolean => path.startsWith('/admin/');
/** Whether a request without a body changes something whenever it is validly signed. */
const endsAll = ({ method, path, body }: EndpointCase): boolean =>
  method !== 'GET' && method !== 'PUT' && body === undefined && !path(target).startsWith('/notifications');

function freshBody(row: EndpointCase, path: string, isFatal: boolean): unknown {
  const isMade = isFatal || spoiler.random() < 0.7;
  if (path === '/order' && isMade) return spoiler.pick(orders);
  if (path === '/orders' && isMade) return [spoiler.pick(orders), spoiler.pick(orders)];
  return row.body?.(isOperators(path) ? spare : target);
}

/** The body with up to three places spoilt, in its values or in its bytes. */
function spoiltBody(row: EndpointCase, path: string, isFatal: boolean): Buffer | undefined {
  if (row.body === undefined) return undefined;
  let value = freshBody(row, path, isFatal);
  const { required = Array.isArray(value) ? ['order'] : Object.keys(row.fields ?? {}) } = row;
  const isBytes = spoiler.random() < 0.25;
  for (let count = spoiler.below(4); count > 0 && !isBytes; count -= 1) value = spoiler.value(value);
  if (isFatal) value = spoiler.fatally(value, required);
  const text = Buffer.from(JSON.stringify(value) ?? '');
  return isBytes ? spoiler.bytes(text) : text;
}

function credentials(level: string, method: string, path: string, body: Buffer | undefined): Record<string, string> {
  if (level === 'admin') return { ...ADMIN };
  if (level !== 'l2') return {};
  return { ...l2Headers(target.wallet.address, target.credentials, method, path.split('?')[0], body) };
}

/** A spoilt request; with `isFatal` it cannot be accepted in any form that changes the exchange. */
function shot(isFatal: boolean): Shot {
  const row = spoiler.pick(endpointCases);
  const { method } = row;
  const rightPath = row.path(target);
  const isRead = method === 'GET' || method === 'PUT';
  const isUnsigned = row.level === 'l1' || endsAll(row);
  const ownPath = isOperators(rightPath) ? row.path(spare) : rightPath;
  const names = Object.keys(row.query ?? {});
  const isPathSpoilt = spoiler.random() < (isRead ? 0.8 : 0.1);
  let path = isPathSpoilt ? spoiler.path(ownPath, names) : ownPath;
  if (isFatal && !isRead && row.query !== undefined) path = `${path.split('?')[0]}?${names[0]}=-1`;
  const body = spoiltBody(row, rightPath, isFatal);
  const level = isUnsigned || spoiler.random() < 0.05 ? spoiler.pick(['none', 'l2', 'admin']) : levelOf(row);
  let headers = isUnsigned && row.level === 'l1' ? { ...l1() } : credentials(level, method, path, body);
  if (isUnsigned || spoiler.random() < 0.1) headers = spoiler.headers(headers);
  // Whatever else was spoilt, these requests would otherwise be accepted.
  if (isUnsigned) headers.POLY_PASSPHRASE = 'none';
  if (row.level === 'l1') headers.POLY_ADDRESS = target.server.wallets[7].address;
  if (body !== undefined) headers['Content-Type'] = spoiler.random() < 0.98 ? 'application/json' : 'text/plain';
  return { row, method, path, headers, body };
}

let l1Made: Readonly<Record<string, string>> | undefined;
const l1 = (): Readonly<Record<string, string>> => {
  l1Made ??= l1Headers(target.wallet);
  return l1Made;
};

/** A kill is a refusal that is remembered: the only kind that changes what is hashed. */
const isKill = (body: string): boolean => /FOK orders are|FAK orders are/.test(body);
/** A reply of 200 that had no effect: no order of a batch was placed, none was cancelled. */
const isIdle = (body: string): boolean => body.startsWith('{"canceled":[],') || /^\[.*"orderID":""/.test(body);
/** Whether a request may have changed something: only accepted requests that are no reads. */
function isTaken({ row }: Shot, { status, body }: Answer): boolean {
  const path = row.path(target);
  const isRead = row.method === 'GET' || row.method === 'PUT' || path === '/orders-scoring';
  if (isRead || (row.level === 'none' && path !== '/dev/faucet')) return false;
  return isKill(body) || (status === 200 && (!isIdle(body) || body.includes('"orderID":"0x')));
}

const statuses = new Map<number, number>();
let sentCount = 0;

/** Sends a batch; returns how many of its requests were accepted. */
async function batch(isFatal: boolean): Promise<number> {
  let takenCount = 0;
  await connections.run(
    BATCH_COUNT,
    () => shot(isFatal),
    (answer, made) => {
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const describe = () =>
        `FUZZ_SEED=${SEED}: ${made.method} ${made.path} ${JSON.stringify(made.headers)} ` +
        `${made.body?.toString('latin1').slice(0, 800) ?? ''}\nanswered ${answer.status} ${answer.body.slice(0, 500)}`;
      if (!STATUSES.includes(answer.status)) throw new Error(describe());
      const isPage = isPlain(answer.status, made.path);
      const json: unknown = isPage ? undefined : JSON.parse(answer.body);
      if (answer.status !== 200) {
        const error = typeof json === 'object' && json !== null && 'error' in json ? json.error : undefined;
        if (typeof error !== 'string' || !/[a-z]/i.test(error)) throw new Error(describe());
        if (answer.body.length > 5_000) throw new Error(describe());
      }
      if (isTaken(made, answer)) takenCount += 1;
    },
  );
  sentCount += BATCH_COUNT;
  return takenCount;
}

/**
 * Memory samples, and the time (ms) between them: data on its way
 * through sockets counts in some samples, but is kept by nobody.
 */
const MEMORY_LOOKS = 5;
const MEMORY_LOOK_MS = 50;

/** The minimum of several samples, each after a garbage collection. */
async function memoryMib(): Promise<{ readonly live: number; readonly resident: number }> {
  let [live, resident] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let look = 0; look < MEMORY_LOOKS; look += 1) {
    collectGarbage();
    const { heapUsed, external, rss } = process.memoryUsage();
    live = Math.min(live, (heapUsed + external) / 2 ** 20);
    resident = Math.min(resident, rss / 2 ** 20);
    await sleep(MEMORY_LOOK_MS);
  }
  return { live, resident };
}

/**
 * Sends a batch and compares the hashes before and after it, unless one of its requests was accepted or something fell due
 * meanwhile: expiry, heartbeats and the like change the state on their own.
 */
async function comparedBatch(isFatal: boolean): Promise<{ readonly takenCount: number; readonly isCompared: boolean }> {
  const { exchange } = target.server;
  const before = target.stateHash();
  const dueMs = exchange.nextDueMs();
  const takenCount = await batch(isFatal);
  const isCompared = takenCount === 0 && dueMs > exchange.now();
  if (isCompared) expect(target.stateHash(), `FUZZ_SEED=${SEED}, after ${sentCount} requests`).toEqual(before);
  return { takenCount, isCompared };
}

test(`${REQUEST_COUNT} fuzzed requests are all answered, rejections change nothing, memory stays bounded`, {
  timeout: 600_000,
}, async () => {
  console.info(`FUZZ_SEED=${SEED}`);
  let takenCount = 0;
  // A third is spoilt lightly, so that some of it is accepted: the exchange fills with orders, markets and accounts.
  while (sentCount < REQUEST_COUNT / 3) takenCount += (await comparedBatch(false)).takenCount;
  target.server.exchange.checkInvariants();
  const warm = await memoryMib();
  let comparedCount = 0;
  let takingCount = 0;
  let batchCount = 0;
  while (sentCount < REQUEST_COUNT) {
    const { takenCount: taken, isCompared } = await comparedBatch(true);
    batchCount += 1;
    if (isCompared) comparedCount += 1;
    if (taken > 0) takingCount += 1;
  }
  const { live, resident } = await memoryMib();
  const grown = { live: live - warm.live, resident: resident - warm.resident };
  console.info(
    `answers: ${JSON.stringify(Object.fromEntries(statuses))}; ${takenCount} taken in the first third; hashes compared ` +
      `after ${comparedCount} of ${batchCount} batches; live memory ${warm.live.toFixed(1)} MiB, then ` +
      `${grown.live.toFixed(1)} more; resident ${warm.resident.toFixed(0)} MiB, then ${grown.resident.toFixed(1)} more`,
  );
  expect(takenCount).toBeGreaterThan(0);
  // How often something falls due in a batch depends on its duration; how often something is accepted does not.
  expect(takingCount).toBeLessThan(batchCount * 0.2);
  expect(comparedCount).toBeGreaterThan(0);
  expect(grown.live).toBeLessThan(LIVE_GROWTH_MIB_MAX);
  expect(grown.resident).toBeLessThan(RESIDENT_GROWTH_MIB_MAX);
  target.server.exchange.checkInvariants();
  expect((await target.call('GET', '/ok')).json).toBe('OK');
  expect((await target.call('GET', `/book?token_id=${target.market.yes}`)).status).toBe(200);
  expect((await target.send('GET', '/data/orders', 'l2')).status).toBe(200);

  // Everything that was accepted, the oddest texts included, is read back unchanged from the log.
  connections.close();
  const { exchange } = target.server;
  // A start postpones heartbeats, which shows in the hash: those that were accepted lapse first.
  while (exchange.nextDueMs() < exchange.now() + HEARTBEAT_MS) await sleep(100);
  const last = target.stateHash();
  await target.close();
  const again = await startTestServer({ config: { dataDir } });
  expect(again.exchange.stateHash(), `FUZZ_SEED=${SEED}`).toEqual(last);
  await again.close();
});
