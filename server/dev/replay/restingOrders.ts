// The replay's own resting orders in one market, according to the exchange's replies: the orders at each level and how much
// of each is left. Used by the market's player to decide what to place and what to cancel. It never guesses a fill: only
// replies change it.
import type { BookSide } from './flowFile.ts';
import type { BookLevels } from './recordedBook.ts';

/** One resting order. */
export interface RestingOrder {
  readonly id: string;
  /** Index of the wallet that placed it. */
  readonly wallet: number;
  readonly side: BookSide;
  /** In the first token's terms, whichever token the order names. */
  readonly pricePips: number;
  remainingLots: number;
}

/** Oldest first. */
type Level = { lots: number; readonly orders: RestingOrder[] };

const otherSide: Readonly<Record<BookSide, BookSide>> = { B: 'A', A: 'B' };

export class RestingOrders {
  private readonly sides: Readonly<Record<BookSide, Map<number, Level>>> = { B: new Map(), A: new Map() };
  private readonly byId = new Map<string, RestingOrder>();

  /** Lots at a level; 0 if there are none. */
  lotsAt(side: BookSide, pricePips: number): number {
    return this.sides[side].get(pricePips)?.lots ?? 0;
  }

  /** Adds a resting order at the end of its level's queue. */
  add(order: RestingOrder): void {
    const levels = this.sides[order.side];
    let level = levels.get(order.pricePips);
    if (level === undefined) {
      level = { lots: 0, orders: [] };
      levels.set(order.pricePips, level);
    }
    level.orders.push(order);
    level.lots += order.remainingLots;
    this.byId.set(order.id, order);
  }

  /** Reduces an order by `lots`, removing it if nothing is left. False if the order is unknown. */
  reduce(id: string, lots: number): boolean {
    const order = this.byId.get(id);
    if (order === undefined) return false;
    if (lots >= order.remainingLots) return this.remove(id);
    order.remainingLots -= lots;
    const level = this.sides[order.side].get(order.pricePips);
    if (level !== undefined) level.lots -= lots;
    return true;
  }

  /** Removes an order. False if it is unknown. */
  remove(id: string): boolean {
    const order = this.byId.get(id);
    const level = order === undefined ? undefined : this.sides[order.side].get(order.pricePips);
    if (order === undefined || level === undefined) return false;
    this.byId.delete(id);
    level.lots -= order.remainingLots;
    level.orders.splice(level.orders.lastIndexOf(order), 1);
    if (level.orders.length === 0) this.sides[order.side].delete(order.pricePips);
    return true;
  }

  /**
   * Picks the orders to cancel so that a level loses at least `lots`: the newest order with exactly that many left, else
   * the newest ones until they suffice. Any excess must be placed again.
   */
  pickForCancel(side: BookSide, pricePips: number, lots: number): readonly RestingOrder[] {
    const orders = this.sides[side].get(pricePips)?.orders ?? [];
    const exact = orders.findLast((order) => order.remainingLots === lots);
    if (exact !== undefined) return [exact];
    const picked: RestingOrder[] = [];
    let pickedLots = 0;
    for (let index = orders.length - 1; index >= 0 && pickedLots < lots; index -= 1) {
      picked.push(orders[index]);
      pickedLots += orders[index].remainingLots;
    }
    return picked;
  }

  /** Whether an order of this side and price would cross a level of the other side. */
  wouldCross(side: BookSide, pricePips: number): boolean {
    for (const other of this.sides[otherSide[side]].keys()) {
      if (side === 'B' ? other <= pricePips : other >= pricePips) return true;
    }
    return false;
  }

  /** The wallets whose resting orders an order of this side and price would cross. */
  walletsCrossed(side: BookSide, pricePips: number): ReadonlySet<number> {
    const wallets = new Set<number>();
    for (const [other, level] of this.sides[otherSide[side]]) {
      if (side === 'B' ? other > pricePips : other < pricePips) continue;
      for (const order of level.orders) wallets.add(order.wallet);
    }
    return wallets;
  }

  /** Sizes by price, for comparison with the exchange's books. */
  get levels(): BookLevels {
    const lotsOf = (levels: ReadonlyMap<number, Level>) =>
      new Map([...levels].map(([pricePips, level]) => [pricePips, level.lots]));
    return { bids: lotsOf(this.sides.B), asks: lotsOf(this.sides.A) };
  }
}
