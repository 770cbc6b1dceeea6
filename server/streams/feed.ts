// The follower of the streams: passes each event of a record to the feeds of markets and owners, and signals when messages wait
// to be published. It is registered behind the views' follower, whose state it expects to be that right after the record. It
// never throws on a record and publishes nothing itself.
import type { EngineEvent, EventOf, Follower, LogRecord, Sections } from '../../engine/index.ts';
import { type StreamSettings, streamSettings } from '../config/streamSettings.ts';
import type { Views } from '../views/index.ts';
import { logName } from '../wire/streamIds.ts';
import { MarketFeed } from './marketFeed.ts';
import { UserFeed } from './userFeed.ts';

/**
 * Raised whenever the content or meaning of the feeds' snapshots changes, and whenever the messages that are counted do, since
 * the streams' numbers count messages. It is part of the streams' names.
 */
const SNAPSHOT_VERSION = 2;

/** A log's identity in the names of its streams, ms, derived from the time of its first record. */
export type LogIdentity = (firstMs: number) => number;

export class StreamFeed {
  readonly views: Views;
  readonly markets: MarketFeed;
  readonly users: UserFeed;
  /** Called at the end of a record after which messages wait; not again until all of them are published. */
  onWaiting: (() => void) | undefined;
  /** Called when an API key is deleted (its 16 bytes in hex), with its owner. */
  onKeyDeleted: ((owner: string, keyId: string) => void) | undefined;
  /** How many new markets have been published. */
  announcedCount = 0;
  private firstMs = 0;
  private readonly identityOf: LogIdentity;

  constructor(views: Views, settings: StreamSettings = streamSettings, identityOf: LogIdentity = (firstMs) => firstMs) {
    this.views = views;
    this.identityOf = identityOf;
    this.markets = new MarketFeed(views, settings, () => this.log);
    this.users = new UserFeed(views, settings.userEntriesMax);
  }

  /** The log's name as part of the streams' names. */
  get log(): string {
    return logName(SNAPSHOT_VERSION, this.identityOf(this.firstMs));
  }

  /** The followers to register with the exchange, behind those of the views. */
  followers(): readonly Follower[] {
    const snapshot = { version: SNAPSHOT_VERSION, visit: (sections: Sections) => this.visit(sections) };
    return [{ name: 'streams', apply: (record) => this.apply(record), snapshot }];
  }

  /** Loads or saves the feeds, after the views; never while a socket is subscribed. */
  private visit(sections: Sections): void {
    this.firstMs = sections.number('firstMs', this.firstMs);
    this.markets.visit(sections.part('markets'));
    this.users.visit(sections.part('users'));
  }

  private apply(record: LogRecord): void {
    const { events, tMs } = record;
    if (record.sequence === 1) this.firstMs = tMs;
    const { markets, users } = this;
    const wasWaiting = this.isWaiting;
    users.recordBegan();
    for (let at = 0; at < events.length; at += 1) this.applyEvent(events[at], events[at + 1], tMs);
    markets.recordEnded(tMs);
    if (!wasWaiting && this.isWaiting) this.onWaiting?.();
  }

  /** Whether messages wait to be published. */
  get isWaiting(): boolean {
    const { markets, users } = this;
    return markets.dirty.length > 0 || users.dirty.length > 0 || markets.newMarkets.length > this.announcedCount;
  }

  private applyEvent(event: EngineEvent, next: EngineEvent | undefined, tMs: number): void {
    const { markets, users } = this;
    switch (event.type) {
      case 'OrderAccepted':
        users.placement(event.orderNumber, tMs);
        return;
      case 'Fill':
        users.update(event.makerOrderNumber, tMs);
        return;
      case 'OrderReleased':
        if (!endsNext(event, next)) users.update(event.orderNumber, tMs);
        return;
      case 'OrderKilled':
      case 'OrderCanceled':
        users.cancellation(event.orderNumber, tMs);
        return;
      case 'Trade':
        markets.traded(event);
        users.traded(event, tMs);
        return;
      case 'TradeStatusChanged':
        users.statusChanged(event, tMs);
        return;
      case 'MarketCreated':
      case 'MarketUpdated':
        markets.marketTouched(event);
        return;
      case 'MarketResolved':
        markets.resolved(event.marketIndex);
        return;
      case 'ApiKeyDeleted':
        this.onKeyDeleted?.(event.owner, event.keyId);
        return;
      default: // No stream reports the other events.
    }
  }
}

/** Whether a released order could not enter the book: the next event is then its cancel, and it never rested. */
function endsNext({ orderNumber }: EventOf<'OrderReleased'>, next: EngineEvent | undefined): boolean {
  return next?.type === 'OrderCanceled' && next.orderNumber === orderNumber;
}
