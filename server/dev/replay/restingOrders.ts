// The replay's own orders that rest in one market, as the exchange's replies told: which order stands at which level
// and how much of it is left. Used by the market's player to decide what to place and what to cancel. It never guesses
// a fill: only replies change it.
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
  readonly #sides: Readonly<Record<BookSide, Map<number, Level>>> = { B: new Map(), A: new Map() };
  readonly #byId = new Map<string, RestingOrder>();

  /** Lots at a level; 0 when there are none. */
  lotsAt(side: BookSide, pricePips: number): number {
    return this.#sides[side].get(pricePips)?.lots ?? 0;
  }

  /** Takes a new resting order in, behind those of its level. */
  add(order: RestingOrder): void {
    const levels = this.#sides[order.side];
    let level = levels.get(order.pricePips);
    if (level === undefined) {
      level = { lots: 0, orders: [] };
      levels.set(order.pricePips, level);
    }
    level.orders.push(order);
    level.lots += order.remainingLots;
    this.#byId.set(order.id, order);
  }

  /** Takes so many lots off an order, and the order out when nothing is left. False when the order is not known. */
  reduce(id: string, lots: number): boolean {
    const order = this.#byId.get(id);
    if (order === undefined) return false;
    if (lots >= order.remainingLots) return this.remove(id);
    order.remainingLots -= lots;
    const level = this.#sides[order.side].get(order.pricePips);
    if (level !== undefined) level.lots -= lots;
    return true;
  }

  /** Takes an order out. False when it is not known. */
  remove(id: string): boolean {
    const order = this.#byId.get(id);
    const level = order === undefined ? undefined : this.#sides[order.side].get(order.pricePips);
    if (order === undefined || level === undefined) return false;
    this.#byId.delete(id);
    level.lots -= order.remainingLots;
    level.orders.splice(level.orders.lastIndexOf(order), 1);
    if (level.orders.length === 0) this.#sides[order.side].delete(order.pricePips);
    return true;
  }

  /**
   * Which orders to cancel so that a level loses at least `lots`: the newest one that has exactly so many left, else
   * the newest ones until it is enough. What they have too much must be placed again.
   */
  pickForCancel(side: BookSide, pricePips: number, lots: number): readonly RestingOrder[] {
    const orders = this.#sides[side].get(pricePips)?.orders ?? [];
    const exact = orders.findLast((order) => order.remainingLots === lots);
    if (exact !== undefined) return [exact];
    const picked: RestingOrder[] = [];
    let pickedLots = 0;
    for (let index = orders.length - 1; index >= 0 && pickedLots < lots; index--) {
      picked.push(orders[index]);
      pickedLots += orders[index].remainingLots;
    }
    return picked;
  }

  /** Whether an order of this side and price would cross a level of the other side. */
  wouldCross(side: BookSide, pricePips: number): boolean {
    for (const other of this.#sides[otherSide[side]].keys()) {
      if (side === 'B' ? other <= pricePips : other >= pricePips) return true;
    }
    return false;
  }

  /** The wallets whose orders such an order would cross. */
  walletsCrossed(side: BookSide, pricePips: number): ReadonlySet<number> {
    const wallets = new Set<number>();
    for (const [other, level] of this.#sides[otherSide[side]]) {
      if (side === 'B' ? other > pricePips : other < pricePips) continue;
      for (const order of level.orders) wallets.add(order.wallet);
    }
    return wallets;
  }

  /** Sizes by price, for the comparison of replies with books. */
  get levels(): BookLevels {
    const lotsOf = (levels: ReadonlyMap<number, Level>) =>
      new Map([...levels].map(([pricePips, level]) => [pricePips, level.lots]));
    return { bids: lotsOf(this.#sides.B), asks: lotsOf(this.#sides.A) };
  }
}
