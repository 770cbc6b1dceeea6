// The exercises of the official client's trading methods (interface H.1): orders rest, the book shows them, others take
// them, and the remainder is canceled. Each exercise needs those above it. Run by everyMethod.test.ts alone.
import {
  type ApiError,
  AssetType,
  OrderType,
  PriceHistoryInterval,
  Side,
  type SignedOrder,
} from '@polymarket/clob-client-v2';
import { getAddress } from 'viem';
import { expect } from 'vitest';
import { UUID } from '../support/uuid.ts';
import { CODE, type Exercises, maker, market, seen, taker } from './exercises.ts';
import { world } from './ownWorld.ts';
import { batchItem, CREDIT_MICRO, giveShares, levelsOf, limit, orderIdOf, refusalOf, signLimit } from './world.ts';

let signed: SignedOrder;

const options = () => ({ tickSize: market.tickSize, negRisk: market.negRisk });
const token = (which: Side) => ({ token_id: market.yes, side: which });

const resting: Exercises = {
  createOrder: async () => {
    signed = await signLimit(maker, market, Side.BUY, market.yes, 0.4, 30);
    expect([signed.makerAmount, signed.takerAmount]).toEqual(['12000000', '30000000']);
  },
  postOrder: async () => {
    const { orderID, status } = await maker.client.postOrder(signed, OrderType.GTC);
    expect([orderID, status]).toEqual([orderIdOf(signed, market.negRisk), 'live']);
    seen.limitId = orderID;
  },
  createAndPostOrder: async () => {
    await giveShares(world.url, maker, market.yes, '100');
    const order = { tokenID: market.yes, price: 0.6, size: 20, side: Side.SELL };
    const { status, orderID } = await maker.client.createAndPostOrder(order, options());
    expect([status, orderID === seen.limitId]).toEqual(['live', false]);
  },
  postOrders: async () => {
    const sign = () => signLimit(maker, market, Side.BUY, market.yes, 0.39, 10);
    const orders = [await sign(), await sign()];
    const replies = await maker.client.postOrders(orders.map((one) => batchItem(one)));
    seen.batchIds = orders.map((one) => orderIdOf(one, market.negRisk));
    expect(replies.map(({ orderID }) => orderID)).toEqual(seen.batchIds);
  },
  createExchangeV3OrderFromAmounts: async () => {
    const amounts = { tokenID: market.yes, makerAmount: '4000000', takerAmount: '10000000', side: Side.BUY };
    const third = await maker.client.createExchangeV3OrderFromAmounts(amounts);
    expect(third.makerAmount).toBe('4000000');
    const refusal: ApiError = await refusalOf(maker.client.postOrder(third));
    expect([refusal.status, refusal.message]).toEqual([400, expect.stringContaining('order_version_mismatch')]);
  },
  getOrder: async () => {
    const order = await maker.client.getOrder(seen.limitId);
    expect([order.id, order.status, order.price, order.original_size]).toEqual([seen.limitId, 'LIVE', '0.4', '30']);
  },
  getOpenOrders: async () => {
    const ids = (await maker.client.getOpenOrders({ market: market.conditionId })).map(({ id }) => id);
    expect(ids.length).toBe(4);
    expect(ids).toEqual(expect.arrayContaining([seen.limitId, ...seen.batchIds]));
  },
  getPreMigrationOrders: async () => {
    expect(await maker.client.getPreMigrationOrders()).toEqual([]);
  },
  isOrderScoring: async () => {
    expect(await maker.client.isOrderScoring({ order_id: seen.limitId })).toEqual({ scoring: false });
    expect((await refusalOf(taker.client.isOrderScoring({ order_id: seen.limitId }))).status).toBe(404);
  },
  areOrdersScoring: async () => {
    const [first, second] = seen.batchIds;
    const wanted = { [first]: false, [second]: false };
    expect(await maker.client.areOrdersScoring({ orderIds: seen.batchIds })).toEqual(wanted);
  },
};

const prices: Exercises = {
  getOrderBook: async () => {
    const { bids, asks } = await taker.client.getOrderBook(market.yes);
    expect(levelsOf(bids)).toEqual([
      ['0.39', '20'],
      ['0.4', '30'],
    ]);
    expect(levelsOf(asks)).toEqual([['0.6', '20']]);
  },
  getOrderBooks: async () => {
    const [yes, no] = await taker.client.getOrderBooks([token(Side.BUY), { token_id: market.no, side: Side.BUY }]);
    expect([yes.asset_id, levelsOf(no.bids)]).toEqual([market.yes, [['0.4', '20']]]);
  },
  getOrderBookHash: async () => {
    const book = await taker.client.getOrderBook(market.no);
    expect(await taker.client.getOrderBookHash({ ...book })).toBe(book.hash);
  },
  getMidpoint: async () => {
    await limit(maker, market, Side.BUY, market.yes, 0.41, 5);
    const { mid } = await taker.client.getMidpoint(market.yes);
    expect(mid).toBe('0.505');
    seen.mid = mid;
  },
  getMidpoints: async () => {
    const mids = await taker.client.getMidpoints([token(Side.BUY), { token_id: market.no, side: Side.BUY }]);
    expect(mids).toEqual({ [market.yes]: seen.mid, [market.no]: '0.495' });
  },
  getPrice: async () => {
    expect(await taker.client.getPrice(market.yes, Side.BUY)).toEqual({ price: '0.41' });
  },
  getPrices: async () => {
    const both = [token(Side.BUY), token(Side.SELL)];
    expect(await taker.client.getPrices(both)).toEqual({ [market.yes]: { BUY: '0.41', SELL: '0.6' } });
  },
  getSpread: async () => {
    expect(await taker.client.getSpread(market.yes)).toEqual({ spread: '0.19' });
  },
  getSpreads: async () => {
    expect(await taker.client.getSpreads([token(Side.BUY)])).toEqual({ [market.yes]: '0.19' });
  },
  calculateMarketPrice: async () => {
    expect(await taker.client.calculateMarketPrice(market.yes, Side.BUY, 6)).toBe(0.6);
    expect(await taker.client.calculateMarketPrice(market.yes, Side.SELL, 40)).toBe(0.39);
  },
  getPricesHistory: async () => {
    const query = { market: market.yes, interval: PriceHistoryInterval.ONE_HOUR, fidelity: 1 };
    // The client declares a list, but returns the object that the server sends.
    const { history } = (await taker.client.getPricesHistory(query)) as unknown as {
      history: { t: number; p: number }[];
    };
    expect(history.at(-1)?.p).toBe(Number(seen.mid));
  },
};

const taking: Exercises = {
  createMarketOrder: async () => {
    const order = { tokenID: market.yes, amount: 6, side: Side.BUY, orderType: OrderType.FOK } as const;
    signed = await taker.client.createMarketOrder(order, options());
    expect([signed.makerAmount, signed.takerAmount]).toEqual(['6000000', '10000000']);
    expect('builder' in signed && signed.builder).toBe(CODE);
    const { status, takingAmount } = await taker.client.postOrder(signed, OrderType.FOK);
    expect([status, takingAmount]).toEqual(['matched', '10']);
  },
  createAndPostMarketOrder: async () => {
    const order = { tokenID: market.yes, amount: 10, side: Side.SELL };
    const reply = await taker.client.createAndPostMarketOrder(order, options(), OrderType.FOK);
    // 5 shares at 0.41 and 5 at 0.4: two prices, two trades.
    expect([reply.status, reply.makingAmount, reply.takingAmount]).toEqual(['matched', '10', '4.05']);
    [seen.tradeIds, seen.hashes] = [reply.tradeIDs ?? [], reply.transactionsHashes ?? []];
    expect(seen.tradeIds.length).toBe(2);
  },
  getTrades: async () => {
    const trades = await taker.client.getTrades({ market: market.conditionId });
    expect(trades.slice(0, 2).map(({ id, price }) => [id, price])).toEqual([
      [seen.tradeIds[1], '0.4'],
      [seen.tradeIds[0], '0.41'],
    ]);
    expect([trades.length, trades[0].transaction_hash]).toEqual([3, seen.hashes[1]]);
  },
  getTradesPaginated: async () => {
    const page = await maker.client.getTradesPaginated({ id: seen.tradeIds[0] });
    expect([page.count, page.trades[0].trader_side, page.next_cursor]).toEqual([1, 'MAKER', 'LTE=']);
  },
  getBuilderTrades: async () => {
    const { trades, count } = await maker.client.getBuilderTrades({ builder_code: CODE });
    expect([count, trades.map(({ size }) => size)]).toEqual([3, ['5', '5', '10']]);
    const wallet = getAddress(taker.wallet);
    expect(trades[0]).toMatchObject({ id: seen.tradeIds[1], tradeType: 'TAKER', maker: wallet, sizeUsdc: '2' });
  },
  getLastTradePrice: async () => {
    expect(await taker.client.getLastTradePrice(market.yes)).toEqual({ price: '0.4', side: 'SELL' });
  },
  getLastTradesPrices: async () => {
    const rows = await taker.client.getLastTradesPrices([{ token_id: market.no, side: Side.BUY }]);
    expect(rows).toEqual([{ token_id: market.no, price: '0.6', side: 'BUY' }]);
  },
  getMarketTradesEvents: async () => {
    const [newest, ...others] = await taker.client.getMarketTradesEvents(market.conditionId);
    expect([newest.price, newest.side, newest.user.address]).toEqual(['0.4', 'SELL', taker.wallet]);
    expect([others.length, newest.transaction_hash]).toEqual([2, seen.hashes[1]]);
  },
  getNotifications: async () => {
    const notices = await maker.client.getNotifications();
    expect(notices.map(({ type, payload }) => [type, payload.trade_id]).slice(0, 2)).toEqual([
      [2, seen.tradeIds[1]],
      [2, seen.tradeIds[0]],
    ]);
    expect(notices[0].owner).toBe(maker.apiKey);
  },
  dropNotifications: async () => {
    await maker.client.dropNotifications({ ids: ['1', '3'] });
    const left = (await maker.client.getNotifications()).map(({ payload }) => payload.trade_id);
    expect(left).toEqual([seen.tradeIds[0]]);
  },
  getBalanceAllowance: async () => {
    const { balance } = await maker.client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL });
    seen.balance = CREDIT_MICRO + 6_000_000n - 4_050_000n;
    expect(BigInt(balance)).toBe(seen.balance);
  },
  updateBalanceAllowance: async () => {
    await maker.client.updateBalanceAllowance({ asset_type: AssetType.COLLATERAL });
    const { balance } = await maker.client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL });
    expect(BigInt(balance)).toBe(seen.balance);
  },
};

const canceling: Exercises = {
  cancelOrder: async () => {
    const reply = await maker.client.cancelOrder({ orderID: seen.limitId });
    expect(reply).toEqual({ canceled: [seen.limitId], not_canceled: {} });
  },
  cancelOrders: async () => {
    const reply = await maker.client.cancelOrders([seen.limitId, seen.batchIds[0]]);
    expect([reply.canceled, Object.keys(reply.not_canceled)]).toEqual([[seen.batchIds[0]], [seen.limitId]]);
  },
  cancelMarketOrders: async () => {
    const { canceled } = await maker.client.cancelMarketOrders({ market: market.conditionId });
    expect([canceled.length, canceled.includes(seen.batchIds[1])]).toEqual([2, true]);
  },
  cancelAll: async () => {
    const { orderID } = await limit(maker, market, Side.BUY, market.yes, 0.2, 10);
    expect(await maker.client.cancelAll()).toEqual({ canceled: [orderID], not_canceled: {} });
    expect(await maker.client.getOpenOrders()).toEqual([]);
  },
  postHeartbeat: async () => {
    seen.heartbeat = (await maker.client.postHeartbeat()).heartbeat_id;
    expect(seen.heartbeat).toMatch(UUID);
    const { heartbeat_id: next } = await maker.client.postHeartbeat(seen.heartbeat);
    const refusal: ApiError = await refusalOf(maker.client.postHeartbeat(seen.heartbeat));
    expect(refusal.data).toMatchObject({ error_msg: 'Invalid Heartbeat ID', heartbeat_id: next });
  },
};

export const tradingExercises: Exercises = { ...resting, ...prices, ...taking, ...canceling };
