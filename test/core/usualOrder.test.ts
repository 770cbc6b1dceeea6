// The usual order takes a fast path (usualOrder.ts) past the checks that every other order meets. Post-only orders never
// take it, and the outcome is the same while nothing crosses. So two cores, one given every order plain and one post-only,
// must give the same answers to values at a limit, just within and just beyond it, and end in the same state.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MICRO_PER_LOT, PIPS_PER_UNIT } from '../../engine/index.ts';
import {
  AccountFlag,
  type Command,
  type EngineEvent,
  ExchangeMode,
  limits,
  MarketField,
  MarketStatus,
  OrderFlag,
  OrderType,
  RULES_VERSION,
  Side,
  TICK_SIZES_PIPS,
} from '../../engine/protocol/index.ts';
import { keyOf, marketIds, orderIdOf, TIME_ZERO_MS, walletOf } from '../model/names.ts';
import { DecodingCore } from '../support/decodingCore.ts';

const WINDOW_MS = limits.orderWindowDefaultMs;
const ALICE = walletOf(0, 0);
const MINIMUM_LOTS = 500;
const FUNDS_MICRO = 40_000_000;
const RUNS = 1_200;

const setUpCommands = (tickPips: number): readonly Command[] => [
  {
    ...{ type: 'Started', rulesVersion: RULES_VERSION, orderWindowMs: WINDOW_MS, heartbeatWindowMs: 10_000 },
    ...{ minedDelayMs: 0, confirmedDelayMs: 0, creditMicro: 0 },
  },
  {
    ...{ type: 'CreateMarket', eventNumber: 0, ...marketIds(0), status: MarketStatus.OPEN, negRisk: 0, autoTick: 0 },
    ...{
      feeExponent: 1,
      tickPips,
      feeRate: 500,
      minOrderLots: MINIMUM_LOTS,
      delaySeconds: 0,
      minMarketableBuyMicro: 0,
    },
  },
  { type: 'Deposit', wallet: ALICE, owner: ALICE, amountMicro: 2 * FUNDS_MICRO, isFaucet: 0 },
  // From here on she has a position in the market, and as many shares of each token as money.
  {
    type: 'Split',
    wallet: ALICE,
    owner: ALICE,
    keyId: keyOf(0, 0),
    marketIndex: 0,
    amountMicro: FUNDS_MICRO,
    flags: 0,
  },
];

/** The fields of an order that matter here. */
interface OrderPlan {
  readonly label: number;
  readonly isBuy: boolean;
  readonly outcome: number;
  readonly orderType: number;
  readonly owner: string;
  readonly lots: number;
  readonly pips: number;
  readonly moneyOffMicro: number;
  readonly sharesOffMicro: number;
  readonly signedOffMs: number;
  readonly expirationS: number;
}

const near = (...values: readonly number[]): fc.Arbitrary<number> =>
  fc.tuple(fc.constantFrom(...values), fc.constantFrom(-1, 0, 0, 0, 1)).map(([value, off]) => Math.max(0, value + off));

/** Mostly the first value. */
const rarely = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));

const orderPlan: fc.Arbitrary<OrderPlan> = fc.record({
  // Few labels, so that ids repeat.
  label: fc.integer({ min: 1, max: 200 }),
  isBuy: fc.boolean(),
  outcome: fc.integer({ min: 0, max: 1 }),
  orderType: rarely<number>(OrderType.GTC, OrderType.GTD),
  owner: rarely(ALICE, walletOf(1, 0), walletOf(0, 1)),
  lots: fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: MINIMUM_LOTS, max: 3_000 }) },
    near(0, MINIMUM_LOTS, limits.orderLotsMax, FUNDS_MICRO / MICRO_PER_LOT),
  ),
  pips: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 9 }).map((tenths) => tenths * 1_000) },
    near(0, 1, 10, 25, 50, 100, 1_000, 9_000, 9_900, 9_950, 9_975, 9_990, 9_999, PIPS_PER_UNIT, 2 * PIPS_PER_UNIT),
  ),
  moneyOffMicro: rarely(0, 1, -1),
  sharesOffMicro: rarely(0, 1, -1, MICRO_PER_LOT / 2),
  signedOffMs: rarely(0, -WINDOW_MS - 1, -WINDOW_MS, -1, 1, limits.timestampAheadMaxMs, limits.timestampAheadMaxMs + 1),
  expirationS: rarely(0, TIME_ZERO_MS / 1_000 + 4_000),
});

/** Commands that now and then change the conditions of a usual order, or remove orders. */
const between: fc.Arbitrary<Command> = fc.constantFrom<Command>(
  { type: 'CancelAll', owner: ALICE, keyId: keyOf(0, 0) },
  { type: 'SetExchangeMode', mode: ExchangeMode.CANCEL_ONLY },
  { type: 'SetExchangeMode', mode: ExchangeMode.NORMAL },
  { type: 'SetAccountFlags', owner: ALICE, mask: AccountFlag.CLOSED_ONLY, flags: AccountFlag.CLOSED_ONLY },
  { type: 'SetAccountFlags', owner: ALICE, mask: AccountFlag.CLOSED_ONLY, flags: 0 },
  { type: 'SetAccountFlags', owner: ALICE, mask: AccountFlag.BANNED, flags: AccountFlag.BANNED },
  { type: 'SetAccountFlags', owner: ALICE, mask: AccountFlag.BANNED, flags: 0 },
  statusOf(MarketStatus.PAUSED),
  statusOf(MarketStatus.OPEN),
  { type: 'Withdraw', wallet: ALICE, owner: ALICE, amountMicro: 1_000_000 },
);

function statusOf(status: number): Command {
  const terms = { negRisk: 0, autoTick: 0, feeExponent: 1, tickPips: 100, feeRate: 0, minOrderLots: 1 };
  const rest = { delaySeconds: 0, minMarketableBuyMicro: 0 };
  return { type: 'UpdateMarket', marketIndex: 0, mask: MarketField.STATUS, status, ...terms, ...rest };
}

/** Bids stay below the middle of the ladder and asks above it, so that nothing ever crosses. */
function orderOf(order: OrderPlan, flags: number): Command | undefined {
  const { isBuy, outcome, lots, pips, owner, label, expirationS, orderType } = order;
  const ladderPips = outcome === 0 ? pips : PIPS_PER_UNIT - pips;
  if (isBuy === (outcome === 0) ? ladderPips >= PIPS_PER_UNIT / 2 : ladderPips <= PIPS_PER_UNIT / 2) return undefined;
  const money = Math.max(0, lots * pips + order.moneyOffMicro);
  const shares = Math.max(0, lots * MICRO_PER_LOT + order.sharesOffMicro);
  return {
    ...{
      type: 'PlaceOrder',
      orderId: orderIdOf(label),
      keyId: keyOf(0, label % 2),
      maker: ALICE,
      owner,
      marketIndex: 0,
    },
    ...{ outcome, side: isBuy ? Side.BUY : Side.SELL, orderType, flags, expirationS },
    makerAmountMicro: isBuy ? money : shares,
    takerAmountMicro: isBuy ? shares : money,
    timestampMs: TIME_ZERO_MS + order.signedOffMs,
  };
}

function eventsOf(core: DecodingCore, command: Command): readonly EngineEvent[] {
  // The event repeats the order's own fields; only the flag may differ.
  return core
    .apply(TIME_ZERO_MS, command)
    .map((event) => (event.type === 'OrderAccepted' ? { ...event, flags: 0 } : event));
}

const hashesOf = ({ exchange }: DecodingCore): readonly string[] => [exchange.stateHash(), exchange.idSetHash()];

test('an order that does not cross gives the same events and state whether or not it is post-only', () => {
  const seen = new Map<string, number>();
  const step = fc.oneof({ weight: 20, arbitrary: orderPlan }, between);
  const behavesTheSame = fc.property(
    fc.constantFrom(...TICK_SIZES_PIPS),
    fc.array(step, { maxLength: 40, size: 'max' }),
    (tick, steps) => {
      const plain = new DecodingCore();
      const postOnly = new DecodingCore();
      for (const command of setUpCommands(tick)) expect(eventsOf(plain, command)).toEqual(eventsOf(postOnly, command));
      for (const one of steps) {
        const isOrder = 'label' in one;
        const command = isOrder ? orderOf(one, 0) : one;
        const twin = isOrder ? orderOf(one, OrderFlag.POST_ONLY) : one;
        if (command === undefined || twin === undefined) continue;
        const events = eventsOf(plain, command);
        expect(events).toEqual(eventsOf(postOnly, twin));
        const last = events.at(-1);
        const name = last?.type === 'Rejected' ? `code ${last.code}` : (last?.type ?? 'nothing');
        if (isOrder) seen.set(name, (seen.get(name) ?? 0) + 1);
      }
      plain.exchange.checkInvariants();
      expect(hashesOf(plain)).toEqual(hashesOf(postOnly));
    },
  );
  fc.assert(behavesTheSame, { numRuns: RUNS });
  console.info([...seen].map(([name, count]) => `${name}: ${count}`).join(', '));
  // Orders that rest, and refusals for each of a dozen reasons, are all among them.
  expect(seen.get('OrderRested')).toBeGreaterThan(2 * RUNS);
  expect(seen.size).toBeGreaterThanOrEqual(13);
});
