// Notifications to owners: orders that the exchange ended, fills, and resolutions of markets in which they hold shares. Fed by
// the follower of index.ts; read by the routes of notifications. Each owner's are numbered from 1; only the newest are kept,
// and dropped ones are removed. No other owner ever sees them.
import {
  CancelReason,
  type CommandOf,
  limits,
  notificationNumber,
  requireSound,
  type Sections,
} from '../../engine/index.ts';
import { PackedNotices, type UnnumberedNotice } from './packedNotices.ts';
import { type FreshTrade, type Notice, type Order, unfilledLots } from './records.ts';

/** An owner's notifications: a ring of slots, at most as many as are kept, since each then takes the slot of the oldest. */
interface Box {
  /** From 1. Dropped ones count too, so a notification that has aged out never reappears. */
  lastNumber: number;
  /** The slot of the one with that number. */
  newest: number;
}

/** How many slots a box has. */
const slotCountOf = ({ lastNumber }: Box): number => Math.min(lastNumber, limits.notificationIdsMax);

export class NotificationsView {
  private readonly packed = new PackedNotices();
  private byOwner = new Map<string, Box>();

  /** The owner's notifications, oldest first. */
  of(owner: string): readonly Notice[] {
    const notices: Notice[] = [];
    for (const [number, slot] of this.slotsOf(owner)) {
      const notice = this.packed.read(slot, number);
      if (notice !== undefined) notices.push(notice);
    }
    return notices;
  }

  canceled(order: Order, reason: number, tMs: number): void {
    if (reason !== CancelReason.REQUESTED) this.add(order.owner, { kind: 'canceled', tMs, order, reason });
  }

  /** Notifies the taker and every maker. Each order already holds its remainder after this trade. */
  traded({ taker, makers, tradeNumber, lots, pricePips }: FreshTrade, tMs: number): void {
    const remainingLots = unfilledLots(taker);
    this.add(taker.owner, { kind: 'filled', tMs, order: taker, tradeNumber, lots, pricePips, remainingLots });
    for (const { order, lots: makerLots, pricePips: makerPips } of makers) {
      const part = { lots: makerLots, pricePips: makerPips, remainingLots: order.restingLots };
      this.add(order.owner, { kind: 'filled', tMs, order, tradeNumber, ...part });
    }
  }

  resolved(marketIndex: number, owner: string, outcome: number, sharesMicro: number, tMs: number): void {
    this.add(owner, { kind: 'resolved', tMs, marketIndex, outcome, sharesMicro });
  }

  /** Applies an accepted DropNotifications. */
  dropped({ owner, items = [] }: CommandOf<'DropNotifications'>): void {
    const numbers = new Set(items.map(notificationNumber));
    for (const [number, slot] of this.slotsOf(owner)) if (numbers.has(number)) this.packed.drop(slot);
  }

  /** This view's part of a snapshot. */
  visit(sections: Sections): void {
    this.packed.visit(sections);
    this.byOwner = sections.plain('byOwner', this.byOwner);
    if (sections.isLoading) this.requireWhole();
  }

  /** The numbers and slots of an owner's notifications, oldest first. */
  private *slotsOf(owner: string): Generator<[number: number, slot: number]> {
    const box = this.byOwner.get(owner);
    if (box === undefined) return;
    let slot = box.newest;
    for (let number = box.lastNumber - slotCountOf(box) + 1; number <= box.lastNumber; number += 1) {
      slot = this.packed.next(slot);
      yield [number, slot];
    }
  }

  private add(owner: string, notice: UnnumberedNotice): void {
    const { packed } = this;
    let box = this.byOwner.get(owner);
    if (box === undefined) {
      box = { lastNumber: 0, newest: packed.insert(undefined) };
      this.byOwner.set(owner, box);
    } else {
      const isFull = box.lastNumber >= limits.notificationIdsMax;
      box.newest = isFull ? packed.next(box.newest) : packed.insert(box.newest);
    }
    box.lastNumber += 1;
    packed.write(box.newest, notice);
  }

  /** Requires each slot to be in the ring of one owner, and each ring to have as many slots as its box. */
  private requireWhole(): void {
    const { packed, byOwner } = this;
    const isTaken = new Uint8Array(packed.count);
    let count = 0;
    for (const [owner, box] of byOwner) {
      let slot = box.newest;
      for (let left = slotCountOf(box); left > 0; left -= 1) {
        requireSound(isTaken[slot] === 0, `the notifications of ${owner} have no slot ${slot}`);
        isTaken[slot] = 1;
        slot = packed.next(slot);
      }
      count += slotCountOf(box);
      const isRing = Number.isSafeInteger(box.lastNumber) && box.lastNumber > 0 && slot === box.newest;
      requireSound(isRing, `the notifications of ${owner} do not end with number ${box.lastNumber}`);
    }
    requireSound(count === packed.count, `${count} of ${packed.count} notifications have owners`);
  }
}
