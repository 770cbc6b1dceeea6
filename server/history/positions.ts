// Positions by account and market, both tokens of a market together: the numbers of figures.ts, exactly. Those that
// changed since the last commit are held in memory, and some that were read. Fed by the indexer; read by the questions.
import { IndexDamaged } from './errors.ts';
import { LEG } from './figures.ts';
import { PAIR_KEY_BYTES, Table, writePairKey } from './keys.ts';
import type { IndexStore, Put } from './store.ts';

/** What is held of a pair: its two legs, then the place of each in its token's list of holders (from 1, 0 = none), flags. */
const PAIR = { legs: 0, holders: 2 * LEG.numbers, flags: 2 * LEG.numbers + 2, numbers: 2 * LEG.numbers + 3 } as const;
/** The stored value: u8 flags, then for each leg that is there its numbers and u32 place. */
const FLAG = { traded: 1, first: 2, second: 4 } as const;
const LEG_BYTES = LEG.numbers * 8 + 4;
const VALUE_BYTES_MAX = 1 + 2 * LEG_BYTES;
/** Positions that are held, at most, while nothing of them waits for a commit. */
const CLEAN_MAX = 2 ** 15;
const FIRST_CELLS = 2 ** 12;
/** Entries of a wallet read at once. */
const READ_ENTRIES = 512;
const MARKETS_MAX = 2 ** 24;

/** Bits of the filter: 16 MiB. */
const FILTER_BITS = 2 ** 27;
/** Pairs after which it says yes too often to be worth its memory. */
const FILTER_PAIRS = 2 ** 24;

/** Whether a pair may have been added, by one bit of its hash: no is certain. */
class PairFilter {
  private readonly bits = new Uint32Array(FILTER_BITS / 32);
  private count = 0;

  get isFull(): boolean {
    return this.count > FILTER_PAIRS;
  }

  add(hash: number): void {
    const bit = hash % FILTER_BITS;
    this.bits[bit >>> 5] |= 1 << (bit & 31);
    this.count += 1;
  }

  has(hash: number): boolean {
    const bit = hash % FILTER_BITS;
    return (this.bits[bit >>> 5] & (1 << (bit & 31))) !== 0;
  }
}

export class Positions {
  /** Numbers of the held pairs; a pair begins at its place times PAIR.numbers. */
  numbers = new Float64Array((FIRST_CELLS / 2) * PAIR.numbers);
  private readonly store: IndexStore;
  /** Open addressing: account + 1 and market of each cell, and the pair's place. */
  private cells = FIRST_CELLS;
  private cellAccounts = new Uint32Array(FIRST_CELLS);
  private cellMarkets = new Uint32Array(FIRST_CELLS);
  private cellPlaces = new Uint32Array(FIRST_CELLS);
  private accounts = new Uint32Array(FIRST_CELLS / 2);
  private markets = new Uint32Array(FIRST_CELLS / 2);
  private isDirty = new Uint8Array(FIRST_CELLS / 2);
  /** Places in use; the first is where stored pairs are only looked at. */
  private count = 1;
  private dirty: number[] = [];
  /** Pairs that are not in the store yet: the newest place of each account, and the one before it, 0 for none. */
  private newest = new Uint32Array(FIRST_CELLS);
  private before = new Uint32Array(FIRST_CELLS / 2);
  private added: number[] = [];
  /** What may be in the store, while an index is built from nothing: most pairs are new then, and need not be looked for. */
  private filter: PairFilter | undefined;
  private readonly key = Buffer.alloc(PAIR_KEY_BYTES);
  private readonly end = Buffer.alloc(PAIR_KEY_BYTES);

  /** @param isNew nothing is stored yet */
  constructor(store: IndexStore, isNew: boolean) {
    this.store = store;
    this.filter = isNew ? new PairFilter() : undefined;
  }

  get dirtyCount(): number {
    return this.dirty.length;
  }

  /** Where in `numbers` the pair begins; a pair that never was is all zeros. Valid until the next pair is looked for. */
  locate(account: number, market: number): number {
    const cell = this.cellOf(account, market);
    return cell >= 0 ? this.cellPlaces[cell] * PAIR.numbers : this.load(account, market);
  }

  /** The same for a pair that is about to be changed. */
  change(account: number, market: number): number {
    const start = this.locate(account, market);
    const place = start / PAIR.numbers;
    if (this.isDirty[place] === 0) {
      this.isDirty[place] = 1;
      this.dirty.push(place);
    }
    return start;
  }

  legOf(start: number, outcome: number): number {
    return start + outcome * LEG.numbers;
  }

  /** Whether it is the account's first trade in the market, which it is then no more. */
  tradeFirst(start: number): boolean {
    const at = start + PAIR.flags;
    if (this.numbers[at] !== 0) return false;
    this.numbers[at] = 1;
    return true;
  }

  /** The place in the token's list of holders, from 0; -1 for none. */
  holderPlace(start: number, outcome: number): number {
    return this.numbers[start + PAIR.holders + outcome] - 1;
  }

  setHolderPlace(start: number, outcome: number, place: number): void {
    this.numbers[start + PAIR.holders + outcome] = place + 1;
  }

  /**
   * Shows every pair that an account has or had: its market, and where in `numbers` it begins, valid during the call.
   * Stops after each part, so that others have their turn; nothing may change between the parts.
   */
  *visit(account: number, see: (market: number, start: number) => void): Generator<undefined> {
    const seen = new Set<number>();
    for (let place = this.newest[account] ?? 0; place !== 0; place = this.before[place]) {
      seen.add(this.markets[place]);
      see(this.markets[place], place * PAIR.numbers);
    }
    for (let from = 0; ; ) {
      const start = writePairKey(this.key, Table.POSITIONS, account, from);
      const end = writePairKey(this.end, Table.POSITIONS, account + 1, 0);
      const entries = this.store.range(start, end, READ_ENTRIES);
      for (const { key, value } of entries) {
        const market = key.readUInt32BE(5);
        from = market + 1;
        if (seen.has(market)) continue;
        const cell = this.cellOf(account, market);
        if (cell < 0) this.decode(0, value);
        see(market, cell < 0 ? 0 : this.cellPlaces[cell] * PAIR.numbers);
      }
      if (entries.length < READ_ENTRIES) return;
      yield undefined;
    }
  }

  flush(put: Put): void {
    const { accounts, markets } = this;
    const order = Float64Array.from(this.dirty, (place) => accounts[place] * MARKETS_MAX + markets[place]).sort();
    const arena = Buffer.allocUnsafeSlow(order.length * VALUE_BYTES_MAX);
    const view = new DataView(arena.buffer, arena.byteOffset, arena.byteLength);
    let offset = 0;
    for (const id of order) {
      const market = id % MARKETS_MAX;
      const account = (id - market) / MARKETS_MAX;
      const end = this.encode(this.locate(account, market), view, offset);
      put(writePairKey(this.key, Table.POSITIONS, account, market), arena.subarray(offset, end));
      offset = end;
    }
  }

  committed(): void {
    for (const place of this.dirty) this.isDirty[place] = 0;
    this.dirty = [];
    for (const place of this.added) {
      this.newest[this.accounts[place]] = 0;
      this.filter?.add(this.hash(this.accounts[place], this.markets[place]));
    }
    this.added = [];
    if (this.filter?.isFull === true) this.filter = undefined;
    if (this.count > CLEAN_MAX) this.forgetAll();
  }

  /** 32 well-mixed bits. */
  private hash(account: number, market: number): number {
    let hash = Math.imul(account, 0x9e3779b1) ^ Math.imul(market, 0x85ebca6b);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  private cellOf(account: number, market: number): number {
    const { cellAccounts, cellMarkets, cells } = this;
    let cell = this.hash(account, market) & (cells - 1);
    while (cellAccounts[cell] !== 0) {
      if (cellAccounts[cell] === account + 1 && cellMarkets[cell] === market) return cell;
      cell = (cell + 1) & (cells - 1);
    }
    return -1;
  }

  private load(account: number, market: number): number {
    const isNew = this.filter !== undefined && !this.filter.has(this.hash(account, market));
    const value = isNew ? undefined : this.store.get(writePairKey(this.key, Table.POSITIONS, account, market));
    const start = this.hold(account, market);
    if (value !== undefined) {
      this.decode(start, value);
      return start;
    }
    const place = start / PAIR.numbers;
    if (account >= this.newest.length) {
      const newest = new Uint32Array(Math.max(account + 1, this.newest.length * 2));
      newest.set(this.newest);
      this.newest = newest;
    }
    this.before[place] = this.newest[account];
    this.newest[account] = place;
    this.added.push(place);
    return start;
  }

  /** Holds a pair of zeros; it is not held yet. */
  private hold(account: number, market: number): number {
    if (this.count * 2 >= this.cells) this.grow();
    const place = this.count;
    this.count += 1;
    this.accounts[place] = account;
    this.markets[place] = market;
    this.isDirty[place] = 0;
    this.enter(place);
    const start = place * PAIR.numbers;
    this.numbers.fill(0, start, start + PAIR.numbers);
    return start;
  }

  private enter(place: number): void {
    const { cellAccounts, cells } = this;
    let cell = this.hash(this.accounts[place], this.markets[place]) & (cells - 1);
    while (cellAccounts[cell] !== 0) cell = (cell + 1) & (cells - 1);
    cellAccounts[cell] = this.accounts[place] + 1;
    this.cellMarkets[cell] = this.markets[place];
    this.cellPlaces[cell] = place;
  }

  private grow(): void {
    this.cells *= 2;
    const places = this.cells / 2;
    const larger = <Numbers extends Float64Array | Uint32Array | Uint8Array>(to: Numbers, from: Numbers): Numbers => {
      to.set(from);
      return to;
    };
    this.numbers = larger(new Float64Array(places * PAIR.numbers), this.numbers);
    this.accounts = larger(new Uint32Array(places), this.accounts);
    this.markets = larger(new Uint32Array(places), this.markets);
    this.isDirty = larger(new Uint8Array(places), this.isDirty);
    this.before = larger(new Uint32Array(places), this.before);
    this.cellAccounts = new Uint32Array(this.cells);
    this.cellMarkets = new Uint32Array(this.cells);
    this.cellPlaces = new Uint32Array(this.cells);
    for (let place = 1; place < this.count; place += 1) this.enter(place);
  }

  private forgetAll(): void {
    this.count = 1;
    this.cellAccounts.fill(0);
  }

  /** Writes the value of a pair; returns where it ends. */
  private encode(start: number, view: DataView, from: number): number {
    const { numbers } = this;
    let flags = numbers[start + PAIR.flags];
    let offset = from + 1;
    for (let outcome = 0; outcome < 2; outcome += 1) {
      const leg = this.legOf(start, outcome);
      if (numbers[leg + LEG.bought] === 0) continue;
      flags += outcome === 0 ? FLAG.first : FLAG.second;
      for (let i = 0; i < LEG.numbers; i += 1) view.setFloat64(offset + i * 8, numbers[leg + i], true);
      view.setUint32(offset + LEG.numbers * 8, numbers[start + PAIR.holders + outcome], true);
      offset += LEG_BYTES;
    }
    view.setUint8(from, flags);
    return offset;
  }

  private decode(start: number, value: Uint8Array): void {
    const { numbers } = this;
    const view = new DataView(value.buffer, value.byteOffset, value.length);
    const flags = value[0];
    const count = ((flags & FLAG.first) === 0 ? 0 : 1) + ((flags & FLAG.second) === 0 ? 0 : 1);
    if (value.length !== 1 + count * LEG_BYTES) throw new IndexDamaged(`a position has ${value.length} bytes`);
    numbers.fill(0, start, start + PAIR.numbers);
    numbers[start + PAIR.flags] = flags & FLAG.traded;
    let offset = 1;
    for (let outcome = 0; outcome < 2; outcome += 1) {
      if ((flags & (outcome === 0 ? FLAG.first : FLAG.second)) === 0) continue;
      const leg = this.legOf(start, outcome);
      for (let i = 0; i < LEG.numbers; i += 1) numbers[leg + i] = view.getFloat64(offset + i * 8, true);
      numbers[start + PAIR.holders + outcome] = view.getUint32(offset + LEG.numbers * 8, true);
      offset += LEG_BYTES;
    }
  }
}
