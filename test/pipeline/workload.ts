// A seeded stream of commands of every kind for the pipeline tests: a few owners and markets, orders that rest, match,
// expire and are delayed, cancels, heartbeats, money in and out, keys created and deleted. Used by tests and by the child
// process that is killed while it writes.
import type { EngineSettings, Follower, RunningExchange, Sections, VirtualClock } from '../../engine/index.ts';
import { type Command, encodeCommand } from '../../engine/protocol/index.ts';
import { Xorshift128 } from '../../server/dev/xorshift.ts';
import { digest, tailOf } from '../support/commandParts.ts';

export const START_MS = 1_750_000_000_000;

export const settings: EngineSettings = {
  orderWindowMs: 86_400_000,
  heartbeatWindowMs: 10_000,
  minedDelayMs: 50,
  confirmedDelayMs: 100,
  creditMicro: 1_000_000,
};

export const ownerOf = (index: number): string => digest(`owner ${index}`, 20);
export const keyOf = (index: number): string => digest(`key ${index}`, 16);

const OWNER_COUNT = 6;
const MARKET_COUNT = 3;

/** Commands that create the markets and owners of the others. */
export function foundingCommands(): Uint8Array[] {
  const commands: Command[] = [
    { type: 'CreateEvent', negRisk: 0, tail: tailOf({ slug: 'weather', title: 'Weather' }) },
  ];
  for (let market = 0; market < MARKET_COUNT; market += 1) {
    commands.push({
      ...{ type: 'CreateMarket', eventNumber: market === 0 ? 0 : 1, status: 1, negRisk: 0, autoTick: market & 1 },
      ...{ conditionId: digest(`market ${market}`, 32), firstToken: digest(`yes ${market}`, 32) },
      ...{ secondToken: digest(`no ${market}`, 32), feeExponent: 1, tickPips: 100, feeRate: market * 100 },
      ...{ minOrderLots: 1, delaySeconds: market === 2 ? 1 : 0, minMarketableBuyMicro: 0 },
      tail: tailOf({ slug: `market-${market}`, question: `Question ${market}` }),
    });
  }
  for (let index = 0; index < OWNER_COUNT; index += 1) {
    const owner = ownerOf(index);
    commands.push({
      type: 'CreateApiKey',
      owner,
      keyId: keyOf(index),
      nonce: 0,
      generation: 0,
      kind: 0,
      items: [owner],
    });
    commands.push({ type: 'Deposit', wallet: owner, owner, amountMicro: 5_000_000_000, isFaucet: 0 });
  }
  return commands.map(encodeCommand);
}

/** Submits the founding commands together. */
export async function submitFounding(exchange: RunningExchange): Promise<void> {
  await Promise.all(foundingCommands().map((command) => exchange.submit(command)));
}

/** Submits this many rounds of commands of a seed, each round together, and advances the clock after each. */
export async function submitRounds(
  exchange: RunningExchange,
  clock: VirtualClock,
  seed: number,
  { rounds, commandsEach, stepMs = 37 }: { rounds: number; commandsEach: number; stepMs?: number },
): Promise<void> {
  const commands = commandsOf(seed, () => clock.now());
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(Array.from({ length: commandsEach }, () => exchange.submit(commands.next().value)));
    clock.advance(stepMs);
  }
}

/** A generator of whole numbers below a bound. */
export function randomOf(seed: number): (below: number) => number {
  const source = new Xorshift128(seed | 1, 362_436_069, 521_288_629, 88_675_123);
  return (below) => source.word() % below;
}

/** Endless commands; `nowMs` gives the timestamp of signed orders. */
export function* commandsOf(seed: number, nowMs: () => number): Generator<Uint8Array> {
  const random = randomOf(seed);
  const placed: string[] = [];
  for (let number = 0; ; number += 1) {
    const kind = random(100);
    if (kind < 70) {
      const orderId = digest(`order ${seed}/${number}`, 32);
      placed.push(orderId);
      yield encodeCommand(orderOf(random, orderId, nowMs()));
    } else {
      yield encodeCommand(rareOf(random, kind, number, placed));
    }
  }
}

function orderOf(random: (below: number) => number, orderId: string, nowMs: number): Command {
  const trader = random(OWNER_COUNT);
  const owner = ownerOf(trader);
  const side = random(2);
  const [lots, pips] = [1 + random(400), 100 * (40 + random(20))];
  const [shares, money] = [lots * 10_000, lots * pips];
  const orderType = [0, 0, 0, 1, 2, 3][random(6)];
  return {
    ...{ type: 'PlaceOrder', orderId, keyId: keyOf(trader), maker: owner, owner, marketIndex: random(MARKET_COUNT) },
    ...{ outcome: random(2), side, orderType, flags: orderType === 0 && random(8) === 0 ? 1 : 0 },
    ...{ makerAmountMicro: side === 0 ? money : shares, takerAmountMicro: side === 0 ? shares : money },
    ...{ timestampMs: nowMs, expirationS: orderType === 1 ? Math.ceil(nowMs / 1000) + 61 + random(5) : 0 },
    tail: tailOf({ salt: String(random(1_000_000)), signature: '0x'.padEnd(132, 'ab') }),
  };
}

function rareOf(random: (below: number) => number, kind: number, number: number, placed: readonly string[]): Command {
  const trader = random(OWNER_COUNT);
  const owner = ownerOf(trader);
  const who = { owner, keyId: keyOf(trader) };
  const marketIndex = random(MARKET_COUNT);
  const amountMicro = 1 + random(50_000_000);
  if (kind < 80) {
    const items = Array.from({ length: 1 + random(3) }, () => placed[random(placed.length)] ?? digest('none', 32));
    return { type: 'CancelOrders', ...who, items };
  }
  if (kind < 82) return { type: 'CancelMarket', ...who, marketIndex, outcome: random(3) };
  if (kind < 83) return { type: 'CancelAll', ...who };
  if (kind < 86) return { type: 'Heartbeat', ...who, given: digest('', 16), next: digest(`${number}`, 16), refresh: 1 };
  if (kind < 90) return { type: 'Split', wallet: owner, ...who, marketIndex, amountMicro, flags: 0 };
  if (kind < 92) return { type: 'Merge', wallet: owner, ...who, marketIndex, amountMicro, flags: 0 };
  if (kind < 94) return { type: 'FaucetShares', wallet: owner, owner, marketIndex, outcome: random(2), amountMicro };
  if (kind < 96) return { type: 'Withdraw', wallet: owner, owner, amountMicro };
  if (kind < 97) return { type: 'BindWallet', owner, wallet: digest(`wallet ${random(4)}`, 20), signatureType: 1 };
  const keyId = digest(`extra ${random(40)}`, 16);
  if (kind < 98) return { type: 'DeleteApiKey', owner, keyId };
  return { type: 'CreateApiKey', owner, keyId, nonce: 1 + random(20), generation: 0, kind: random(3), items: [] };
}

/** Counts the records that it is shown, and all records ever; the latter count is its part of snapshots. */
export function counter(version = 1) {
  const count = { seen: 0, all: 0 };
  const visit = (sections: Sections): void => {
    count.all = sections.number('all', count.all);
  };
  const apply = (): void => {
    count.seen += 1;
    count.all += 1;
  };
  const follower: Follower = { name: 'counter', apply, snapshot: { version, visit } };
  return { count, follower };
}
