// What a log says about orders' ends, trades and notifications, folded from its events in the plainest way. Used by
// viewsReferee.ts beside the historian's referee, which knows the orders; it shares no code with the views.
import {
  CancelReason,
  type Command,
  type EngineEvent,
  type EventOf,
  type LogRecord,
  notificationNumber,
} from '../../engine/index.ts';
import { FEES_WALLET, HOUSE_WALLET } from '../model/names.ts';

interface FoldedTrade {
  readonly event: EventOf<'Trade'>;
  readonly fills: readonly EventOf<'Fill'>[];
  readonly matchMs: number;
  status: number;
  updatedMs: number;
}

interface FoldedOrder {
  readonly owner: string;
  readonly id: string;
  readonly event: EventOf<'OrderAccepted'> | EventOf<'OrderKilled'>;
  readonly signatureType: number;
  /** Its builder's code, '' for none. */
  readonly builder: string;
  filledLots: number;
  wasDelayed: boolean;
  cancelReason: number | undefined;
}

/** A notification; its text states all but number and time. */
interface FoldedNotice {
  readonly number: number;
  readonly tMs: number;
  readonly text: string;
}

/** How many of an owner's newest notifications are kept, dropped ones included. */
const NOTICES_KEPT = 500;

/** The texts of notifications; viewsReferee.ts forms those of the views in the same way. */
export const noticeTexts = {
  canceled: (order: string): string => `order ${order} canceled`,
  filled: (order: string, trade: string, lots: number, pips: number, left: number): string =>
    `order ${order} filled ${lots}@${pips} in trade ${trade}, ${left} left`,
  resolved: (market: number, outcome: number, micro: number): string =>
    `${micro} of token ${market}/${outcome} resolved`,
} as const;

const NO_BUILDER = `0x${'0'.repeat(64)}`;

/** The type of signature and the builder's code that an order's text states. */
function textsOf(command: Command): Pick<FoldedOrder, 'signatureType' | 'builder'> {
  if (command.type !== 'PlaceOrder' || command.tail === undefined) return { signatureType: 0, builder: '' };
  const { signatureType = 0, builder = NO_BUILDER } = JSON.parse(Buffer.from(command.tail).toString('utf8'));
  return { signatureType, builder: builder === NO_BUILDER ? '' : builder };
}

export class TradingFold {
  private readonly orders = new Map<number, FoldedOrder>();
  /** By `market/number`, in the order in which they took place. */
  readonly trades = new Map<string, FoldedTrade>();
  /** All notifications of each owner, oldest first. */
  private readonly notices = new Map<string, FoldedNotice[]>();
  /** Numbers of dropped notifications, by owner. */
  private readonly dropped = new Map<string, Set<number>>();
  private readonly owners: string[] = [FEES_WALLET, HOUSE_WALLET];
  private readonly wallets: string[] = [FEES_WALLET, HOUSE_WALLET];
  /** Micro-shares by account, under `market/outcome`. */
  private readonly shares: Map<string, number>[] = [];
  private fills: EventOf<'Fill'>[] = [];

  noticesOf(owner: string): readonly FoldedNotice[] {
    const all = this.notices.get(owner) ?? [];
    const dropped = this.dropped.get(owner);
    return all.slice(-NOTICES_KEPT).filter(({ number }) => dropped?.has(number) !== true);
  }

  get notifiedOwners(): Iterable<string> {
    return this.notices.keys();
  }

  /** Takes one event of a record. */
  take(event: EngineEvent, { command, tMs }: LogRecord): void {
    switch (event.type) {
      case 'OrderAccepted':
      case 'OrderKilled': {
        const { owner, orderId: id } = command.type === 'PlaceOrder' ? command : { owner: '', orderId: '' };
        const none = { filledLots: 0, wasDelayed: false, cancelReason: undefined };
        this.orders.set(event.orderNumber, { owner, id, event, ...textsOf(command), ...none });
        return;
      }
      case 'OrderDelayed':
        this.order(event.orderNumber).wasDelayed = true;
        return;
      case 'OrderCanceled': {
        const order = this.order(event.orderNumber);
        order.cancelReason = event.reason;
        if (event.reason === CancelReason.REQUESTED) return;
        this.notify(order.owner, tMs, noticeTexts.canceled(order.id));
        return;
      }
      case 'Fill':
        this.fills.push(event);
        return;
      case 'Trade':
        this.trade(event, tMs);
        return;
      case 'TradeStatusChanged': {
        const trade = this.trades.get(`${event.marketIndex}/${event.tradeNumber}`);
        if (trade === undefined) throw new Error('fold: a trade changes that never took place');
        trade.status = event.status;
        trade.updatedMs = tMs;
        return;
      }
      default:
        this.takeShares(event, tMs);
    }
  }

  /** Takes a record after its events: an accepted DropNotifications has none. */
  ended({ command, events }: LogRecord): void {
    if (command.type !== 'DropNotifications' || events.some(({ type }) => type === 'Rejected')) return;
    this.drop(command.owner, command.items ?? []);
  }

  order(orderNumber: number): FoldedOrder {
    const order = this.orders.get(orderNumber);
    if (order === undefined) throw new Error(`fold: order ${orderNumber} was never accepted`);
    return order;
  }

  private drop(owner: string, items: readonly string[]): void {
    const dropped = this.dropped.get(owner) ?? new Set();
    this.dropped.set(owner, dropped);
    const last = this.notices.get(owner)?.length ?? 0;
    for (const number of items.map(notificationNumber)) if (number <= last) dropped.add(number);
  }

  private takeShares(event: EngineEvent, tMs: number): void {
    switch (event.type) {
      case 'AccountOpened':
        this.owners[event.accountId] = event.owner;
        this.wallets[event.accountId] = event.wallet;
        return;
      case 'WalletBound': {
        const account = this.wallets.indexOf(event.wallet);
        if (account >= 0) this.owners[account] = event.owner;
        return;
      }
      case 'SharesCredited':
        this.hold(event.accountId, event.marketIndex, event.outcome, event.sharesMicro);
        this.hold(1, event.marketIndex, 1 - event.outcome, event.houseSharesMicro);
        return;
      case 'PositionSplit':
      case 'PositionMerged':
        this.hold(event.accountId, event.marketIndex, 0, event.firstSharesMicro);
        this.hold(event.accountId, event.marketIndex, 1, event.secondSharesMicro);
        return;
      case 'PositionRedeemed':
        for (const outcome of [0, 1]) this.hold(event.accountId, event.marketIndex, outcome, 0);
        return;
      case 'MarketResolved':
        for (const outcome of [0, 1]) this.resolved(event.marketIndex, outcome, tMs);
        return;
      default:
    }
  }

  private trade(event: EventOf<'Trade'>, tMs: number): void {
    const { marketIndex, tradeNumber, takerOrderNumber, lots, pricePips } = event;
    const id = `${marketIndex}/${tradeNumber}`;
    const taker = this.order(takerOrderNumber);
    taker.filledLots += lots;
    const left = Math.max(taker.event.originalLots - taker.filledLots, 0);
    this.hold(taker.event.accountId, marketIndex, taker.event.outcome, event.takerSharesMicro);
    this.notify(taker.owner, tMs, noticeTexts.filled(taker.id, id, lots, pricePips, left));
    for (const fill of this.fills) {
      const { remainingLots, makerSharesMicro } = fill;
      const { owner, id: orderId, event: made } = this.order(fill.makerOrderNumber);
      this.hold(made.accountId, marketIndex, made.outcome, makerSharesMicro);
      this.notify(owner, tMs, noticeTexts.filled(orderId, id, fill.lots, fill.pricePips, remainingLots));
    }
    this.trades.set(id, { event, fills: this.fills, matchMs: tMs, status: 0, updatedMs: tMs });
    this.fills = [];
  }

  /** Notifies the owners of a resolved token. */
  private resolved(market: number, outcome: number, tMs: number): void {
    const held = new Map<string, number>();
    for (const [account, shares] of this.shares.entries()) {
      const micro = shares?.get(`${market}/${outcome}`) ?? 0;
      const owner = this.owners[account];
      if (micro > 0) held.set(owner, (held.get(owner) ?? 0) + micro);
    }
    for (const [owner, micro] of held) this.notify(owner, tMs, noticeTexts.resolved(market, outcome, micro));
  }

  private hold(account: number, market: number, outcome: number, micro: number): void {
    this.shares[account] ??= new Map();
    this.shares[account].set(`${market}/${outcome}`, micro);
  }

  private notify(owner: string, tMs: number, text: string): void {
    const notices = this.notices.get(owner) ?? [];
    this.notices.set(owner, notices);
    notices.push({ number: notices.length + 1, tMs, text });
  }
}
