// What a log says about markets and about commands, folded from its events in the plainest way: terms, status and times of
// every market, and how often each command was accepted or refused since the latest start. Used by viewsReferee.ts as what
// the views must show; it shares no code with them.
import { type EngineEvent, type EventOf, type LogRecord, MarketStatus, PIPS_PER_UNIT } from '../../engine/index.ts';

interface FoldedMarket {
  /** The event that last set its terms. */
  terms: EventOf<'MarketCreated'> | EventOf<'MarketUpdated'>;
  status: number;
  resolution: number | undefined;
  readonly createdMs: number;
  updatedMs: number;
  closedMs: number | undefined;
  resolvedMs: number | undefined;
  /** When its levels, its tick or its minimum last changed. */
  bookChangedMs: number;
  lastTrade: { readonly pricePips: number; readonly side: number; readonly tMs: number } | undefined;
}

interface PlacedOrder {
  readonly market: FoldedMarket;
  readonly outcome: number;
  readonly side: number;
  isResting: boolean;
}

export class MarketsFold {
  readonly markets: FoldedMarket[] = [];
  /** How often each thing happened since the latest start, under its name and outcome. */
  readonly counts = new Map<string, number>();
  private readonly orders = new Map<number, PlacedOrder>();

  /** Takes a record before its events. */
  takeCommand({ command, events }: LogRecord): void {
    if (command.type === 'Started') this.counts.clear();
    const isRefused = events.some(({ type }) => type === 'Rejected' || type === 'OrderKilled');
    this.count(`${command.type} ${isRefused ? 'refused' : 'accepted'}`);
  }

  take(event: EngineEvent, { tMs }: LogRecord): void {
    switch (event.type) {
      case 'MarketCreated': {
        const times = { createdMs: tMs, updatedMs: tMs, bookChangedMs: tMs };
        const none = { resolution: undefined, closedMs: undefined, resolvedMs: undefined, lastTrade: undefined };
        this.markets.push({ terms: event, status: event.status, ...times, ...none });
        return;
      }
      case 'MarketUpdated':
        this.update(this.markets[event.marketIndex], event, tMs);
        return;
      case 'MarketResolved': {
        const about = { status: MarketStatus.RESOLVED, resolution: event.resolution, updatedMs: tMs, resolvedMs: tMs };
        Object.assign(this.markets[event.marketIndex], about);
        return;
      }
      case 'OrderAccepted': {
        const { orderNumber, marketIndex, outcome, side } = event;
        this.orders.set(orderNumber, { market: this.markets[marketIndex], outcome, side, isResting: false });
        return;
      }
      default:
        this.takeBook(event, tMs);
    }
  }

  private takeBook(event: EngineEvent, tMs: number): void {
    switch (event.type) {
      case 'OrderRested': {
        const order = this.order(event.orderNumber);
        order.isResting = true;
        order.market.bookChangedMs = tMs;
        return;
      }
      case 'Fill':
        this.order(event.makerOrderNumber).market.bookChangedMs = tMs;
        return;
      case 'OrderCanceled': {
        const { market, isResting } = this.order(event.orderNumber);
        this.count(`canceled ${event.reason}`);
        if (isResting) market.bookChangedMs = tMs;
        return;
      }
      case 'Trade': {
        const { outcome, side } = this.order(event.takerOrderNumber);
        const pricePips = outcome === 0 ? event.pricePips : PIPS_PER_UNIT - event.pricePips;
        this.markets[event.marketIndex].lastTrade = { pricePips, side: outcome === 0 ? side : 1 - side, tMs };
        this.count('trade');
        return;
      }
      default:
    }
  }

  private update(market: FoldedMarket, event: EventOf<'MarketUpdated'>, tMs: number): void {
    const { tickPips, minOrderLots } = market.terms;
    if (event.tickPips !== tickPips || event.minOrderLots !== minOrderLots) market.bookChangedMs = tMs;
    if (event.status === MarketStatus.CLOSED && market.status !== MarketStatus.CLOSED) market.closedMs = tMs;
    Object.assign(market, { terms: event, status: event.status, updatedMs: tMs });
  }

  private order(orderNumber: number): PlacedOrder {
    const order = this.orders.get(orderNumber);
    if (order === undefined) throw new Error(`fold: order ${orderNumber} was never accepted`);
    return order;
  }

  private count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
