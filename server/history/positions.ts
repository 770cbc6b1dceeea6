// Positions by account and market, both tokens of a market together: the numbers of figures.ts, exactly. Those that
// changed since the last commit are held in memory, and some that were read. Keeps the index of closed positions
// (closed.ts) with each commit. Fed by the indexer; read by the questions.
import { Arena } from './arena.ts';
import { getU48, setU48 } from './blocks.ts';
import { CLOSED_VALUE_BYTES, closedKey, encodeClosed } from './closed.ts';
import { IndexDamaged } from './errors.ts';
import { LEG } from './figures.ts';
import { inOrder } from './inOrder.ts';
import { PAIR_KEY_BYTES, Table, writePairKey } from './keys.ts';
import { PairFilter } from './pairFilter.ts';
import type { IndexStore, Put, Remove } from './store.ts';

/**
 * What is held of a pair: its two legs, the place of each in its token's list of holders (from 1, 0 = none), flags, and
 * the gain under which each leg stands in the index of closed positions, NaN = it does not.
 */
const PAIR = { legs: 0, holders: 2 * LEG.numbers, flags: 2 * LEG.numbers + 2, closed: 2 * LEG.numbers + 3 } as const;
const PAIR_NUMBERS = PAIR.closed + 2;
/** The stored value: u8 flags, then each leg that is there in its form. */
const TRADED_FLAG = 1;
const FORM_SHIFTS = [1, 3] as const;
const FORM_MASK = 3;
/** A leg that was never sold from, a closed one, any other: all with u48 time and u32 place at their end. */
const Form = { NONE: 0, HELD: 1, CLOSED: 2, FULL: 3 } as const;
const FORM_NUMBERS = [0, 2, 3, 5] as const;
const FORM_TAIL_BYTES = 10;
/** What an entry takes in the tree besides its legs, and what that of a closed leg takes. */
const ENTRY_BYTES = 24;
const CLOSED_ENTRY_BYTES = 56;
const VALUE_BYTES_MAX = 1 + 2 * (FORM_NUMBERS[Form.FULL] * 8 + FORM_TAIL_BYTES);
/** Positions that are held, at most, while nothing of them waits for a commit. */
const CLEAN_MAX = 2 ** 15;
const FIRST_CELLS = 2 ** 12;
/** A cell: account + 1, market, and the pair's place; side by side, since what is looked for lies anywhere in memory. */
const CELL = { account: 0, market: 1, place: 2, numbers: 4 } as const;
/** Entries of a wallet read at once. */
const READ_ENTRIES = 512;

/** Bits of the state of a held pair. */
const State = { WAITS: 1, WRITTEN: 2, STORED: 4 } as const;

export class Positions {
  /** Numbers of the held pairs; a pair begins at its place times PAIR_NUMBERS. */
  numbers = new Float64Array((FIRST_CELLS / 2) * PAIR_NUMBERS);
  private readonly store: IndexStore;
  /** Open addressing: so many cells, each of the numbers of CELL. */
  private cells = FIRST_CELLS;
  private cellNumbers = new Uint32Array(FIRST_CELLS * CELL.numbers);
  private accounts = new Uint32Array(FIRST_CELLS / 2);
  private markets = new Uint32Array(FIRST_CELLS / 2);
  private states = new Uint8Array(FIRST_CELLS / 2);
  /** Places in use; the first is where stored pairs are only looked at. */
  private count = 1;
  private dirty: number[] = [];
  private written: Uint32Array = new Uint32Array(0);
  /** Pairs that are not in the store as they are: the newest place of each account, and the one before it, 0 for none. */
  private newest = new Uint32Array(FIRST_CELLS);
  private before = new Uint32Array(FIRST_CELLS / 2);
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

  /** What a commit writes or removes, at most: entries of pairs and of closed legs, and their bytes in the tree. */
  get entriesToWrite(): number {
    return this.dirty.length * (1 + 2);
  }

  get bytesToWrite(): number {
    const { numbers } = this;
    let bytes = 0;
    for (const place of this.dirty) {
      bytes += ENTRY_BYTES;
      for (let outcome = 0; outcome < 2; outcome += 1) {
        const form = formOf(numbers, this.legOf(place * PAIR_NUMBERS, outcome));
        bytes += bytesOf(form);
        if (form === Form.CLOSED) bytes += CLOSED_ENTRY_BYTES;
      }
    }
    return bytes;
  }

  /** Where in `numbers` the pair begins; it is about to be changed. Valid until the next pair is looked for. */
  change(account: number, market: number): number {
    const place = this.placeOf(account, market) || this.load(account, market);
    if ((this.states[place] & State.WAITS) === 0) {
      if ((this.states[place] & State.WRITTEN) === 0) this.link(place);
      this.states[place] |= State.WAITS;
      this.dirty.push(place);
    }
    return place * PAIR_NUMBERS;
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

  /** Shows the pairs of an account that are not in the store as they are: market, and where in `numbers` each begins. */
  showUncommitted(account: number, see: (market: number, start: number) => void): void {
    for (let place = this.newest[account] ?? 0; place !== 0; place = this.before[place]) {
      see(this.markets[place], place * PAIR_NUMBERS);
    }
  }

  /**
   * Shows every pair that an account has or had: its market, and where in `numbers` it begins, valid during the call.
   * Stops after each part, so that others have their turn; nothing may change between the parts.
   */
  *visit(account: number, see: (market: number, start: number) => void): Generator<undefined> {
    const seen = new Set<number>();
    this.showUncommitted(account, (market, start) => {
      seen.add(market);
      see(market, start);
    });
    for (let from = 0; ; ) {
      const start = writePairKey(this.key, Table.POSITIONS, account, from);
      const end = writePairKey(this.end, Table.POSITIONS, account + 1, 0);
      const entries = this.store.range(start, end, READ_ENTRIES);
      for (const { key, value } of entries) {
        const market = key.readUInt32BE(5);
        from = market + 1;
        if (seen.has(market)) continue;
        this.decode(0, value);
        see(market, 0);
      }
      if (entries.length < READ_ENTRIES) return;
      yield undefined;
    }
  }

  /** Hands over all that waits, in the order of keys. More may change at once: values are written into memory of their own. */
  flush(put: Put, remove: Remove): void {
    const { accounts, markets, states } = this;
    const places = inOrder(inOrder(Uint32Array.from(this.dirty), markets), accounts);
    const arena = new Arena();
    for (const place of places) {
      states[place] = (states[place] & ~State.WAITS) | State.WRITTEN;
      const from = arena.reserve(VALUE_BYTES_MAX);
      arena.offset = this.encode(place * PAIR_NUMBERS, arena.view, from);
      put(writePairKey(this.key, Table.POSITIONS, accounts[place], markets[place]), arena.bytes, from, arena.offset);
    }
    for (const place of places) this.flushClosed(place, arena, put, remove);
    this.written = places;
    this.dirty = [];
  }

  /** What was flushed is in the store. */
  committed(): void {
    const { states, accounts, markets } = this;
    for (const place of this.written) {
      if ((states[place] & State.STORED) === 0) this.filter?.add(this.hash(accounts[place], markets[place]));
      states[place] = (states[place] & ~State.WRITTEN) | State.STORED;
      this.newest[accounts[place]] = 0;
    }
    this.written = new Uint32Array(0);
    if (this.filter?.isFull === true) this.filter = undefined;
    if (this.count > CLEAN_MAX) this.forgetClean();
    for (const place of this.dirty) this.newest[accounts[place]] = 0;
    for (const place of this.dirty) this.link(place);
  }

  private link(place: number): void {
    const account = this.accounts[place];
    if (account >= this.newest.length) {
      const newest = new Uint32Array(Math.max(account + 1, this.newest.length * 2));
      newest.set(this.newest);
      this.newest = newest;
    }
    this.before[place] = this.newest[account];
    this.newest[account] = place;
  }

  /** Brings the index of closed positions up to the legs of a pair that is written. */
  private flushClosed(place: number, arena: Arena, put: Put, remove: Remove): void {
    const { numbers } = this;
    const start = place * PAIR_NUMBERS;
    for (let outcome = 0; outcome < 2; outcome += 1) {
      const leg = this.legOf(start, outcome);
      const isClosed = numbers[leg + LEG.size] === 0 && numbers[leg + LEG.bought] > 0;
      const gain = isClosed ? numbers[leg + LEG.realized] : Number.NaN;
      const stored = numbers[start + PAIR.closed + outcome];
      const account = this.accounts[place];
      const market = this.markets[place];
      if (!Number.isNaN(stored) && stored !== gain) remove(closedKey(account, stored, market, outcome));
      numbers[start + PAIR.closed + outcome] = gain;
      if (!isClosed) continue;
      const from = arena.reserve(CLOSED_VALUE_BYTES);
      arena.offset = encodeClosed(numbers, leg, arena.view, from);
      put(closedKey(account, gain, market, outcome), arena.bytes, from, arena.offset);
    }
  }

  /** 32 well-mixed bits. */
  private hash(account: number, market: number): number {
    let hash = Math.imul(account, 0x9e3779b1) ^ Math.imul(market, 0x85ebca6b);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 0x2c1b3c6d);
    return (hash ^ (hash >>> 13)) >>> 0;
  }

  /** The place of a pair that is held, 0 for none. */
  private placeOf(account: number, market: number): number {
    const { cellNumbers, cells } = this;
    for (let cell = this.hash(account, market) & (cells - 1); ; cell = (cell + 1) & (cells - 1)) {
      const at = cell * CELL.numbers;
      const found = cellNumbers[at + CELL.account];
      if (found === 0) return 0;
      if (found === account + 1 && cellNumbers[at + CELL.market] === market) return cellNumbers[at + CELL.place];
    }
  }

  /** Holds a pair that is not held; returns its place. */
  private load(account: number, market: number): number {
    const isNew = this.filter !== undefined && !this.filter.has(this.hash(account, market));
    const value = isNew ? undefined : this.store.get(writePairKey(this.key, Table.POSITIONS, account, market));
    const place = this.hold(account, market);
    if (value === undefined) return place;
    this.states[place] = State.STORED;
    this.decode(place * PAIR_NUMBERS, value);
    return place;
  }

  /** Holds a pair of zeros; it is not held yet. */
  private hold(account: number, market: number): number {
    if (this.count * 2 >= this.cells) this.grow();
    const place = this.count;
    this.count += 1;
    this.accounts[place] = account;
    this.markets[place] = market;
    this.states[place] = 0;
    this.enter(place);
    const start = place * PAIR_NUMBERS;
    const { numbers } = this;
    for (let i = 0; i < PAIR.closed; i += 1) numbers[start + i] = 0;
    for (let i = PAIR.closed; i < PAIR_NUMBERS; i += 1) numbers[start + i] = Number.NaN;
    return place;
  }

  private enter(place: number): void {
    const { cellNumbers, cells } = this;
    let cell = this.hash(this.accounts[place], this.markets[place]) & (cells - 1);
    while (cellNumbers[cell * CELL.numbers] !== 0) cell = (cell + 1) & (cells - 1);
    const at = cell * CELL.numbers;
    cellNumbers[at + CELL.account] = this.accounts[place] + 1;
    cellNumbers[at + CELL.market] = this.markets[place];
    cellNumbers[at + CELL.place] = place;
  }

  private grow(): void {
    this.cells *= 2;
    const places = this.cells / 2;
    const larger = <Numbers extends Float64Array | Uint32Array | Uint8Array>(to: Numbers, from: Numbers): Numbers => {
      to.set(from);
      return to;
    };
    this.numbers = larger(new Float64Array(places * PAIR_NUMBERS), this.numbers);
    this.accounts = larger(new Uint32Array(places), this.accounts);
    this.markets = larger(new Uint32Array(places), this.markets);
    this.states = larger(new Uint8Array(places), this.states);
    this.before = larger(new Uint32Array(places), this.before);
    this.cellNumbers = new Uint32Array(this.cells * CELL.numbers);
    for (let place = 1; place < this.count; place += 1) this.enter(place);
  }

  /** Forgets every pair that does not wait; the others close up. Nothing is being written. */
  private forgetClean(): void {
    const waiting = Uint32Array.from(this.dirty).sort();
    this.count = 1;
    this.cellNumbers.fill(0);
    for (const from of waiting) {
      const to = this.count;
      this.count += 1;
      this.newest[this.accounts[from]] = 0;
      this.accounts[to] = this.accounts[from];
      this.markets[to] = this.markets[from];
      this.states[to] = this.states[from];
      this.numbers.copyWithin(to * PAIR_NUMBERS, from * PAIR_NUMBERS, (from + 1) * PAIR_NUMBERS);
      this.enter(to);
    }
    this.dirty = Array.from({ length: this.count - 1 }, (_, index) => index + 1);
  }

  /** Writes the value of a pair; returns where it ends. */
  private encode(start: number, view: DataView, from: number): number {
    const { numbers } = this;
    let flags = numbers[start + PAIR.flags] === 0 ? 0 : TRADED_FLAG;
    let offset = from + 1;
    for (let outcome = 0; outcome < 2; outcome += 1) {
      const leg = this.legOf(start, outcome);
      const form = formOf(numbers, leg);
      if (form === Form.NONE) continue;
      flags |= form << FORM_SHIFTS[outcome];
      // The numbers that the form leaves out come first or last (LEG): those before `bought` and after `spent`.
      const first = form === Form.FULL ? LEG.size : LEG.bought;
      for (let i = 0; i < FORM_NUMBERS[form]; i += 1) {
        view.setFloat64(offset, numbers[leg + first + i], true);
        offset += 8;
      }
      setU48(view, offset, numbers[leg + LEG.tMs]);
      view.setUint32(offset + 6, numbers[start + PAIR.holders + outcome], true);
      offset += FORM_TAIL_BYTES;
    }
    view.setUint8(from, flags);
    return offset;
  }

  private decode(start: number, value: Uint8Array): void {
    const { numbers } = this;
    const view = new DataView(value.buffer, value.byteOffset, value.length);
    const flags = value[0];
    const forms = [(flags >> FORM_SHIFTS[0]) & FORM_MASK, (flags >> FORM_SHIFTS[1]) & FORM_MASK];
    if (value.length !== 1 + bytesOf(forms[0]) + bytesOf(forms[1])) {
      throw new IndexDamaged(`a position has ${value.length} bytes`);
    }
    numbers.fill(0, start, start + PAIR.closed);
    numbers.fill(Number.NaN, start + PAIR.closed, start + PAIR_NUMBERS);
    numbers[start + PAIR.flags] = flags & TRADED_FLAG;
    let offset = 1;
    for (let outcome = 0; outcome < 2; outcome += 1) {
      const form = forms[outcome];
      if (form === Form.NONE) continue;
      const leg = this.legOf(start, outcome);
      const first = form === Form.FULL ? LEG.size : LEG.bought;
      for (let i = 0; i < FORM_NUMBERS[form]; i += 1) {
        numbers[leg + first + i] = view.getFloat64(offset, true);
        offset += 8;
      }
      if (form === Form.HELD) {
        numbers[leg + LEG.size] = numbers[leg + LEG.bought];
        numbers[leg + LEG.cost] = numbers[leg + LEG.spent];
      }
      if (form === Form.CLOSED) numbers[start + PAIR.closed + outcome] = numbers[leg + LEG.realized];
      numbers[leg + LEG.tMs] = getU48(view, offset);
      numbers[start + PAIR.holders + outcome] = view.getUint32(offset + 6, true);
      offset += FORM_TAIL_BYTES;
    }
  }
}

const bytesOf = (form: number): number => (form === Form.NONE ? 0 : FORM_NUMBERS[form] * 8 + FORM_TAIL_BYTES);

/** The shortest form that says all of a leg. */
function formOf(numbers: Float64Array, leg: number): number {
  const bought = numbers[leg + LEG.bought];
  if (bought === 0) return Form.NONE;
  const size = numbers[leg + LEG.size];
  if (size === 0) return Form.CLOSED;
  const isHeld =
    size === bought && numbers[leg + LEG.realized] === 0 && numbers[leg + LEG.cost] === numbers[leg + LEG.spent];
  return isHeld ? Form.HELD : Form.FULL;
}
