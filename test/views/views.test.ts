// The views against the real core: long random sequences of commands, and after every record each book and balance in the
// views must equal the core's. Commands come from the generator of the model tests; its reference exchange is there only
// because the generator reads its state to choose what matters.
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import {
  CancelReason,
  type Command,
  decodeEvents,
  EventWriter,
  encodeCommand,
  type LogRecord,
  OrderType,
  RULES_VERSION,
  Side,
} from '../../engine/index.ts';
import { type Order, Views } from '../../server/views/index.ts';
import { Generator } from '../model/generator.ts';
import { ReferenceExchange } from '../model/reference.ts';
import { numbersOf } from '../support/numbersOf.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';

/** The core with views behind it. */
class Run {
  readonly core = new Exchange();
  readonly views = new Views();
  private readonly out = new EventWriter(1 << 14);
  private sequence = 0;

  apply(tMs: number, command: Command): LogRecord {
    const { out } = this;
    out.begin();
    this.core.apply(tMs, encodeCommand(command), out);
    out.finish();
    this.sequence += 1;
    const events = decodeEvents(out.bytes.subarray(0, out.length));
    const record: LogRecord = { sequence: this.sequence, tMs, command, events };
    for (const follower of this.views.followers()) follower.apply(record);
    return record;
  }

  /** Compares books of all markets and balances of all accounts between the views and the core. */
  compare(): void {
    const { books, markets, accounts } = this.views;
    const marketCount = markets.list().length;
    for (let market = 0; market < marketCount; market += 1) {
      const { bids, asks } = books.book(market, 0);
      const shown = { bids: levelsOf(bids), asks: levelsOf(asks) };
      expect(shown).toEqual(this.core.bookLevels(market));
      expect(books.bestBidPips(market, 0)).toBe(shown.bids[0]?.pips ?? 0);
      expect(books.bestAskPips(market, 1)).toBe(10_000 - (shown.bids[0]?.pips ?? 0));
    }
    for (let account = 0; account < accounts.accountCount; account += 1) {
      const wallet = accounts.byId(account)!.wallet;
      expect(this.core.accountIdOf(wallet)).toBe(account);
      expect(accounts.collateralMicro(account)).toBe(this.core.collateralMicro(account));
      for (let market = 0; market < marketCount; market += 1) {
        for (const outcome of [0, 1]) {
          expect(accounts.sharesMicro(account, market, outcome)).toBe(this.core.sharesMicro(account, market, outcome));
        }
      }
    }
  }
}

interface Levels {
  readonly pips: readonly number[];
  readonly lots: readonly number[];
}

/** Best first, as the core lists them. */
const levelsOf = ({ pips, lots }: Levels) => pips.map((at, i) => ({ pips: at, lots: lots[i] })).reverse();

const COMMANDS_PER_SEED = 400;
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];

test('books and balances equal those of the core after every command of random sequences', () => {
  let trades = 0;
  for (const seed of SEEDS) {
    const run = new Run();
    const reference = new ReferenceExchange();
    const generator = new Generator(seed);
    for (let i = 0; i < COMMANDS_PER_SEED; i += 1) {
      const { tMs, command } = generator.next(reference.state);
      reference.apply(tMs, command);
      const { events } = run.apply(tMs, command);
      trades += events.filter(({ type }) => type === 'Trade').length;
      run.compare();
    }
    checkOrders(run);
  }
  expect(trades).toBeGreaterThan(50);
});

/** Checks what holds for every order at any time. */
function checkOrders({ views }: Run): void {
  let resting = 0;
  for (let number = 1; ; number += 1) {
    const order = views.orders.byOrderNumber(number);
    if (order === undefined) break;
    expect(views.orders.byId(order.id)).toBeDefined();
    const trades = numbersOf(order.trades).map((number) => views.trades.byNumber(order.marketIndex, number)!);
    const asTaker = trades.filter((trade) => trade.taker.id === order.id);
    const asMaker = trades.flatMap(({ makers }) => makers.filter((maker) => maker.order.id === order.id));
    const lots = [...asTaker, ...asMaker].reduce((sum, part) => sum + part.lots, 0);
    expect(order.filledLots).toBe(lots);
    const isOpen = [...views.orders.openOf(order.owner)].includes(order);
    expect(isOpen).toBe(order.status === 'LIVE' || order.status === 'DELAYED');
    if (order.status === 'LIVE') expect(order.restingLots).toBeGreaterThan(0);
    else expect(order.restingLots).toBe(0);
    resting += order.restingLots;
    for (const { ordinal } of trades) expect(numbersOf(views.trades.ofOwner(order.owner))).toContain(ordinal);
  }
  const shown = views.markets.list().flatMap(({ index }) => {
    const { bids, asks } = views.books.book(index, 0);
    return [...bids.lots, ...asks.lots];
  });
  expect(shown.reduce((sum, lots) => sum + lots, 0)).toBe(resting);
}

const OWNERS = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`] as const;
const KEY = `0x${'0c'.repeat(16)}`;
const T0 = 1_700_000_000_000;
let orderCount = 0;

function marketTerms(change: object = {}) {
  const terms = { negRisk: 0, autoTick: 0, feeExponent: 1, tickPips: 100, feeRate: 0, minOrderLots: 1 };
  return { status: 1, ...terms, delaySeconds: 0, minMarketableBuyMicro: 0, ...change };
}

function addMarket(run: Run, byte: string, terms: object = {}): void {
  const texts = { slug: `rain-${byte}`, question: 'Does it rain?', outcomes: ['Wet', 'Dry'], lastPrice: '0.31' };
  run.apply(T0, {
    type: 'CreateMarket',
    eventNumber: 0,
    conditionId: `0x${byte.repeat(32)}`,
    firstToken: `0x${`${byte}a0`.padStart(64, '0')}`,
    secondToken: `0x${`${byte}b0`.padStart(64, '0')}`,
    ...marketTerms(terms),
    tail: Buffer.from(JSON.stringify(texts)),
  });
}

function newRun(terms: object = {}): Run {
  const run = new Run();
  run.apply(T0, { type: 'Started', rulesVersion: RULES_VERSION, ...PLAIN_SETTINGS });
  addMarket(run, '11', terms);
  for (const owner of OWNERS) {
    run.apply(T0, { type: 'Deposit', wallet: owner, owner, amountMicro: 1_000_000_000, isFaucet: 0 });
  }
  return run;
}

/** Places an order of whole shares. */
function place(run: Run, owner: string, tMs: number, what: Partial<Order> & { pips: number; shares: number }): string {
  orderCount += 1;
  const orderId = `0x${orderCount.toString(16).padStart(8, '0').repeat(8)}`;
  const { pips, shares, side = Side.BUY, outcome = 0, orderType = OrderType.GTC, marketIndex = 0 } = what;
  const money = shares * 100 * pips;
  const [makerAmountMicro, takerAmountMicro] =
    side === Side.BUY ? [money, shares * 1_000_000] : [shares * 1_000_000, money];
  const record = run.apply(tMs, {
    type: 'PlaceOrder',
    orderId,
    keyId: KEY,
    maker: owner,
    owner,
    marketIndex,
    outcome,
    side,
    orderType,
    flags: 0,
    makerAmountMicro,
    takerAmountMicro,
    timestampMs: tMs,
    expirationS: what.expirationS ?? 0,
  });
  expect(record.events.find(({ type }) => type === 'Rejected')).toBeUndefined();
  return orderId;
}

test('an order goes from LIVE through a partial fill to MATCHED, and its trade has both orders', () => {
  const run = newRun();
  const { orders, trades, markets } = run.views;
  const maker = place(run, OWNERS[0], T0 + 1, { pips: 4000, shares: 10 });
  expect(orders.byId(maker)).toMatchObject({ status: 'LIVE', restingLots: 1000, filledLots: 0, createdMs: T0 + 1 });
  const taker = place(run, OWNERS[1], T0 + 2, { pips: 6000, shares: 4, outcome: 1 });
  expect(orders.byId(taker)).toMatchObject({ status: 'MATCHED', filledLots: 400 });
  expect(orders.byId(maker)).toMatchObject({ status: 'LIVE', restingLots: 600, filledLots: 400 });
  const trade = trades.byNumber(0, 1)!;
  expect(trade).toMatchObject({ pricePips: 6000, lots: 400, status: 2, matchMs: T0 + 2, bucketIndex: 0 });
  expect(trade.taker).toBe(orders.byId(taker));
  expect(trade.makers).toMatchObject([{ lots: 400, pricePips: 4000, kind: 1 }]);
  for (const owner of OWNERS) expect(numbersOf(trades.ofOwner(owner))).toEqual([trade.ordinal]);
  // A BUY of the second token at 0.6 is a SELL of the first at 0.4.
  expect(markets.byIndex(0)!.lastTrade).toEqual({ pricePips: 4000, side: Side.SELL, tMs: T0 + 2 });
  place(run, OWNERS[1], T0 + 3, { pips: 6000, shares: 6, outcome: 1 });
  expect(orders.byId(maker)).toMatchObject({ status: 'MATCHED', restingLots: 0 });
  expect([...orders.openOf(OWNERS[0])]).toEqual([]);
});

test('canceled, killed, expired, uncovered and resolved orders have the matching status', () => {
  const run = newRun();
  const { orders } = run.views;
  const requested = place(run, OWNERS[0], T0, { pips: 1000, shares: 10 });
  run.apply(T0, { type: 'CancelOrders', owner: OWNERS[0], keyId: KEY, items: [requested] });
  expect(orders.byId(requested)).toMatchObject({ status: 'CANCELED', cancelReason: CancelReason.REQUESTED });
  const killed = place(run, OWNERS[0], T0, { pips: 1000, shares: 10, orderType: OrderType.FOK });
  expect(orders.byId(killed)).toMatchObject({ status: 'CANCELED', filledLots: 0 });
  const expiring = place(run, OWNERS[0], T0, {
    pips: 1000,
    shares: 10,
    orderType: OrderType.GTD,
    expirationS: T0 / 1000 + 90,
  });
  run.apply(T0 + 30_000, { type: 'Tick' });
  expect(orders.byId(expiring)).toMatchObject({ status: 'CANCELED', cancelReason: CancelReason.EXPIRED });
  // The same money backs orders in two markets; when one is filled, the other is no longer covered.
  const uncovered = place(run, OWNERS[0], T0 + 30_000, { pips: 9000, shares: 1000 });
  addMarket(run, '22');
  place(run, OWNERS[0], T0 + 30_000, { pips: 5000, shares: 1000, marketIndex: 1 });
  expect(orders.byId(uncovered)!.status).toBe('LIVE');
  place(run, OWNERS[1], T0 + 30_000, { pips: 5000, shares: 1000, outcome: 1, marketIndex: 1 });
  expect(orders.byId(uncovered)).toMatchObject({ status: 'INVALID', restingLots: 0 });
  const resolved = place(run, OWNERS[1], T0 + 30_000, { pips: 100, shares: 10 });
  run.apply(T0 + 40_000, { type: 'ResolveMarket', marketIndex: 0, resolution: 0 });
  expect(orders.byId(resolved)).toMatchObject({ status: 'CANCELED_MARKET_RESOLVED' });
  expect(run.views.markets.byIndex(0)).toMatchObject({ status: 4, resolution: 0, closedMs: T0 + 40_000 });
  run.compare();
});

test('a delayed order is not in the book until its release', () => {
  const run = newRun({ delaySeconds: 3 });
  const { orders, books } = run.views;
  place(run, OWNERS[0], T0, { pips: 4000, shares: 10 });
  const delayed = place(run, OWNERS[1], T0, { pips: 6000, shares: 20, outcome: 1 });
  expect(orders.byId(delayed)).toMatchObject({ status: 'DELAYED', restingLots: 0 });
  expect([...orders.openOf(OWNERS[1])]).toHaveLength(1);
  expect(books.bestAskPips(0, 0)).toBe(10_000);
  run.apply(T0 + 3_000, { type: 'Tick' });
  expect(orders.byId(delayed)).toMatchObject({ status: 'LIVE', restingLots: 1000, filledLots: 1000 });
  expect(books.bestAskPips(0, 0)).toBe(4000);
  expect(books.bestBidPips(0, 0)).toBe(0);
});

test('bookChangedMs changes only with the levels and the tick of a book', () => {
  const run = newRun();
  const { markets } = run.views;
  const market = markets.byIndex(0)!;
  expect(market.bookChangedMs).toBe(T0);
  const resting = place(run, OWNERS[0], T0 + 1, { pips: 4000, shares: 10 });
  expect(market.bookChangedMs).toBe(T0 + 1);
  run.apply(T0 + 2, { type: 'Tick' });
  place(run, OWNERS[1], T0 + 2, { pips: 500, shares: 1, orderType: OrderType.FOK, side: Side.BUY });
  run.apply(T0 + 3, {
    type: 'UpdateMarket',
    marketIndex: 0,
    mask: 0,
    ...marketTerms(),
    tail: Buffer.from('{"icon":"x"}'),
  });
  expect(market).toMatchObject({ bookChangedMs: T0 + 1, updatedMs: T0 + 3, slug: 'rain-11' });
  expect(market.texts).toMatchObject({ icon: 'x', lastPrice: '0.31' });
  run.apply(T0 + 4, { type: 'UpdateMarket', marketIndex: 0, mask: 2, ...marketTerms({ tickPips: 10 }) });
  expect(market.bookChangedMs).toBe(T0 + 4);
  run.apply(T0 + 5, { type: 'CancelOrders', owner: OWNERS[0], keyId: KEY, items: [resting] });
  expect(market.bookChangedMs).toBe(T0 + 5);
});

test('texts that are not a JSON object are treated as absent', () => {
  const run = newRun();
  run.apply(T0, {
    type: 'CreateMarket',
    eventNumber: 0,
    conditionId: `0x${'22'.repeat(32)}`,
    firstToken: `0x${'0'.repeat(62)}3a`,
    secondToken: `0x${'0'.repeat(62)}3b`,
    ...marketTerms(),
    tail: Buffer.from('{"slug":'),
  });
  expect(run.views.markets.byToken('58')!.market).toMatchObject({ slug: '', outcomes: ['Yes', 'No'], texts: {} });
});
