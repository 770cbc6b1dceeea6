// The public interface of the views: in-memory read models, built from the log alone. One follower decodes each record once and
// hands every event to the views that it concerns, in a fixed order, so the views never disagree. Nothing here throws on a
// record, and nothing writes anything but the views.
import type { EngineEvent, EventOf, Follower, LogRecord, Sections } from '../../engine/index.ts';
import { AccountsView } from './accounts.ts';
import { BooksView } from './books.ts';
import { BuildersView } from './builders.ts';
import { isRejected, isUpdateOf } from './commandOutcome.ts';
import { CountsView } from './counts.ts';
import { KeysView } from './keys.ts';
import { MarketsView } from './markets.ts';
import { MidpointsView } from './midpoints.ts';
import { NotificationsView } from './notifications.ts';
import { OrdersView } from './orders.ts';
import type { Order } from './records.ts';
import { TradesView } from './trades.ts';

export { AccountsView } from './accounts.ts';
export { type BookSide, BooksView, type TokenBook } from './books.ts';
export type { BuilderFill } from './builders.ts';
export type { NamedCount } from './counts.ts';
export { hasBook, isListed, isOver, listedMarkets } from './marketStates.ts';
export { MarketsView, type TokenPlace } from './markets.ts';
export { MidpointsView, type SampleQuery } from './midpoints.ts';
export { NotificationsView } from './notifications.ts';
export type { NumberList } from './packedLists.ts';
export type * from './records.ts';
export { isOpen } from './records.ts';

/** Notified of changes to events and markets after the views have applied them. Its callbacks must not throw. */
export interface MarketObserver {
  readonly eventCreated: (eventNumber: number) => void;
  /** A market was created, or its texts, terms or status changed. */
  readonly marketChanged: (marketIndex: number) => void;
  /** Price levels of the market's book changed. */
  readonly bookChanged: (marketIndex: number) => void;
  /** A trade took place; `micro` is the collateral that it moved. */
  readonly traded: (marketIndex: number, micro: number, tMs: number) => void;
  /** The observer's part of a snapshot, after that of the views. Loading notifies the observer of nothing else. */
  readonly visit: (sections: Sections) => void;
}

/** Raised whenever the content or meaning of a view's or observer's snapshot changes. */
const SNAPSHOT_VERSION = 7;

export class Views {
  readonly markets = new MarketsView();
  readonly books = new BooksView();
  readonly accounts = new AccountsView();
  readonly keys = new KeysView();
  readonly orders = new OrdersView();
  readonly trades = new TradesView();
  readonly midpoints = new MidpointsView();
  readonly notifications = new NotificationsView();
  readonly builders = new BuildersView(this.trades);
  readonly counts = new CountsView();
  private observer: MarketObserver | undefined;
  /** The code with which the record being applied was rejected; undefined if it was accepted. */
  private rejectionCode: number | undefined;

  /** Notifies an observer of everything from now on. Call it before the log is read. */
  observe(observer: MarketObserver): void {
    this.observer = observer;
  }

  /** The followers to register with the exchange; through them these views follow its log. */
  followers(): readonly Follower[] {
    const snapshot = { version: SNAPSHOT_VERSION, visit: (sections: Sections) => this.visit(sections) };
    return [{ name: 'views', apply: (record) => this.apply(record), snapshot }];
  }

  private visit(sections: Sections): void {
    this.markets.visit(sections.part('markets'));
    this.books.visit(sections.part('books'));
    this.accounts.visit(sections.part('accounts'));
    this.keys.visit(sections.part('keys'));
    this.midpoints.visit(sections.part('history'));
    this.orders.visit(sections.part('orders'));
    this.trades.visit(sections.part('trades'));
    this.notifications.visit(sections.part('notifications'));
    this.builders.visit(sections.part('builders'));
    this.observer?.visit(sections.part('catalog'));
  }

  private apply(record: LogRecord): void {
    const { events, command, tMs } = record;
    this.orders.recordBegan(tMs);
    if (command.type === 'Started') this.counts.reset();
    this.rejectionCode = undefined;
    for (let i = 0; i < events.length; i += 1) this.applyEvent(events[i], record);
    this.counts.commandApplied(command, this.rejectionCode);
    if (command.type === 'DropNotifications' && !isRejected(record)) this.notifications.dropped(command);
    this.midpoints.recordEnded(this.books, this.markets, tMs);
  }

  /** Handles order and trade events, the bulk of every log; the two methods below handle the rest. */
  private applyEvent(event: EngineEvent, record: LogRecord): void {
    const { command, tMs } = record;
    switch (event.type) {
      case 'OrderAccepted':
        if (command.type === 'PlaceOrder') this.accounts.orderAccepted(this.orders.accepted(event, command, tMs));
        return;
      case 'OrderKilled':
        if (command.type === 'PlaceOrder') this.orders.killed(event, command, tMs);
        this.rejectionCode = event.code;
        return;
      case 'OrderRested': {
        const order = this.orders.rested(event.orderNumber, event.lots);
        if (order !== undefined) this.bookChanged(order, event.lots, tMs);
        return;
      }
      case 'OrderDelayed':
        this.orders.delayed(event.orderNumber);
        return;
      case 'OrderReleased':
        this.orders.released(event.orderNumber);
        return;
      case 'OrderFilled':
        this.orders.filled(event.orderNumber);
        return;
      case 'OrderCanceled': {
        const order = this.orders.byOrderNumber(event.orderNumber);
        if (order === undefined) return;
        this.bookChanged(order, -order.restingLots, tMs);
        this.orders.canceled(event.orderNumber, event.reason);
        this.counts.orderCanceled(event.reason);
        this.notifications.canceled(order, event.reason, tMs);
        return;
      }
      case 'Fill':
        this.filled(event, tMs);
        return;
      case 'Trade':
        this.traded(event, tMs);
        return;
      case 'TradeStatusChanged':
        this.trades.statusChanged(event, tMs);
        return;
      default:
        this.applyMoney(event, record);
    }
  }

  private applyMoney(event: EngineEvent, record: LogRecord): void {
    const { accounts } = this;
    switch (event.type) {
      case 'AccountOpened':
        accounts.open(event.accountId, event.wallet, event.owner);
        return;
      case 'CollateralChanged':
        accounts.setCollateral(event.accountId, event.collateralMicro);
        return;
      case 'SharesCredited':
        accounts.sharesCredited(event);
        return;
      case 'PositionSplit':
      case 'PositionMerged':
        accounts.positionChanged(event);
        return;
      case 'PositionRedeemed':
        accounts.positionRedeemed(event);
        return;
      default:
        this.applyRare(event, record);
    }
  }

  private applyRare(event: EngineEvent, record: LogRecord): void {
    const { command, tMs } = record;
    switch (event.type) {
      case 'EventCreated':
        this.markets.eventCreated(event, command, tMs);
        this.observer?.eventCreated(event.eventNumber);
        return;
      case 'MarketCreated':
        this.markets.created(event, command, tMs);
        this.observer?.marketChanged(event.marketIndex);
        return;
      case 'MarketUpdated':
        this.markets.updated(event, tMs);
        if (isUpdateOf(record, event.marketIndex)) this.markets.textsChanged(record.command);
        this.observer?.marketChanged(event.marketIndex);
        return;
      case 'MarketResolved':
        this.markets.resolved(event, tMs);
        this.notifyHolders(event.marketIndex, tMs);
        this.observer?.marketChanged(event.marketIndex);
        return;
      case 'ApiKeyCreated':
        this.keys.created(event, tMs);
        if (command.type === 'CreateApiKey') this.accounts.ownerKnown(command.owner, command.items ?? []);
        return;
      case 'ApiKeyDeleted':
        this.keys.deleted(event, tMs);
        return;
      case 'HeartbeatAccepted':
        this.keys.heartbeatAccepted(event);
        return;
      case 'HeartbeatLapsed':
        this.keys.heartbeatLapsed(event);
        return;
      case 'WalletBound':
        this.accounts.walletBound(event);
        return;
      case 'AccountFlagsChanged':
        this.accounts.setFlags(event.owner, event.flags);
        return;
      case 'ExchangeModeChanged':
        this.accounts.setMode(event.mode);
        return;
      case 'Rejected':
        this.rejectionCode = event.code;
        return;
      default: // CancelRefused, HeartbeatRefused: no view needs them.
    }
  }

  private bookChanged(order: Order, lots: number, tMs: number): void {
    if (lots === 0) return;
    this.books.add(order.marketIndex, order.outcome, order.side, order.pricePips, lots);
    this.markets.bookChanged(order.marketIndex, tMs);
    this.midpoints.bookChanged(order.marketIndex);
    this.observer?.bookChanged(order.marketIndex);
  }

  /** Notifies all holders of shares in a resolved market. */
  private notifyHolders(marketIndex: number, tMs: number): void {
    for (const outcome of [0, 1]) {
      for (const [owner, sharesMicro] of this.accounts.holdersOf(marketIndex, outcome)) {
        this.notifications.resolved(marketIndex, owner, outcome, sharesMicro, tMs);
      }
    }
  }

  private filled(event: EventOf<'Fill'>, tMs: number): void {
    const order = this.orders.makerFilled(event.makerOrderNumber, event.lots, event.remainingLots);
    if (order === undefined) return;
    this.accounts.setCollateral(order.accountId, event.makerCollateralMicro);
    this.accounts.setShares(order.accountId, order.marketIndex, order.outcome, event.makerSharesMicro);
    this.trades.filled(order, event);
    this.bookChanged(order, -event.lots, tMs);
  }

  private traded(event: EventOf<'Trade'>, tMs: number): void {
    const taker = this.orders.takerFilled(event.takerOrderNumber, event.lots);
    if (taker === undefined) return;
    this.accounts.traded(event, taker.accountId, taker.outcome);
    this.markets.traded(event, taker, tMs);
    const micro = event.lots * event.pricePips;
    this.counts.traded(micro);
    this.observer?.traded(event.marketIndex, micro, tMs);
    const trade = this.trades.traded(event, taker, tMs);
    this.orders.traded(trade);
    this.notifications.traded(trade, tMs);
    this.builders.traded(trade);
  }
}
