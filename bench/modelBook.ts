// A plain price-time order book over many markets, with all prices in ticks. The generator runs it beside its stream of
// ops, because cancels must name live orders and takes are sized by what rests. Its totals are the first referee of the
// checksum. Used by opFile.ts alone; it is written to be obvious, not fast.
import { emptyTotals, type Totals } from './lib/totals.ts';

/** The orders of one price in time order. A cancelled order stays in the list with 0 lots until it reaches the front. */
interface Level {
  ids: number[];
  front: number;
  lots: number;
  orders: number;
}

interface ModelMarket {
  /** By side, then price in ticks. */
  readonly levels: readonly [Level[], Level[]];
  /** Highest bid (0 for none) and lowest ask (ticks + 1 for none). */
  readonly best: [number, number];
}

const BUY = 0;

export class ModelBook {
  readonly totals: Totals = emptyTotals();
  private readonly ticks: number;
  private readonly markets: ModelMarket[] = [];
  private readonly lotsById: Int32Array;
  private readonly bookById: Uint16Array;
  private readonly sideById: Uint8Array;
  private readonly priceById: Uint16Array;
  /** Live ids in no order, and the place of each in that array: a uniform choice in constant time. */
  private readonly liveIds: Int32Array;
  private readonly placeById: Int32Array;

  /** Prices run from 1 to `ticks`, ids from 0 to `idsMax` − 1. */
  constructor(books: number, ticks: number, idsMax: number) {
    this.ticks = ticks;
    const side = (): Level[] => Array.from({ length: ticks + 2 }, () => ({ ids: [], front: 0, lots: 0, orders: 0 }));
    for (let book = 0; book < books; book += 1) this.markets.push({ levels: [side(), side()], best: [0, ticks + 1] });
    this.lotsById = new Int32Array(idsMax);
    this.bookById = new Uint16Array(idsMax);
    this.sideById = new Uint8Array(idsMax);
    this.priceById = new Uint16Array(idsMax);
    this.liveIds = new Int32Array(idsMax);
    this.placeById = new Int32Array(idsMax);
  }

  isLive(id: number): boolean {
    return this.lotsById[id] > 0;
  }

  /** The live id at a place of 0..restingOrders − 1. */
  liveAt(place: number): number {
    return this.liveIds[place];
  }

  bookOf(id: number): number {
    return this.bookById[id];
  }

  sideOf(id: number): number {
    return this.sideById[id];
  }

  priceOf(id: number): number {
    return this.priceById[id];
  }

  /** Best price of a side: 0 for no bid, ticks + 1 for no ask. */
  best(book: number, side: number): number {
    return this.markets[book].best[side];
  }

  /**
   * Lots and price of the order that a taker meets after `skipped`
   * others on this side, and the lots before it; undefined past the end.
   */
  makerAfter(
    book: number,
    side: number,
    skipped: number,
  ): { lots: number; price: number; lotsBefore: number } | undefined {
    const { levels, best } = this.markets[book];
    const step = side === BUY ? -1 : 1;
    let left = skipped;
    let lotsBefore = 0;
    for (let price = best[side]; price >= 1 && price <= this.ticks; price += step) {
      const level = levels[side][price];
      if (level.orders <= left) {
        left -= level.orders;
        lotsBefore += level.lots;
        continue;
      }
      for (let i = level.front; i < level.ids.length; i += 1) {
        const lots = this.lotsById[level.ids[i]];
        if (lots === 0) continue;
        if (left === 0) return { lots, price, lotsBefore };
        left -= 1;
        lotsBefore += lots;
      }
    }
    return undefined;
  }

  /** Adds a limit order: fills what it crosses; the remainder rests. */
  add(id: number, book: number, side: number, price: number, lots: number): void {
    const left = this.match(book, side, price, lots);
    if (left === 0) return;
    const market = this.markets[book];
    const level = market.levels[side][price];
    level.ids.push(id);
    level.lots += left;
    level.orders += 1;
    if (side === BUY ? price > market.best[BUY] : price < market.best[1]) market.best[side] = price;
    this.lotsById[id] = left;
    this.bookById[id] = book;
    this.sideById[id] = side;
    this.priceById[id] = price;
    this.placeById[id] = this.totals.restingOrders;
    this.liveIds[this.totals.restingOrders] = id;
    this.totals.restingOrders += 1;
    this.totals.restingLots += left;
  }

  /** Takes what is available up to the limit and drops the remainder; fill-or-kill takes all or nothing. */
  take(book: number, side: number, price: number, lots: number, isFillOrKill: boolean): void {
    if (isFillOrKill && this.lotsUpTo(book, 1 - side, price) < lots) return;
    this.match(book, side, price, lots);
  }

  cancel(id: number): void {
    if (!this.isLive(id)) return;
    const level = this.markets[this.bookById[id]].levels[this.sideById[id]][this.priceById[id]];
    const lots = this.lotsById[id];
    this.totals.restingLots -= lots;
    level.lots -= lots;
    this.leave(id, level);
    this.advance(this.bookById[id], this.sideById[id]);
  }

  private lotsUpTo(book: number, side: number, limit: number): number {
    const { levels, best } = this.markets[book];
    let lots = 0;
    if (side === BUY)
      for (let price = best[BUY]; price >= limit && price >= 1; price -= 1) lots += levels[BUY][price].lots;
    else for (let price = best[1]; price <= limit && price <= this.ticks; price += 1) lots += levels[1][price].lots;
    return lots;
  }

  /** Matches against the opposite side as far as the limit allows and returns the remaining lots. */
  private match(book: number, side: number, limit: number, lots: number): number {
    const { levels, best } = this.markets[book];
    const other = 1 - side;
    let left = lots;
    while (left > 0) {
      const price = best[other];
      if (price < 1 || price > this.ticks || (side === BUY ? price > limit : price < limit)) break;
      left = this.matchLevel(levels[other][price], price, left);
      this.advance(book, other);
    }
    return left;
  }

  private matchLevel(level: Level, price: number, lots: number): number {
    let left = lots;
    while (left > 0 && level.orders > 0) {
      const id = level.ids[level.front];
      const makerLots = this.lotsById[id];
      if (makerLots === 0) {
        level.front += 1;
        continue;
      }
      const filled = Math.min(left, makerLots);
      left -= filled;
      level.lots -= filled;
      this.totals.fills += 1;
      this.totals.lots += filled;
      this.totals.notional += filled * price;
      this.totals.restingLots -= filled;
      if (filled === makerLots) this.leave(id, level);
      else this.lotsById[id] = makerLots - filled;
    }
    return left;
  }

  /** Removes an order from the live ones; its id stays in the level's list with 0 lots. */
  private leave(id: number, level: Level): void {
    this.lotsById[id] = 0;
    level.orders -= 1;
    if (level.orders === 0) {
      level.ids = [];
      level.front = 0;
    } else if (level.front > 1024 && level.front * 2 > level.ids.length) {
      level.ids = level.ids.slice(level.front);
      level.front = 0;
    }
    this.totals.restingOrders -= 1;
    const place = this.placeById[id];
    const last = this.liveIds[this.totals.restingOrders];
    this.liveIds[place] = last;
    this.placeById[last] = place;
  }

  /** Moves a side's best price past empty levels. */
  private advance(book: number, side: number): void {
    const { levels, best } = this.markets[book];
    const step = side === BUY ? -1 : 1;
    while (best[side] >= 1 && best[side] <= this.ticks && levels[side][best[side]].orders === 0) best[side] += step;
  }
}
