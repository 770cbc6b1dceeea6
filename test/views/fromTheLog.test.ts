// Price histories and the figures of markets on random worlds, compared with what follows from the events of the log alone:
// midpoints, volume, volume of the last 24 hours, liquidity and best prices, each computed from scratch in the simplest way.
import { expect, test } from 'vitest';
import { type EngineEvent, encodeCommand, type LogRecord, openExchange, Side } from '../../engine/index.ts';
import { Catalog } from '../../server/catalog/index.ts';
import { hasBook, Views } from '../../server/views/index.ts';
import { priceHistoryJson } from '../../server/wire/priceHistory.ts';
import { newClock, Player, settings } from '../history/world.ts';
import { Random } from '../model/random.ts';

const STEP_MS = 300_000;
const STEPS_OF_DAY = 288;
const HALF_PIPS = 20_000;

interface Resting {
  readonly market: number;
  readonly isBid: boolean;
  /** In the first token's terms. */
  readonly pips: number;
  lots: number;
}

interface Seen {
  readonly trades: { readonly tMs: number; readonly micro: number }[];
  /** Best bid + best ask, at each change. */
  readonly midpoints: { readonly tMs: number; readonly sum: number }[];
}

/** Resting orders and the history of each market, from the events alone. */
class FromTheLog {
  readonly seen: Seen[] = [];
  private readonly orders = new Map<number, Resting>();
  private touched = new Set<number>();

  /** @param isOpen whether a market has a book after the record */
  take({ events, tMs }: LogRecord, isOpen: (market: number) => boolean): void {
    this.touched = new Set();
    for (const event of events) this.takeEvent(event, tMs);
    for (const market of this.touched) {
      const { midpoints } = this.seen[market];
      const { bid, ask } = this.best(market);
      if (isOpen(market) && midpoints.at(-1)?.sum !== bid + ask) midpoints.push({ tMs, sum: bid + ask });
    }
  }

  best(market: number) {
    const own = this.restingIn(market);
    const bids = own.filter(({ isBid }) => isBid).map(({ pips }) => pips);
    const asks = own.filter(({ isBid }) => !isBid).map(({ pips }) => pips);
    return { bid: Math.max(0, ...bids), ask: Math.min(10_000, ...asks) };
  }

  liquidityMicro(market: number): number {
    const behind = ({ isBid, pips, lots }: Resting): number => lots * (isBid ? pips : 10_000 - pips);
    return this.restingIn(market).reduce((sum, order) => sum + behind(order), 0);
  }

  private restingIn(market: number): readonly Resting[] {
    return [...this.orders.values()].filter((order) => order.market === market && order.lots > 0);
  }

  private takeEvent(event: EngineEvent, tMs: number): void {
    switch (event.type) {
      case 'MarketCreated':
        this.seen[event.marketIndex] = { trades: [], midpoints: [] };
        return;
      case 'OrderAccepted': {
        const { orderNumber, marketIndex: market, outcome, side, pricePips } = event;
        const isBid = (side === Side.BUY) === (outcome === 0);
        this.orders.set(orderNumber, { market, isBid, pips: outcome === 0 ? pricePips : 10_000 - pricePips, lots: 0 });
        return;
      }
      case 'OrderRested':
        this.rest(event.orderNumber, event.lots);
        return;
      case 'Fill':
        this.rest(event.makerOrderNumber, event.remainingLots);
        return;
      case 'OrderCanceled':
        this.rest(event.orderNumber, 0);
        return;
      case 'Trade':
        this.seen[event.marketIndex].trades.push({ tMs, micro: event.lots * event.pricePips });
        return;
      default:
    }
  }

  private rest(orderNumber: number, lots: number): void {
    const order = this.orders.get(orderNumber);
    if (order === undefined || order.lots === lots) return;
    order.lots = lots;
    this.touched.add(order.market);
  }
}

interface Range {
  readonly startS: number;
  readonly endS: number;
  readonly fidelityMinutes: number;
}

/** The points of a history of the first token between two times, at full steps and at its end. */
function pointsOf({ midpoints }: Seen, { startS, endS, fidelityMinutes }: Range, lastS: number): [number, number][] {
  if (midpoints.length === 0) return [];
  const points: [number, number][] = [];
  const sumBefore = (tMs: number): number | undefined => midpoints.findLast((one) => one.tMs < tMs)?.sum;
  const firstS = Math.floor(midpoints[0].tMs / 60_000) * 60 + 60;
  for (let timeS = firstS; timeS <= endS && timeS < lastS; timeS += 60) {
    const sum = sumBefore(timeS * 1_000);
    if (timeS >= startS && timeS % (fidelityMinutes * 60) === 0 && sum !== undefined) points.push([timeS, sum]);
  }
  const shownS = Math.min(endS, lastS);
  if (lastS - shownS >= 60 || startS > shownS || points.at(-1)?.[0] === shownS) return points;
  const latest = midpoints[midpoints.length - 1];
  const isKnown = shownS === lastS || shownS % 60 === 0 || Math.floor(latest.tMs / 1_000) <= shownS;
  const sum = shownS !== lastS && shownS % 60 === 0 ? sumBefore(shownS * 1_000) : latest.sum;
  if (isKnown && sum !== undefined) points.push([shownS, sum]);
  return points;
}

for (const seed of [1, 2, 3, 4]) {
  test(`price histories and market figures match those computed from the log events: world ${seed}`, async () => {
    const [clock, views, random] = [newClock(), new Views(), new Random(seed)];
    const catalog = new Catalog(views);
    const log = new FromTheLog();
    const isOpen = (index: number): boolean => {
      const market = views.markets.byIndex(index);
      return market !== undefined && hasBook(market);
    };
    const taker = { name: 'events', apply: (record: LogRecord): void => log.take(record, isOpen) };
    const exchange = await openExchange({
      dataDir: undefined,
      clock,
      settings,
      followers: [...views.followers(), taker],
    });
    const player = new Player(seed, { exchange, clock, views });
    await player.play(0);
    let pointCount = 0;
    for (let round = 0; round < 40; round += 1) {
      await player.continue(random.int(1, 12));
      clock.advance(random.pick([0, 400, 60_000, 200_000, 15_000_000, 86_100_000, 86_400_000]));
      await exchange.submit(encodeCommand({ type: 'Tick' }));
      const nowMs = exchange.now();
      const nowS = Math.floor(nowMs / 1_000);
      catalog.settle(nowMs);
      for (const market of views.markets.list()) {
        const seen = log.seen[market.index];
        const isOfDay = ({ tMs }: { readonly tMs: number }): boolean =>
          Math.floor(tMs / STEP_MS) > Math.floor(nowMs / STEP_MS) - STEPS_OF_DAY;
        const sum = (trades: Seen['trades']): number => trades.reduce((total, { micro }) => total + micro, 0);
        const { bid, ask } = log.best(market.index);
        expect(catalog.marketFiguresOf(market)).toMatchObject({
          ...{ volumeMicro: sum(seen.trades), volume24Micro: sum(seen.trades.filter(isOfDay)) },
          ...{ liquidityMicro: log.liquidityMicro(market.index), bidPips: bid, askPips: ask },
        });
        const endS = nowS - random.pick([0, 0, 1, 30, 59, 60, 7_200]);
        const startS = endS - random.pick([0, 59, 600, 86_400]);
        const range = { startS, endS, fidelityMinutes: random.pick([1, 1, 3, 60]) };
        const lastS = market.closedMs === undefined ? nowS : Math.floor(market.closedMs / 1_000);
        const points = pointsOf(seen, range, lastS);
        pointCount += points.length;
        for (const outcome of [0, 1]) {
          const json = priceHistoryJson(views.midpoints, market, outcome, { ...range, intervalS: undefined }, nowS);
          const shown = points.map(([t, p]) => ({ t, p: (outcome === 0 ? p : HALF_PIPS - p) / HALF_PIPS }));
          expect(JSON.parse(json), `round ${round}, ${JSON.stringify({ ...range, nowS, lastS })}`).toEqual(shown);
        }
      }
    }
    expect(pointCount).toBeGreaterThan(1_000);
    expect(log.seen.flatMap(({ trades }) => trades).length).toBeGreaterThan(10);
    await exchange.close();
  });
}
