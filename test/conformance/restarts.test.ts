// Restarts in the middle of trading, by SIGTERM and by SIGKILL: clients see the same before and after, to the last byte; a
// request in flight has happened wholly or not at all, and never twice. The server is a process of its own on one folder
// and one port; clients keep their keys and go on. The seed is printed: RESTART_SEED repeats a run.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiError } from '@polymarket/clob-client-v2';
import { expect, test } from 'vitest';
import { freePort } from '../support/ports.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { generator } from './generator.ts';
import { expectConsistent, flowOf, type Snapshot, snapshotOf } from './snapshot.ts';
import {
  type Outcome,
  operate,
  outcomeOf,
  post,
  prepareRun,
  type Run,
  type SignedIntent,
  signRandomOrder,
} from './tradingRun.ts';

const OPERATION_COUNT = 330;
const STOP_COUNT = 12;
const KILL_DELAY_MS_MAX = 16;

/** The numbers of operations after which the server is stopped: random, ascending. */
function stopPlaces(random: () => number): readonly number[] {
  const places = new Set<number>();
  while (places.size < STOP_COUNT) places.add(5 + Math.floor(random() * (OPERATION_COUNT - 10)));
  return [...places].sort((left, right) => left - right);
}

/** Equally many of each signal, in random order. */
function stopSignals(random: () => number): readonly NodeJS.Signals[] {
  const keyed = Array.from({ length: STOP_COUNT }, (_, index) => ({ at: random(), isKill: index % 2 === 1 }));
  return keyed.sort((left, right) => left.at - right.at).map(({ isKill }) => (isKill ? 'SIGKILL' : 'SIGTERM'));
}

interface InFlight {
  readonly intent: SignedIntent;
  readonly outcome: Outcome;
}

/** Expects these orders to explain every difference between two snapshots. */
function expectExplained(before: Snapshot, after: Snapshot, run: Run, happened: readonly SignedIntent[]): void {
  const ids = new Set(happened.map(({ id }) => id));
  const touched = new Set(happened.map(({ market }) => market.conditionId));
  for (const [index, trader] of run.traders.entries()) {
    const [old, seen] = [before.traders[index], after.traders[index]];
    expect(seen.keys).toEqual(old.keys);
    const added = seen.trades.slice(0, seen.trades.length - old.trades.length);
    expect(seen.trades.slice(added.length)).toEqual(old.trades);
    for (const trade of added) expect(ids).toContain(trade.taker_order_id);
    const { collateral } = flowOf(added, trader, run.markets);
    expect(BigInt(seen.collateral) - BigInt(old.collateral)).toBe(collateral);
    const elsewhere = (orders: Snapshot['traders'][number]['open']) =>
      orders.filter(({ market }) => !touched.has(market));
    // A fill may leave orders in other markets uncovered: some of them may be gone, but none is new or changed.
    if (added.length === 0) expect(elsewhere(seen.open)).toEqual(elsewhere(old.open));
    const known = new Set(old.open.map(({ id }) => id));
    for (const { id } of seen.open) expect(known.has(id) || ids.has(id)).toBe(true);
  }
  for (const [index, market] of run.markets.entries()) {
    if (!touched.has(market.conditionId)) expect(after.markets[index].record).toEqual(before.markets[index].record);
  }
  expect(after.list.length).toBe(before.list.length);
}

/** Whether the server knows the order. */
async function isKnown(run: Run, { traderIndex, id }: SignedIntent): Promise<boolean> {
  return run.traders[traderIndex].client.getOrder(id).then(
    () => true,
    (error: ApiError) => {
      expect(error.status).toBe(404);
      return false;
    },
  );
}

/** Sends orders without waiting, ends the process meanwhile, and returns the outcomes that the clients saw. */
async function stopDuring(server: ServerProcess, signal: NodeJS.Signals, run: Run, count: number): Promise<InFlight[]> {
  const intents: SignedIntent[] = [];
  for (let index = 0; index < count; index += 1) intents.push(await signRandomOrder(run, index % run.traders.length));
  const delayMs = run.random() * KILL_DELAY_MS_MAX;
  const sent = intents.map(async (intent) => ({ intent, outcome: await post(run, intent) }));
  if (count > 0) await sleep(delayMs);
  const end = await server.kill(signal);
  expect([end.status, end.signal], server.output).toEqual(signal === 'SIGTERM' ? [0, null] : [null, signal]);
  return Promise.all(sent);
}

/**
 * Expects each order in flight to have happened if the client was told so, not to have happened if the client was told
 * that, and never to happen twice.
 */
async function settleInFlight(run: Run, inFlight: readonly InFlight[]): Promise<readonly SignedIntent[]> {
  const happened: SignedIntent[] = [];
  for (const { intent, outcome } of inFlight) {
    const known = await isKnown(run, intent);
    if (outcome === 'accepted' || outcome === 'killed') expect(known, `${intent.id} was answered`).toBe(true);
    if (outcome === 'refused') expect(known, `${intent.id} was refused`).toBe(false);
    if (known) happened.push(intent);
    if (known && outcome === 'lost') run.orderIds[intent.traderIndex].push(intent.id);
  }
  return happened;
}

async function expectNotTwice(
  run: Run,
  inFlight: readonly InFlight[],
  happened: readonly SignedIntent[],
): Promise<void> {
  for (const { intent } of inFlight) {
    const { traderIndex, order, orderType, postOnly, id } = intent;
    const again = await run.traders[traderIndex].client.postOrder(order, orderType, postOnly).then(
      () => 'accepted',
      (error: ApiError) => {
        if (outcomeOf(error) === 'killed') run.orderIds[traderIndex].push(id);
        return error.message;
      },
    );
    if (again === 'accepted') run.orderIds[traderIndex].push(id);
    if (happened.includes(intent)) expect(again).toContain('Duplicated');
    else expect(again).not.toContain('Duplicated');
  }
}

test('state survives SIGTERM and SIGKILL at random moments, and no order in flight happens twice', {
  timeout: 1_200_000,
}, async () => {
  const seed = environmentNumber('RESTART_SEED', randomInt(2 ** 31), 0);
  console.info(`RESTART_SEED=${seed}`);
  const random = generator(seed);
  const dataDir = mkdtempSync(join(tmpdir(), 'outcry-restarts-'));
  const args = ['--port', String(await freePort())];
  let server = await startServerProcess({ dataDir, args });
  const { url } = server;
  try {
    const run = await prepareRun(url, random);
    const places = stopPlaces(random);
    const signals = stopSignals(random);
    const seen = { stops: 0, inFlight: 0, happened: 0, lost: 0, happenedUnanswered: 0 };
    let operationCount = 0;
    for (const place of [...places, OPERATION_COUNT]) {
      while (operationCount < place) {
        // Several clients at once.
        const count = Math.min(run.traders.length, place - operationCount);
        await Promise.all(Array.from({ length: count }, (_, index) => operate(run, index)));
        operationCount += count;
      }
      const before = await snapshotOf(run);
      expectConsistent(before, run);
      if (place === OPERATION_COUNT) break;
      const signal = signals[seen.stops];
      seen.stops += 1;
      const inFlight = await stopDuring(server, signal, run, random() < 0.35 ? 0 : 1 + Math.floor(random() * 8));
      server = await startServerProcess({ dataDir, args });
      expect(server.url).toBe(url);
      const happened = await settleInFlight(run, inFlight);
      seen.inFlight += inFlight.length;
      seen.happened += happened.length;
      const lost = inFlight.filter(({ outcome }) => outcome === 'lost');
      seen.lost += lost.length;
      seen.happenedUnanswered += lost.filter(({ intent }) => happened.includes(intent)).length;
      const after = await snapshotOf(run);
      expectConsistent(after, run);
      if (happened.length === 0) expect(after).toEqual(before);
      else expectExplained(before, after, run, happened);
      await expectNotTwice(run, inFlight, happened);
    }
    console.info(`${operationCount} operations, ${JSON.stringify(seen)}`);
    expect(seen.stops).toBe(STOP_COUNT);
    expect((await run.traders[0].client.getTrades()).length).toBeGreaterThan(20);
  } finally {
    await server.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
});
