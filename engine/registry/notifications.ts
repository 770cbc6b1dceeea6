// The notifications that their owners have dropped. Part of the registry, since what a client is shown may change only by the
// log. The notifications themselves are made where they are shown; here they are only numbers, from 1 on for each owner. Only
// the newest are ever shown and all older ones count as dropped, so the room that an owner takes here is bounded.
import { limits, type Sections } from '../protocol/index.ts';
import type { StateHasher } from '../protocol/stateHasher.ts';

interface Dropped {
  /** All numbers up to this one are dropped. */
  upTo: number;
  /** The dropped numbers above it. */
  readonly above: Set<number>;
}

export class DroppedNotifications {
  /** In the order of each owner's first drop. */
  private byOwner = new Map<string, Dropped>();

  /** Drops these notifications, and all that lie `notificationIdsMax` or more below the newest of them. */
  drop(owner: string, numbers: readonly number[]): void {
    let dropped = this.byOwner.get(owner);
    if (dropped === undefined) {
      dropped = { upTo: 0, above: new Set() };
      this.byOwner.set(owner, dropped);
    }
    dropped.upTo = Math.max(dropped.upTo, Math.max(...numbers) - limits.notificationIdsMax);
    for (const number of numbers) dropped.above.add(number);
    for (const number of dropped.above) if (number <= dropped.upTo) dropped.above.delete(number);
    while (dropped.above.delete(dropped.upTo + 1)) dropped.upTo += 1;
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.byOwner = sections.plain('byOwner', this.byOwner);
  }

  hashInto(hasher: StateHasher): void {
    for (const [owner, { upTo, above }] of this.byOwner) {
      hasher.text(owner);
      hasher.number(upTo);
      for (const number of [...above].sort((left, right) => left - right)) hasher.number(number);
    }
  }

  /** Throws naming the first violation: the numbers above the mark are few, lie above it, and do not include the next one. */
  checkInvariants(): void {
    for (const [owner, { upTo, above }] of this.byOwner) {
      for (const number of above) {
        if (number <= upTo + 1) throw new Error(`notifications 1: ${owner} dropped ${number} above the mark ${upTo}`);
      }
      if (above.size >= limits.notificationIdsMax)
        throw new Error(`notifications 2: of ${owner} ${above.size} numbers are kept`);
    }
  }
}
