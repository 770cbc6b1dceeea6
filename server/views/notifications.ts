// Notifications to owners: orders that the exchange ended, fills, and resolutions of markets in which they hold shares. Fed by
// the follower of index.ts; read by the routes of notifications. Each owner's are numbered from 1; only the newest are kept,
// and dropped ones are removed. No other owner ever sees them.
import { CancelReason, type CommandOf, limits, notificationNumber } from '../../engine/index.ts';
import { type FreshTrade, type Order, type Trade, unfilledLots } from './records.ts';

interface Numbered {
  /** Among the owner's notifications, from 1. */
  readonly number: number;
  readonly tMs: number;
}

/** An order that the exchange ended. */
interface CanceledNotice extends Numbered {
  readonly kind: 'canceled';
  readonly order: Order;
}

/** An order's part of a trade. */
interface FilledNotice extends Numbered {
  readonly kind: 'filled';
  readonly order: Order;
  readonly trade: Trade;
  readonly lots: number;
  /** In the order's own token. */
  readonly pricePips: number;
  /** The order's remainder after this trade. */
  readonly remainingLots: number;
}

/** A token that the owner held when its market was resolved. */
interface ResolvedNotice extends Numbered {
  readonly kind: 'resolved';
  readonly marketIndex: number;
  readonly outcome: number;
  readonly sharesMicro: number;
}

export type Notice = CanceledNotice | FilledNotice | ResolvedNotice;
type Unnumbered<N extends Notice> = Omit<N, keyof Numbered>;

/** An owner's notifications. */
interface Box {
  lastNumber: number;
  /** Oldest first. */
  notices: Notice[];
}

/** The newest notifications. Dropped ones count too, so a notification that has aged out never reappears. */
function keptOf({ lastNumber, notices }: Box): Notice[] {
  return notices.filter(({ number }) => number > lastNumber - limits.notificationIdsMax);
}

export class NotificationsView {
  private byOwner = new Map<string, Box>();

  /** The owner's notifications, oldest first. */
  of(owner: string): readonly Notice[] {
    const box = this.byOwner.get(owner);
    return box === undefined ? [] : keptOf(box);
  }

  canceled(order: Order, reason: number, tMs: number): void {
    if (reason !== CancelReason.REQUESTED) this.add<CanceledNotice>(order.owner, tMs, { kind: 'canceled', order });
  }

  /** Notifies the taker and every maker. Each order already holds its remainder after this trade. */
  traded(trade: FreshTrade, tMs: number): void {
    const { taker, lots, pricePips } = trade;
    const remainingLots = unfilledLots(taker);
    this.add<FilledNotice>(taker.owner, tMs, { kind: 'filled', order: taker, trade, lots, pricePips, remainingLots });
    for (const { order, lots: makerLots, pricePips: makerPips } of trade.makers) {
      const part = { lots: makerLots, pricePips: makerPips, remainingLots: order.restingLots };
      this.add<FilledNotice>(order.owner, tMs, { kind: 'filled', order, trade, ...part });
    }
  }

  resolved(marketIndex: number, owner: string, outcome: number, sharesMicro: number, tMs: number): void {
    this.add<ResolvedNotice>(owner, tMs, { kind: 'resolved', marketIndex, outcome, sharesMicro });
  }

  /** Applies an accepted DropNotifications. */
  dropped({ owner, items = [] }: CommandOf<'DropNotifications'>): void {
    const box = this.byOwner.get(owner);
    if (box === undefined) return;
    const numbers = new Set(items.map(notificationNumber));
    box.notices = box.notices.filter(({ number }) => !numbers.has(number));
  }

  /** This view's part of a snapshot, stored together with orders and trades. */
  get state(): Map<string, Box> {
    return this.byOwner;
  }

  set state(state: Map<string, Box>) {
    this.byOwner = state;
  }

  private add<N extends Notice>(owner: string, tMs: number, notice: Unnumbered<N>): void {
    let box = this.byOwner.get(owner);
    if (box === undefined) {
      box = { lastNumber: 0, notices: [] };
      this.byOwner.set(owner, box);
    }
    box.lastNumber += 1;
    // Restores the fields that Unnumbered omitted; TypeScript cannot see that the result is N again.
    box.notices.push({ ...notice, number: box.lastNumber, tMs } as unknown as N);
    // Trimmed in bulk now and then: trimming one at a time would move all of them each time.
    if (box.notices.length >= 2 * limits.notificationIdsMax)
      box.notices = box.notices.slice(-limits.notificationIdsMax);
  }
}
