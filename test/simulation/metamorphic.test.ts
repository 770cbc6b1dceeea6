// Relations between two runs that must hold regardless of the detailed rules: the tokens' names swapped, an order split in
// two, the log replayed elsewhere. The commands come from the model's generator and from random books; only the core runs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { type Command, type EngineEvent, OrderType, RULES_VERSION } from '../../engine/protocol/index.ts';
import { Generator } from '../model/generator.ts';
import { keyOf, marketIds, orderIdOf, TIME_ZERO_MS, walletOf } from '../model/names.ts';
import { Random } from '../model/random.ts';
import { ReferenceExchange } from '../model/reference.ts';
import { DecodingCore } from '../support/decodingCore.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { runSeed } from './run.ts';

const seeds = environmentNumber('METAMORPHIC_SEEDS', 10);
const commandsASeed = 500;
/** From this many seeds on, a relation that was never put to the test is a fault and no chance. */
const ENOUGH_TO_JUDGE = 10;
/** What the two tokens have different parts in. */
const OF_TOKENS = ['Trade', 'SharesCredited', 'PositionSplit', 'PositionMerged', 'MarketResolved', 'PositionRedeemed'];

const swapped = (outcome: number): number => (outcome < 2 ? 1 - outcome : outcome);

/** The same command about the other token. */
function mirroredCommand(command: Command): Command {
  if (command.type === 'ResolveMarket') return { ...command, resolution: swapped(command.resolution) };
  return 'outcome' in command ? { ...command, outcome: swapped(command.outcome) } : command;
}

/** The same event about the other token. */
function mirroredEvent(event: EngineEvent): EngineEvent {
  switch (event.type) {
    case 'MarketResolved':
      return { ...event, resolution: swapped(event.resolution) };
    case 'PositionSplit':
    case 'PositionMerged':
      return { ...event, firstSharesMicro: event.secondSharesMicro, secondSharesMicro: event.firstSharesMicro };
    case 'PositionRedeemed':
      return { ...event, firstBurnedMicro: event.secondBurnedMicro, secondBurnedMicro: event.firstBurnedMicro };
    default:
      return 'outcome' in event ? { ...event, outcome: swapped(event.outcome) } : event;
  }
}

test('swapping the tokens of every command mirrors all events and books to the micro', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    const generator = new Generator(seed);
    const reference = new ReferenceExchange();
    const [core, mirror] = [new DecodingCore(), new DecodingCore()];
    let markets = 0;
    for (let count = 0; count < commandsASeed; count += 1) {
      const { tMs, command } = generator.next(reference.state);
      reference.apply(tMs, command);
      const events = core.apply(tMs, command);
      for (const { type } of events) seen.add(type);
      const reflected = mirror.apply(tMs, mirroredCommand(command)).map(mirroredEvent);
      // Compared first without the test framework's matcher, which costs more than the exchange.
      if (!isDeepStrictEqual(reflected, events)) expect(reflected, `seed ${seed}, command ${count}`).toEqual(events);
      markets = reference.state.markets.length;
    }
    for (let market = 0; market < markets; market += 1) {
      const { bids, asks } = core.exchange.bookLevels(market);
      const seen = mirror.exchange.bookLevels(market);
      const turned = (levels: typeof bids) => levels.map(({ pips, lots }) => ({ pips: 10_000 - pips, lots }));
      expect({ bids: turned(seen.asks), asks: turned(seen.bids) }, `seed ${seed}, market ${market}`).toEqual({
        bids,
        asks,
      });
    }
  }
  if (seeds >= ENOUGH_TO_JUDGE) expect([...seen]).toEqual(expect.arrayContaining(OF_TOKENS));
});

/** A market without fees, eight rich owners with shares of both tokens, and a random book. */
function openMarket(core: DecodingCore, random: Random): void {
  const delays = { minedDelayMs: 0, confirmedDelayMs: 0, creditMicro: 0 };
  core.apply(TIME_ZERO_MS, {
    type: 'Started',
    rulesVersion: RULES_VERSION,
    orderWindowMs: 3_600_000,
    heartbeatWindowMs: 10_000,
    ...delays,
  });
  const terms = { status: 1, negRisk: 0, autoTick: 0, feeExponent: 1, tickPips: 100, feeRate: 0, minOrderLots: 1 };
  const bounds = { delaySeconds: 0, minMarketableBuyMicro: 0 };
  core.apply(TIME_ZERO_MS, { type: 'CreateMarket', eventNumber: 0, ...marketIds(0), ...terms, ...bounds });
  for (let owner = 0; owner < 8; owner += 1) {
    const by = { wallet: walletOf(owner, 0), owner: walletOf(owner, 0) };
    core.apply(TIME_ZERO_MS, { type: 'Deposit', ...by, amountMicro: 10 ** 13, isFaucet: 0 });
    core.apply(TIME_ZERO_MS, {
      type: 'Split',
      ...by,
      keyId: keyOf(owner, 0),
      marketIndex: 0,
      amountMicro: 10 ** 12,
      flags: 0,
    });
  }
  for (let label = 1; label <= 60; label += 1) core.apply(TIME_ZERO_MS, randomOrder(random, label));
}

function randomOrder(
  random: Random,
  label: number,
  lots = random.int(1, 300),
): Command & { readonly type: 'PlaceOrder' } {
  const owner = random.int(0, 7);
  const [outcome, side] = [random.int(0, 1), random.int(0, 1)];
  const isUp = (side === 0) === (outcome === 0);
  const ladder = 5_000 + 100 * (random.int(-4, 8) * (isUp ? -1 : 1));
  const pips = outcome === 0 ? ladder : 10_000 - ladder;
  const by = { keyId: keyOf(owner, 0), maker: walletOf(owner, 0), owner: walletOf(owner, 0) };
  const order = { marketIndex: 0, outcome, side, orderType: OrderType.GTC, flags: 0 };
  const times = { timestampMs: TIME_ZERO_MS, expirationS: 0 };
  return { type: 'PlaceOrder', orderId: orderIdOf(label), ...by, ...order, ...amountsOf(side, lots, pips), ...times };
}

function amountsOf(side: number, lots: number, pips: number) {
  const [money, shares] = [lots * pips, lots * 10_000];
  return side === 0
    ? { makerAmountMicro: money, takerAmountMicro: shares }
    : { makerAmountMicro: shares, takerAmountMicro: money };
}

/** Books and balances, by wallet. */
function stateOf({ exchange }: DecodingCore): unknown {
  const holders = Array.from({ length: 8 }, (_, owner) => {
    const account = exchange.accountIdOf(walletOf(owner, 0));
    return [
      exchange.collateralMicro(account),
      exchange.sharesMicro(account, 0, 0),
      exchange.sharesMicro(account, 0, 1),
    ];
  });
  return { book: exchange.bookLevels(0), holders };
}

test('an order split in two at the same price and time has the same effect as the whole order', () => {
  let bothCount = 0;
  for (let seed = 1; seed <= seeds * 10; seed += 1) {
    const [whole, parts] = [new DecodingCore(), new DecodingCore()];
    openMarket(whole, new Random(seed));
    openMarket(parts, new Random(seed));
    const random = new Random(seed + 1_000_000);
    const lots = random.int(2, 1_500);
    const order = randomOrder(random, 1_000, lots);
    const pips = (order.side === 0 ? order.makerAmountMicro : order.takerAmountMicro) / lots;
    const first = random.int(1, lots - 1);
    const types = whole.apply(TIME_ZERO_MS, order).map(({ type }) => type);
    if (types.includes('Trade') && types.includes('OrderRested')) bothCount += 1;
    parts.apply(TIME_ZERO_MS, { ...order, ...amountsOf(order.side, first, pips) });
    parts.apply(TIME_ZERO_MS, { ...order, orderId: orderIdOf(1_001), ...amountsOf(order.side, lots - first, pips) });
    expect(stateOf(parts), `seed ${seed}: ${first} of ${lots} lots first`).toEqual(stateOf(whole));
  }
  // Fourteen orders of a hundred trade in part and rest with what is left.
  if (seeds >= ENOUGH_TO_JUDGE) expect(bothCount).toBeGreaterThanOrEqual(seeds);
});

test('a log replayed in another process ends in the same state', async () => {
  const { simulation, failure } = await runSeed(75, 1_500, false);
  expect(failure).toBeUndefined();
  const folder = mkdtempSync(join(tmpdir(), 'outcry-replay-'));
  try {
    const file = join(folder, 'log');
    writeFileSync(file, serialize(simulation.disk.batches));
    const script = fileURLToPath(new URL('./replayChild.ts', import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(simulation.stateHash());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
