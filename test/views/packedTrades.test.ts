// Trades that change no more are packed: each reads as before, in every field, by its number and in every list, after a
// snapshot too. A packed trade releases its orders, so the heap does not grow with every trade.
import { serialize } from 'node:v8';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../bench/lib/collectGarbage.ts';
import { type EventOf, FillKind, OrderType, Side, SnapshotUnusable, TradeStatus } from '../../engine/index.ts';
import { BuildersView } from '../../server/views/builders.ts';
import type { Order, Trade } from '../../server/views/index.ts';
import { TradeNumbers } from '../../server/views/tradeNumbers.ts';
import { TradesView } from '../../server/views/trades.ts';
import { KeptSections } from '../support/keptSections.ts';
import { numbersOf } from '../support/numbersOf.ts';

const hex = (value: number, digits: number): string => `0x${value.toString(16).padStart(digits, '0')}`;
let orders = 0;

/** The next order of a person. */
function orderOf(person: number, side: Side, outcome: number): Order {
  orders += 1;
  return {
    orderNumber: orders,
    id: hex(orders * 0x1_0001, 64),
    owner: hex(person + 1, 40),
    maker: hex(person + 0x1000, 40),
    keyId: hex(person + 0x2000, 32),
    ...{ accountId: person, marketIndex: 0, outcome, side, orderType: OrderType.GTC, pricePips: 5_000 },
    ...{ originalLots: 100, expirationS: 0, createdMs: 1, status: 'MATCHED', filledLots: 100, restingLots: 0 },
    ...{ cancelReason: undefined, trades: new TradeNumbers(), wasDelayed: false, signatureType: 0 },
    builder: person % 3 === 0 ? hex(person + 7, 64) : '',
  } as const;
}

interface Drawn {
  readonly market: number;
  readonly taker: number;
  readonly makers: readonly { readonly person: number; readonly lots: number; readonly pips: number }[];
  readonly feeMicro: number;
  readonly side: Side;
  readonly outcome: number;
}

const person = fc.nat(9);
const drawn: fc.Arbitrary<Drawn> = fc.record({
  market: fc.nat(2),
  taker: person,
  makers: fc.array(
    fc.record({ person, lots: fc.integer({ min: 1, max: 1_000_000_000 }), pips: fc.integer({ min: 1, max: 9_999 }) }),
    { minLength: 1, maxLength: 4 },
  ),
  feeMicro: fc.maxSafeNat(),
  side: fc.constantFrom(Side.BUY, Side.SELL),
  outcome: fc.nat(1),
});

/** A view with trades, and the number of trades of each market. */
class World {
  readonly view = new TradesView();
  private readonly counts = [0, 0, 0];
  private tMs = 1_700_000_000_000;

  trade({ market, taker, makers, feeMicro, side, outcome }: Drawn): Trade {
    this.tMs += 3;
    this.counts[market] += 1;
    let lots = 0;
    for (const [index, maker] of makers.entries()) {
      const order = orderOf(maker.person, index % 2 === 0 ? Side.SELL : Side.BUY, outcome);
      const shown = { lots: maker.lots, pricePips: maker.pips, kind: index % 3 } as EventOf<'Fill'>; // the fields that it reads
      this.view.filled(order, shown);
      lots = maker.lots;
    }
    const numbers = { marketIndex: market, tradeNumber: this.counts[market], pricePips: makers[0].pips };
    const event = { ...numbers, lots, feeMicro } as EventOf<'Trade'>; // the fields that it reads
    return this.view.traded(event, orderOf(taker, side, outcome), this.tMs);
  }

  /** A step of a trade's status, a millisecond later. */
  step({ marketIndex, tradeNumber }: Trade, status: TradeStatus): void {
    this.tMs += 1;
    this.view.statusChanged({ type: 'TradeStatusChanged', marketIndex, tradeNumber, status }, this.tMs);
  }
}

const partyOf = ({ id, accountId, owner, maker, keyId, outcome, side, builder }: Trade['taker']) => {
  return { id, accountId, owner, maker, keyId, outcome, side, builder };
};
/** Every field of a trade. */
function fieldsOf(trade: Trade) {
  const { ordinal, marketIndex, tradeNumber, pricePips, lots, feeMicro, bucketIndex, status, matchMs, updatedMs } =
    trade;
  const makers = trade.makers.map(({ order, ...part }) => ({ ...part, order: partyOf(order) }));
  const numbers = { ordinal, marketIndex, tradeNumber, pricePips, lots, feeMicro, bucketIndex };
  return { ...numbers, status, matchMs, updatedMs, taker: partyOf(trade.taker), makers };
}

/** The view as loaded from a snapshot of this one. */
function reloaded(view: TradesView): TradesView {
  const values = new Map<string, unknown>();
  view.visit(new KeptSections(values, false));
  const loaded = new TradesView();
  loaded.visit(new KeptSections(values, true));
  return loaded;
}

function expectSame(view: TradesView, expected: readonly ReturnType<typeof fieldsOf>[]): void {
  for (const trade of expected) {
    expect(fieldsOf(view.byOrdinal(trade.ordinal))).toEqual(trade);
    expect(view.byNumber(trade.marketIndex, trade.tradeNumber)?.ordinal).toBe(trade.ordinal);
  }
  for (let market = 0; market < 3; market += 1) {
    const ofMarket = expected.filter(({ marketIndex }) => marketIndex === market);
    expect(numbersOf(view.ofMarket(market))).toEqual(ofMarket.map(({ ordinal }) => ordinal));
    expect(view.byNumber(market, ofMarket.length + 1)).toBeUndefined();
  }
  for (let index = 0; index < 10; index += 1) {
    const owner = hex(index + 1, 40);
    const own = expected.filter(
      ({ taker, makers }) => taker.owner === owner || makers.some(({ order }) => order.owner === owner),
    );
    expect(numbersOf(view.ofOwner(owner))).toEqual(own.map(({ ordinal }) => ordinal));
  }
}

test('packed trades keep every field, also after a snapshot, and trading continues', () => {
  const draws = fc.sample(drawn, { numRuns: 1_500, seed: 11 });
  const world = new World();
  const expected: ReturnType<typeof fieldsOf>[] = [];
  const play = (some: readonly Drawn[]): void => {
    for (const one of some) {
      const trade = world.trade(one);
      world.step(trade, TradeStatus.MINED);
      world.step(trade, TradeStatus.CONFIRMED);
      expected.push(fieldsOf(trade));
    }
  };
  play(draws.slice(0, 1_000));
  expectSame(world.view, expected);
  const loaded = reloaded(world.view);
  expectSame(loaded, expected);
  const ordinal = expected.length + 1;
  const order = orderOf(0, Side.BUY, 0);
  const tradeNumber = loaded.ofMarket(2).length + 1;
  const event = { marketIndex: 2, tradeNumber, pricePips: 1, lots: 1, feeMicro: 0 } as EventOf<'Trade'>;
  expect(loaded.traded(event, order, 5).ordinal).toBe(ordinal);
  play(draws.slice(1_000));
  expectSame(world.view, expected);
});

test('loading inconsistent packed trades throws SnapshotUnusable', () => {
  const world = new World();
  for (const one of fc.sample(drawn, { numRuns: 6_000, seed: 13 })) world.step(world.trade(one), TradeStatus.CONFIRMED);
  const sound = new Map<string, unknown>();
  world.view.visit(new KeptSections(sound, false));
  const load = (changes: Readonly<Record<string, unknown>>): void => {
    new TradesView().visit(new KeptSections(new Map([...sound, ...Object.entries(changes)]), true));
  };
  const numberOf = (name: string): number => sound.get(name) as number; // as written under these names
  const [count, used, chunkCount] = [numberOf('count'), numberOf('used'), numberOf('chunks')];
  const places = sound.get('places') as Float64Array;
  const chunk = sound.get('chunk 0') as Uint8Array;
  const placesWith = (index: number, place: number): Float64Array =>
    places.map((old, at) => (at === index ? place : old));
  const chunkWith = (at: number, word: number): Uint8Array => {
    const bytes = chunk.slice();
    new DataView(bytes.buffer).setUint32(at, word, true);
    return bytes;
  };
  const listWith = (lists: string, word: number): Readonly<Record<string, unknown>> => {
    const name = `${lists}/page 0`;
    const bytes = new Uint8Array(sound.get(name) as Uint8Array);
    new DataView(bytes.buffer).setUint32(0, word, true);
    return { [name]: bytes };
  };
  expect(chunkCount).toBe(6);
  load({});
  const damaged: readonly Readonly<Record<string, unknown>>[] = [
    ...[-1, 0, count - 1, count - 0.5, count + 1, places.length + 1, Infinity].map((one) => ({ count: one })),
    ...[-1, 0, used - 1, used + 1, 2 ** 20 + 1].map((one) => ({ used: one })),
    ...[-1, 0, 1, chunkCount - 1].map((one) => ({ chunks: one })),
    { chunks: chunkCount + 1, [`chunk ${chunkCount}`]: new Uint8Array(2 ** 20) },
    ...[0, 64, count].map((length) => ({ places: places.slice(0, length) })),
    ...[places[5] + 1, places[6], -1, 0.5, NaN, 2 ** 52].map((place) => ({ places: placesWith(5, place) })),
    { places: placesWith(count - 1, chunkCount * 2 ** 32) },
    ...[0, 40, places[1] - 1, chunk.length / 2].map((length) => ({ 'chunk 0': chunk.slice(0, length) })),
    // The number of makers of the first trade, and the texts of its taker and of its first maker.
    ...[0, 2 ** 32 - 1].map((makers) => ({ 'chunk 0': chunkWith(44, makers) })),
    ...[52, 108].flatMap((party) => [36, 40, 44, 48].map((text) => ({ 'chunk 0': chunkWith(party + text, 1_000) }))),
    { texts: serialize([]) },
    { 'owners/texts': serialize([]) },
    // A list that begins with no trade, or with one that is not there.
    ...['byMarket', 'byOwner'].flatMap((lists) => [0, 2 ** 32 - 1].map((word) => listWith(lists, word))),
  ];
  for (const changes of damaged) {
    const name = Object.entries(changes).map(([key, value]) => `${key} ${typeof value === 'number' ? value : ''}`);
    expect(() => load(changes), name.join()).toThrow(SnapshotUnusable);
  }
});

test('an unconfirmed trade still gets its status changes after thousands of later trades', () => {
  const [first, ...others] = fc.sample(drawn, { numRuns: 3_000, seed: 12 });
  const world = new World();
  const slow = world.trade(first);
  for (const one of others) world.step(world.trade(one), TradeStatus.CONFIRMED);
  world.step(slow, TradeStatus.CONFIRMED);
  const { marketIndex, tradeNumber } = slow;
  expect(world.view.byNumber(marketIndex, tradeNumber)?.status).toBe(TradeStatus.CONFIRMED);
  const expected = fieldsOf(slow);
  for (const one of others.slice(0, 600)) world.step(world.trade(one), TradeStatus.CONFIRMED);
  expect(fieldsOf(world.view.byOrdinal(1))).toEqual(expected);
});

test('a trade with 30,000 makers is packed completely', () => {
  const world = new World();
  const makers = Array.from({ length: 30_000 }, (_, index) => ({ person: index % 10, lots: index + 1, pips: 5_000 }));
  const terms = { market: 0, taker: 1, feeMicro: 5, side: Side.BUY, outcome: 1 } as const;
  const large = world.trade({ ...terms, makers });
  world.step(large, TradeStatus.CONFIRMED);
  const expected = fieldsOf(large);
  for (let count = 0; count < 400; count += 1) {
    world.step(world.trade({ ...terms, makers: makers.slice(0, 1) }), TradeStatus.CONFIRMED);
  }
  expect(fieldsOf(world.view.byOrdinal(1))).toEqual(expected);
  // Trades of a builder are requested one by one; the packed trade behind them is read once.
  const builders = new BuildersView(world.view);
  builders.traded(large);
  const code = hex(10, 64); // of person 3
  const fills = Array.from({ length: builders.countOf(code) }, (_, index) => builders.fillOf(code, index + 1));
  expect(fills.map(({ maker }) => maker?.lots)).toEqual(Array.from({ length: 3_000 }, (_, index) => 10 * index + 4));
  expect(new Set(fills.map(({ trade }) => trade)).size).toBe(1);
  expect([0, 1, 2].map((ordinal) => builders.countUpTo(code, ordinal))).toEqual([0, 3_000, 3_000]);
  expect(expected.makers[4].kind).toBe(FillKind.MINT);
});

test('packed trades and their orders are garbage-collected', async () => {
  const world = new World();
  const terms = { market: 0, taker: 1, feeMicro: 5, side: Side.BUY, outcome: 1 } as const;
  const makers = [{ person: 2, lots: 3, pips: 5_000 }];
  const old: WeakRef<object>[] = [];
  for (let count = 0; count < 2_000; count += 1) {
    const trade = world.trade({ ...terms, makers });
    world.step(trade, TradeStatus.CONFIRMED);
    if (count < 100) old.push(new WeakRef(trade), new WeakRef(trade.taker), new WeakRef(trade.makers[0].order));
  }
  // A WeakRef's target that was created or dereferenced in a turn stays alive until that turn is over.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(old.filter((ref) => ref.deref() !== undefined)).toHaveLength(0);
});
