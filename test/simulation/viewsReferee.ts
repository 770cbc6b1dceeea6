// Compares the views with what their whole log says: orders, trades, notifications, markets, books of second tokens, counts.
// The referees are the historian's and the folds beside this file, which share no code with the views. Called by
// simulation.ts at the end of seeds that keep their records.
import { CancelReason, type LogRecord, PIPS_PER_UNIT, Side } from '../../engine/index.ts';
import type { Notice, Order, Trade, TradeParty, Views } from '../../server/views/index.ts';
import { tradeId } from '../../server/wire/ids.ts';
import { Oracle, type OracleOrder } from '../history/oracle.ts';
import { numbersOf } from '../support/numbersOf.ts';
import { fail } from './audit.ts';
import { MarketsFold } from './marketsFold.ts';
import { same } from './same.ts';
import { noticeTexts, TradingFold } from './tradingFold.ts';

/** How many ended orders the views keep, at the least. */
const ENDED_KEPT = 4_096;

/** Compares all that these views show with the records from the first one on. */
export function compareWithLog(views: Views, records: readonly LogRecord[]): void {
  const oracle = new Oracle(records, () => '');
  const [trading, markets] = [new TradingFold(), new MarketsFold()];
  for (const record of records) {
    markets.takeCommand(record);
    for (const event of record.events) {
      trading.take(event, record);
      markets.take(event, record);
    }
    trading.ended(record);
  }
  compareOrders(views, oracle, trading);
  compareTrades(views, oracle, trading);
  compareBuilders(views, trading);
  compareNotices(views, trading);
  compareMarkets(views, oracle, markets);
  compareBooks(views);
  compareCounts(views, markets);
}

function compareOrders({ orders }: Views, oracle: Oracle, trading: TradingFold): void {
  const latest = new Map<string, number>();
  for (const [number, order] of oracle.orders) {
    latest.set(order.id, number);
    const shown = orders.byOrderNumber(number);
    if (shown === undefined && oracle.orders.size > ENDED_KEPT) continue;
    const { outcome, orderType, pricePips, originalLots, expirationS, createdMs, filledLots, status } = order;
    const { wasDelayed, cancelReason, signatureType } = trading.order(number);
    same('an order is shown as the log has it', shown && { ...shown, trades: tradeIdsOf(shown) }, {
      ...{
        orderNumber: number,
        ...partyOf(oracle, order, trading.order(number)),
        marketIndex: order.market.index,
        outcome,
        orderType,
      },
      ...{ pricePips, originalLots, expirationS, createdMs, filledLots, status, wasDelayed, cancelReason },
      ...{ restingLots: status === 'LIVE' ? originalLots - filledLots : 0, trades: order.tradeIds, signatureType },
    });
  }
  for (const [id, number] of latest) {
    const shown = orders.byId(id)?.orderNumber;
    if (shown !== undefined || oracle.orders.size <= ENDED_KEPT) same('an id finds its latest order', shown, number);
  }
}

const tradeIdsOf = ({ marketIndex, trades }: Order): readonly string[] =>
  numbersOf(trades).map((number) => tradeId(marketIndex, number));

/** What an order's part of a trade states about it. */
function partyOf({ wallets }: Oracle, order: OracleOrder, { builder }: Pick<TradeParty, 'builder'>): TradeParty {
  const { id, accountId, owner, keyId, outcome, side } = order;
  const maker = wallets[accountId];
  return { id, accountId, owner, maker, keyId, outcome, side: side === 'BUY' ? Side.BUY : Side.SELL, builder };
}

const shownParty = ({ id, accountId, owner, maker, keyId, outcome, side, builder }: TradeParty): TradeParty => {
  return { id, accountId, owner, maker, keyId, outcome, side, builder };
};

function compareTrades({ trades }: Views, oracle: Oracle, trading: TradingFold): void {
  const partyBy = (number: number): TradeParty | undefined => {
    const order = oracle.orders.get(number);
    return order && partyOf(oracle, order, trading.order(number));
  };
  const ofOwner = new Map<string, Set<number>>();
  let ordinal = 0;
  for (const { event, fills, matchMs, status, updatedMs } of trading.trades.values()) {
    ordinal += 1;
    const { marketIndex, tradeNumber, takerOrderNumber, pricePips, lots, feeMicro } = event;
    const shown = trades.byNumber(marketIndex, tradeNumber);
    same('a trade is shown as the log has it', shown && factsOf(shown), {
      ...{ ordinal, marketIndex, tradeNumber, pricePips, lots, feeMicro, status, matchMs, updatedMs },
      taker: partyBy(takerOrderNumber),
      makers: fills.map((fill) => {
        const { makerOrderNumber, kind } = fill;
        return { order: partyBy(makerOrderNumber), lots: fill.lots, pricePips: fill.pricePips, kind };
      }),
    });
    for (const number of [takerOrderNumber, ...fills.map(({ makerOrderNumber }) => makerOrderNumber)]) {
      const { owner } = trading.order(number);
      ofOwner.set(owner, (ofOwner.get(owner) ?? new Set()).add(ordinal));
    }
  }
  for (const [owner, ordinals] of ofOwner)
    same('an owner has its trades', numbersOf(trades.ofOwner(owner)), [...ordinals]);
}

function factsOf(trade: Trade): unknown {
  const { ordinal, marketIndex, tradeNumber, pricePips, lots, feeMicro, status, matchMs, updatedMs } = trade;
  const makers = trade.makers.map((maker) => {
    return { order: shownParty(maker.order), lots: maker.lots, pricePips: maker.pricePips, kind: maker.kind };
  });
  const facts = { ordinal, marketIndex, tradeNumber, pricePips, lots, feeMicro, status, matchMs, updatedMs };
  return { ...facts, taker: shownParty(trade.taker), makers };
}

/** The fills of each builder's code, oldest first: in a trade the taker's, then those of makers. */
function compareBuilders({ builders }: Views, trading: TradingFold): void {
  const fillsOf = new Map<string, string[]>();
  const add = (orderNumber: number, trade: number, part: string): void => {
    const { id, builder } = trading.order(orderNumber);
    if (builder !== '') fillsOf.set(builder, [...(fillsOf.get(builder) ?? []), `${id} as ${part} of trade ${trade}`]);
  };
  let ordinal = 0;
  for (const { event, fills } of trading.trades.values()) {
    ordinal += 1;
    add(event.takerOrderNumber, ordinal, 'taker');
    for (const { makerOrderNumber, lots } of fills) add(makerOrderNumber, ordinal, `maker of ${lots} lots`);
  }
  for (const [code, due] of fillsOf) {
    const shown = Array.from({ length: builders.countOf(code) }, (_, index) => {
      const { trade, maker } = builders.fillOf(code, index + 1);
      const part = maker === undefined ? 'taker' : `maker of ${maker.lots} lots`;
      return `${(maker?.order ?? trade.taker).id} as ${part} of trade ${trade.ordinal}`;
    });
    same('a builder has its fills', shown, due);
  }
}

function compareNotices({ notifications }: Views, trading: TradingFold): void {
  for (const owner of trading.notifiedOwners) {
    const shown = notifications.of(owner);
    const due = trading.noticesOf(owner);
    for (const [index, notice] of shown.entries()) {
      const { number, tMs } = notice;
      same('an owner has its notifications', { number, tMs, text: textOf(notice) }, due[index]);
    }
    same('an owner has all notifications', shown.length, due.length);
  }
}

function textOf(notice: Notice): string {
  switch (notice.kind) {
    case 'canceled':
      return noticeTexts.canceled(notice.order.id);
    case 'filled': {
      const { order, tradeNumber, lots, pricePips, remainingLots } = notice;
      const id = `${order.marketIndex}/${tradeNumber}`;
      return noticeTexts.filled(order.id, id, lots, pricePips, remainingLots);
    }
    case 'resolved':
      return noticeTexts.resolved(notice.marketIndex, notice.outcome, notice.sharesMicro);
  }
}

function compareMarkets({ markets }: Views, oracle: Oracle, fold: MarketsFold): void {
  for (const [index, { terms, ...due }] of fold.markets.entries()) {
    const { tickPips, minOrderLots, minMarketableBuyMicro, feeRate, feeExponent, delaySeconds } = terms;
    const rules = { tickPips, minOrderLots, minMarketableBuyMicro, feeRate, feeExponent, delaySeconds };
    const { conditionId, tokens, texts, eventNumber } = oracle.markets[index];
    const market = markets.byCondition(conditionId);
    if (market === undefined) fail('a market is found by its condition', { index });
    const { status, resolution, createdMs, updatedMs, closedMs, resolvedMs, bookChangedMs, lastTrade } = market;
    const times = { createdMs, updatedMs, closedMs, resolvedMs, bookChangedMs };
    same('a market has its status and times', { status, resolution, ...times, lastTrade }, due);
    same('a market has its terms', market.terms, { ...rules, autoTick: terms.autoTick === 1 });
    const about = { index, negRisk: terms.negRisk === 1, eventNumber, tokens, texts, question: texts.question };
    const { negRisk, question } = market;
    const shown = { index: market.index, negRisk, eventNumber: market.eventNumber, tokens: market.tokens };
    same('a market has its texts', { ...shown, texts: market.texts, question }, about);
    for (const outcome of [0, 1] as const) {
      same('a token finds its market', markets.byToken(tokens[outcome]), { market, outcome });
    }
  }
  for (const { number, texts } of oracle.events)
    same('an event has its texts', markets.eventByNumber(number)?.texts, texts);
}

/** Books of second tokens mirror those of the first, whose levels comparison.ts compares with the log. */
function compareBooks({ books, markets }: Views): void {
  for (const { index } of markets.list()) {
    const [first, second] = [books.book(index, 0), books.book(index, 1)];
    for (const [side, other] of [
      ['bids', 'asks'],
      ['asks', 'bids'],
    ] as const) {
      const { pips, lots } = first[other];
      same('a second token has the mirrored book', second[side], { pips: pips.map((at) => PIPS_PER_UNIT - at), lots });
    }
    const [bid, ask] = [first.bids.pips.at(-1) ?? 0, first.asks.pips.at(-1) ?? PIPS_PER_UNIT];
    const shown = [0, 1].map((outcome) => [books.bestBidPips(index, outcome), books.bestAskPips(index, outcome)]);
    same('both tokens have their best prices', shown, [
      [bid, ask],
      [PIPS_PER_UNIT - ask, PIPS_PER_UNIT - bid],
    ]);
    const behind = (lots: readonly number[], micro: (level: number) => number): number =>
      lots.reduce((sum, size, level) => sum + size * micro(level), 0);
    const due =
      behind(first.bids.lots, (level) => first.bids.pips[level]) +
      behind(first.asks.lots, (level) => PIPS_PER_UNIT - first.asks.pips[level]);
    same('a market has its liquidity', books.liquidityMicro(index), due);
  }
}

function compareCounts({ counts: shown }: Views, { counts }: MarketsFold): void {
  for (const { command, accepted, refused } of shown.commands) {
    const due = [counts.get(`${command} accepted`) ?? 0, counts.get(`${command} refused`) ?? 0];
    same(`commands are counted: ${command}`, [accepted, refused], due);
  }
  const due = Object.entries(CancelReason).map(([name, reason]) => [name, counts.get(`canceled ${reason}`) ?? 0]);
  same('cancelled orders are counted', [...shown.cancels], due);
  same('trades are counted', shown.tradeCount, counts.get('trade') ?? 0);
}
