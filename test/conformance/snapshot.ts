// Everything that clients can see of a trading run, read over HTTP at a quiet moment, and the check that it is consistent:
// books consist of the open orders, balances are the sum of the trades, orders show what was matched. Used by the restart
// test, which compares the snapshots before and after.
import { AssetType, type OpenOrder, type OrderBookSummary, Side, type Trade } from '@polymarket/clob-client-v2';
import { expect } from 'vitest';
import type { Run, RunMarket } from './tradingRun.ts';
import { CREDIT_MICRO, feeMicro, levelsOf, micro, type Trader } from './world.ts';

interface TraderSnapshot {
  readonly keys: unknown;
  readonly open: readonly OpenOrder[];
  /** Newest first. */
  readonly trades: readonly Trade[];
  readonly collateral: string;
  /** Balances by token. */
  readonly shares: Readonly<Record<string, string>>;
  /** Orders in any state, by id. */
  readonly records: Readonly<Record<string, OpenOrder>>;
}

interface MarketSnapshot {
  readonly books: readonly OrderBookSummary[];
  readonly lastTrades: unknown;
  readonly prices: unknown;
  readonly record: unknown;
  readonly info: unknown;
}

export interface Snapshot {
  readonly traders: readonly TraderSnapshot[];
  readonly markets: readonly MarketSnapshot[];
  readonly list: readonly unknown[];
}

/** How many of the latest orders are looked up one by one; of older ones every eleventh is. */
const LATEST_COUNT = 12;
const OLDER_STEP = 11;

const sampleOf = (ids: readonly string[]): readonly string[] =>
  ids.filter((_, index) => index >= ids.length - LATEST_COUNT || index % OLDER_STEP === 0);

async function traderSnapshot({ client }: Trader, ids: readonly string[], tokens: readonly string[]) {
  const balanceOf = async (token: string): Promise<readonly [string, string]> => [
    token,
    (await client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id: token })).balance,
  ];
  const [keys, open, trades, { balance: collateral }, shares, records] = await Promise.all([
    client.getApiKeys(),
    client.getOpenOrders(),
    client.getTrades(),
    client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL }),
    Promise.all(tokens.map(balanceOf)),
    Promise.all(sampleOf(ids).map(async (id) => [id, await client.getOrder(id)] as const)),
  ]);
  return { keys, open, trades, collateral, shares: Object.fromEntries(shares), records: Object.fromEntries(records) };
}

async function marketSnapshot({ client }: Trader, { yes, no, conditionId }: RunMarket): Promise<MarketSnapshot> {
  const asked = [yes, no].map((token) => ({ token_id: token, side: Side.BUY }));
  const both = [...asked, ...asked.map((item) => ({ ...item, side: Side.SELL }))];
  const [books, lastTrades, prices, record, info] = await Promise.all([
    client.getOrderBooks(asked),
    client.getLastTradesPrices(asked),
    client.getPrices(both),
    client.getMarket(conditionId),
    client.getClobMarketInfo(conditionId),
  ]);
  return { books, lastTrades, prices, record, info };
}

/** Reads everything; nothing may be in flight. */
export async function snapshotOf({ traders, markets, orderIds }: Run): Promise<Snapshot> {
  const tokens = markets.flatMap(({ yes, no }) => [yes, no]);
  const list: unknown[] = [];
  for (let cursor = 'MA=='; cursor !== 'LTE='; ) {
    const page = await traders[0].client.getMarkets(cursor);
    list.push(...page.data);
    cursor = page.next_cursor;
  }
  return {
    traders: await Promise.all(traders.map((trader, index) => traderSnapshot(trader, orderIds[index], tokens))),
    markets: await Promise.all(markets.map((market) => marketSnapshot(traders[0], market))),
    list,
  };
}

const pipsOf = (price: string): number => Number(micro(price) / 100n);
const lotsOf = (size: string): number => Number(micro(size) / 10_000n);

/** The levels in the first token's terms that open orders add up to, best last, in the wire's format. */
function levelsOfOrders(orders: readonly OpenOrder[], market: RunMarket, isBids: boolean) {
  const lotsAt = new Map<number, number>();
  for (const order of orders) {
    if (order.market !== market.conditionId) continue;
    const isFirst = order.asset_id === market.yes;
    if (((order.side === 'BUY') === isFirst) !== isBids) continue;
    const pips = isFirst ? pipsOf(order.price) : 10_000 - pipsOf(order.price);
    const lots = lotsOf(order.original_size) - lotsOf(order.size_matched);
    lotsAt.set(pips, (lotsAt.get(pips) ?? 0) + lots);
  }
  const sorted = [...lotsAt].sort(([left], [right]) => (isBids ? left - right : right - left));
  return sorted.map(([pips, lots]) => [String(pips / 10_000), String(lots / 100)] as const);
}

interface Flow {
  collateral: bigint;
  readonly shares: Map<string, bigint>;
  /** Matched lots of the wallet's orders, by id. */
  readonly lots: Map<string, number>;
}

/** The amounts that trades moved for a wallet. */
export function flowOf(trades: readonly Trade[], { wallet }: Trader, markets: readonly RunMarket[]): Flow {
  const flow: Flow = { collateral: 0n, shares: new Map(), lots: new Map() };
  const book = (id: string, side: string, token: string, lots: number, pips: number, fee: bigint): void => {
    const sign = side === 'BUY' ? 1n : -1n;
    flow.collateral -= sign * BigInt(lots) * BigInt(pips) + fee;
    flow.shares.set(token, (flow.shares.get(token) ?? 0n) + sign * BigInt(lots) * 10_000n);
    flow.lots.set(id, (flow.lots.get(id) ?? 0) + lots);
  };
  for (const trade of trades) {
    const market = markets.find(({ conditionId }) => conditionId === trade.market);
    if (market === undefined) throw new Error(`a trade names the market ${trade.market}`);
    if (trade.trader_side === 'TAKER') {
      const [lots, pips] = [lotsOf(trade.size), pipsOf(trade.price)];
      const fee = feeMicro(lots, pips, market.ratePer10k, market.feeExponent);
      book(trade.taker_order_id, trade.side, trade.asset_id, lots, pips, fee);
      continue;
    }
    for (const maker of trade.maker_orders) {
      if (maker.maker_address.toLowerCase() !== wallet) continue;
      book(maker.order_id, maker.side ?? '', maker.asset_id, lotsOf(maker.matched_amount), pipsOf(maker.price), 0n);
    }
  }
  return flow;
}

/** Expects a snapshot to be consistent, in itself and with the run's own records. */
export function expectConsistent(snapshot: Snapshot, { traders, markets, moves }: Run): void {
  const everyOrder = snapshot.traders.flatMap(({ open }) => open);
  for (const [index, market] of markets.entries()) {
    const [book, mirror] = snapshot.markets[index].books;
    const [bids, asks] = [true, false].map((isBids) => levelsOfOrders(everyOrder, market, isBids));
    expect([levelsOf(book.bids), levelsOf(book.asks)]).toEqual([bids, asks]);
    const mirrored = (levels: typeof bids) =>
      levels.map(([price, size]) => [String((10_000 - pipsOf(price)) / 10_000), size]);
    expect([levelsOf(mirror.bids), levelsOf(mirror.asks)]).toEqual([mirrored(asks), mirrored(bids)]);
    expect(mirror.timestamp).toBe(book.timestamp);
  }
  for (const [index, trader] of traders.entries()) {
    const seen = snapshot.traders[index];
    const flow = flowOf(seen.trades, trader, markets);
    expect(BigInt(seen.collateral)).toBe(CREDIT_MICRO + moves[index].collateral + flow.collateral);
    for (const [token, balance] of Object.entries(seen.shares)) {
      const given = moves[index].shares.get(token) ?? 0n;
      expect(BigInt(balance)).toBe(given + (flow.shares.get(token) ?? 0n));
    }
    for (const order of [...seen.open, ...Object.values(seen.records)]) {
      expect(lotsOf(order.size_matched)).toBe(flow.lots.get(order.id) ?? 0);
    }
    expect(new Set(seen.trades.map(({ id }) => id)).size).toBe(seen.trades.length);
  }
}
