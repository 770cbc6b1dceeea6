// The order of the checks on an order: whichever two faults it has, the answer is the one that comes first in the list of
// rejections. Each fault is one change of an order that would rest; two faults that change the same field are no pair. Also
// what the list says of retries: after which answers an order's id may be used again.
import { expect, test } from 'vitest';
import {
  AccountFlag,
  type Command,
  type EngineEvent,
  MarketStatus,
  OrderFlag,
  OrderType,
  type RejectionName,
  RULES_VERSION,
  rejectionName,
  rejections,
  Side,
} from '../../engine/protocol/index.ts';
import { keyOf, marketIds, orderIdOf, TIME_ZERO_MS, walletOf } from '../model/names.ts';
import { DecodingCore } from '../support/decodingCore.ts';

/** Who places the order: an owner with money, or one whose account does not allow it. */
const [RICH, POOR, BANNED, CLOSED, SELLER] = [0, 1, 2, 3, 4];
const [OPEN_MARKET, PAUSED_MARKET, NO_MARKET] = [0, 1, 2];
const USED_ID = 1;

const valid = {
  owner: RICH,
  label: 1_000,
  marketIndex: OPEN_MARKET,
  flags: 0,
  orderType: OrderType.GTC as OrderType,
  lots: 100,
  pips: 4_000,
  moneyMore: 0,
  timestampMs: TIME_ZERO_MS,
  expirationS: 0,
};
type Plan = typeof valid;

/** The fields that each rejection's fault changes. The book's best ask is at 60 cents. */
const faults: Partial<Record<RejectionName, Partial<Plan>>> = {
  MARKET_UNKNOWN: { marketIndex: NO_MARKET },
  EXPIRATION_INVALID: { expirationS: 5 },
  TIMESTAMP_OUT_OF_RANGE: { timestampMs: 1 },
  AMOUNT_ACCURACY: { moneyMore: 1 },
  PRICE_OFF_TICK: { pips: 4_050 },
  SIZE_TOO_LARGE: { lots: 1_000_000_001 },
  SIZE_BELOW_MINIMUM: { lots: 4 },
  MARKET_NOT_OPEN: { marketIndex: PAUSED_MARKET },
  BANNED: { owner: BANNED },
  CLOSED_ONLY: { owner: CLOSED },
  DUPLICATE: { label: USED_ID },
  POST_ONLY_CROSSES: { flags: OrderFlag.POST_ONLY, pips: 6_000 },
  FUNDS: { owner: POOR },
};

/** What makes an order killed instead of refused: no ask at its price. */
const kills = {
  FOK_NOT_FILLED: { orderType: OrderType.FOK },
  FAK_NOT_MATCHED: { orderType: OrderType.FAK },
} satisfies Partial<Record<RejectionName, Partial<Plan>>>;

function orderOf(plan: Plan, side: number = Side.BUY): Command {
  const { owner, label, marketIndex, orderType, flags, lots, pips, moneyMore, timestampMs, expirationS } = plan;
  const [money, shares] = [lots * pips + moneyMore, lots * 10_000];
  return {
    type: 'PlaceOrder',
    ...{ orderId: orderIdOf(label), keyId: keyOf(owner, 0), maker: walletOf(owner, 0), owner: walletOf(owner, 0) },
    ...{ marketIndex, outcome: 0, side, orderType, flags, timestampMs, expirationS },
    makerAmountMicro: side === Side.BUY ? money : shares,
    takerAmountMicro: side === Side.BUY ? shares : money,
  };
}

class World {
  private readonly core = new DecodingCore();

  constructor() {
    const settings = { rulesVersion: RULES_VERSION, orderWindowMs: 3_600_000, heartbeatWindowMs: 10_000 };
    this.apply({ type: 'Started', ...settings, minedDelayMs: 0, confirmedDelayMs: 0, creditMicro: 0 });
    for (const [index, status] of [MarketStatus.OPEN, MarketStatus.PAUSED].entries()) {
      const terms = { status, negRisk: 0, autoTick: 0, feeExponent: 1, tickPips: 100, feeRate: 0, minOrderLots: 5 };
      const bounds = { delaySeconds: 0, minMarketableBuyMicro: 0 };
      this.apply({ type: 'CreateMarket', eventNumber: 0, ...marketIds(index), ...terms, ...bounds });
    }
    for (const owner of [RICH, POOR, BANNED, CLOSED, SELLER]) {
      const by = { wallet: walletOf(owner, 0), owner: walletOf(owner, 0), isFaucet: 0 };
      this.apply({ type: 'Deposit', ...by, amountMicro: owner === POOR ? 1 : 10 ** 15 });
    }
    const by = { wallet: walletOf(SELLER, 0), owner: walletOf(SELLER, 0), keyId: keyOf(SELLER, 0) };
    this.apply({ type: 'Split', ...by, marketIndex: OPEN_MARKET, amountMicro: 10 ** 9, flags: 0 });
    this.apply(orderOf({ ...valid, owner: SELLER, label: 2, pips: 6_000 }, Side.SELL));
    this.apply(orderOf({ ...valid, label: USED_ID }));
    const { BANNED: banned, CLOSED_ONLY: closedOnly } = AccountFlag;
    this.apply({ type: 'SetAccountFlags', owner: walletOf(BANNED, 0), mask: banned, flags: banned });
    this.apply({ type: 'SetAccountFlags', owner: walletOf(CLOSED, 0), mask: closedOnly, flags: closedOnly });
  }

  /** The name of the refusal or of why the order is killed, else of the last event. */
  answerTo(command: Command): string | undefined {
    const last = this.apply(command).at(-1);
    return last?.type === 'Rejected' || last?.type === 'OrderKilled' ? rejectionName(last.code) : last?.type;
  }

  private apply(command: Command): EngineEvent[] {
    return this.core.apply(TIME_ZERO_MS, command);
  }
}

const listed = (Object.keys(rejections) as RejectionName[]).filter((name) => name in faults); // the keys of the literal

test('a valid order rests, and each single fault gets its own rejection', () => {
  expect(new World().answerTo(orderOf(valid))).toBe('OrderRested');
  const world = new World();
  for (const name of listed) expect(world.answerTo(orderOf({ ...valid, ...faults[name] }))).toBe(name);
});

test('an order with two faults is rejected for the one that is listed first', () => {
  const world = new World();
  let pairs = 0;
  for (const [index, first] of listed.entries()) {
    for (const second of listed.slice(index + 1)) {
      const [one, other] = [faults[first] ?? {}, faults[second] ?? {}];
      if (Object.keys(one).some((name) => name in other)) continue;
      pairs += 1;
      const answer = world.answerTo(orderOf({ ...valid, ...one, ...other }));
      expect(answer, `${first} and ${second}`).toBe(first);
    }
  }
  expect(pairs).toBeGreaterThan(60);
});

test('after a refusal an order with the same id is accepted, unless the list says that no retry may succeed', () => {
  const world = new World();
  for (const [index, [name, fault]] of Object.entries({ ...faults, ...kills }).entries()) {
    const first: Plan = { ...valid, label: 5_000 + index, ...fault };
    expect(world.answerTo(orderOf(first))).toBe(name);
    const isAccepted = world.answerTo(orderOf({ ...valid, label: first.label })) === 'OrderRested';
    expect(isAccepted, name).toBe(rejections[name as RejectionName].mayRetry); // the keys of the two literals
  }
});
