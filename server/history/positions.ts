// Positions by account and market, both tokens of a market together (a pair): the numbers of figures.ts, exactly. Held in
// memory are the pairs that changed since the last commit and some that were read. Each commit also updates the index of closed
// positions (closed.ts). Fed by the indexer; read by the queries.
import { Arena } from './arena.ts';
import { CLOSED_VALUE_BYTES, closedKey, encodeClosed } from './closed.ts';
import { enlarged } from './enlarged.ts';
import { LEG } from './figures.ts';
import { inOrder } from './inOrder.ts';
import { PAIR_KEY_BYTES, Table, writePairKey } from './keys.ts';
import { PairFilter } from './pairFilter.ts';
import { bytesInTree, decodePair, encodePair, isClosed, legAt, PAIR, PAIR_BYTES_MAX, PAIR_NUMBERS } from './pairs.ts';
import type { IndexStore, Put, Remove, SpaceNeed } from './store.ts';

/** Location of a pair's value during a commit: part of the arena, start and end in that part. */
const VALUE = { part: 0, start: 1, end: 2, numbers: 3 } as const;
/** The most pairs held in memory while none of them waits for a commit. */
const CLEAN_MAX = 2 ** 15;
const FIRST_CELLS = 2 ** 12;
/** A cell: the pair's place, 0 for empty, and its hash; adjacent, since a lookup hits a random place in memory. */
const CELL = { place: 0, hash: 1, numbers: 2 } as const;
/** Entries of an account read at once. */
const READ_ENTRIES = 512;

/** State bits of a held pair; CLOSED: the commit being written changes the index of closed positions for one of its legs. */
const State = { DIRTY: 1, WRITTEN: 2, CLOSED: 4 } as const;

export class Positions {
  /** Numbers of the held pairs; a pair starts at its place times PAIR_NUMBERS. */
  numbers = new Float64Array((FIRST_CELLS / 2) * PAIR_NUMBERS);
  private readonly store: IndexStore;
  /** Number of cells of the hash table (open addressing, linear probing); a cell has the numbers of CELL. */
  private cells = FIRST_CELLS;
  private cellNumbers = new Uint32Array(FIRST_CELLS * CELL.numbers);
  private accounts = new Uint32Array(FIRST_CELLS / 2);
  private markets = new Uint32Array(FIRST_CELLS / 2);
  private states = new Uint8Array(FIRST_CELLS / 2);
  /** Places in use; place 0 is scratch space to decode stored pairs that are only read. */
  private count = 1;
  private dirty: number[] = [];
  private written: Uint32Array = new Uint32Array(0);
  /** Linked lists of each account's uncommitted pairs: the newest place by account, and the one before it by place; 0 = end. */
  private newestPlaces = new Uint32Array(FIRST_CELLS);
  private placesBefore = new Uint32Array(FIRST_CELLS / 2);
  /** Pairs ever held, while an index is built from scratch: most pairs are new then and need no lookup in the store. */
  private filter: PairFilter | undefined;
  private readonly key = Buffer.alloc(PAIR_KEY_BYTES);
  private readonly end = Buffer.alloc(PAIR_KEY_BYTES);

  /** @param isNew whether nothing is stored yet */
  constructor(store: IndexStore, isNew: boolean) {
    this.store = store;
    this.filter = isNew ? new PairFilter() : undefined;
  }

  get dirtyCount(): number {
    return this.dirty.length;
  }

  /** What a commit takes: the entries that it puts or removes, of pairs and of closed legs, and their bytes in the B-tree. */
  need(): SpaceNeed {
    let bytes = 0;
    let entries = 0;
    for (const place of this.dirty) {
      const start = place * PAIR_NUMBERS;
      bytes += bytesInTree(this.numbers, start);
      entries += 1 + this.closedEntries(start, 0) + this.closedEntries(start, 1);
    }
    return { bytes, entries };
  }

  /** The offset of the pair in `numbers`, for the caller to change it; valid until the next pair is looked up. */
  change(account: number, market: number): number {
    const hash = hashOf(account, market);
    const place = this.placeOf(hash, account, market) || this.load(hash, account, market);
    if ((this.states[place] & State.DIRTY) === 0) {
      if ((this.states[place] & State.WRITTEN) === 0) this.link(place);
      this.states[place] |= State.DIRTY;
      this.dirty.push(place);
    }
    return place * PAIR_NUMBERS;
  }

  /** Whether this is the account's first trade in the market; records that it has traded. */
  markTraded(start: number): boolean {
    const at = start + PAIR.flags;
    if (this.numbers[at] !== 0) return false;
    this.numbers[at] = 1;
    return true;
  }

  /** The place in the token's holder list, from 0; -1 for none. */
  holderPlace(start: number, outcome: number): number {
    return this.numbers[start + PAIR.holders + outcome] - 1;
  }

  setHolderPlace(start: number, outcome: number, place: number): void {
    this.numbers[start + PAIR.holders + outcome] = place + 1;
  }

  /** Shows the uncommitted pairs of an account: the market, and the pair's offset in `numbers`. */
  forEachUncommitted(account: number, onPair: (market: number, start: number) => void): void {
    for (let place = this.newestPlaces[account] ?? 0; place !== 0; place = this.placesBefore[place]) {
      onPair(this.markets[place], place * PAIR_NUMBERS);
    }
  }

  /**
   * Shows every pair that an account has or had: its market, and its offset in `numbers`, valid during the call. Yields after
   * each part to give others their turn; nothing may change between the parts.
   */
  *visit(account: number, onPair: (market: number, start: number) => void): Generator<undefined> {
    const seen = new Set<number>();
    this.forEachUncommitted(account, (market, start) => {
      seen.add(market);
      onPair(market, start);
    });
    for (let from = 0; ; ) {
      const start = writePairKey(this.key, Table.POSITIONS, account, from);
      const end = writePairKey(this.end, Table.POSITIONS, account + 1, 0);
      const entries = this.store.range(start, end, READ_ENTRIES);
      for (const { key, value } of entries) {
        const market = key.readUInt32BE(5);
        from = market + 1;
        if (seen.has(market)) continue;
        decodePair(this.numbers, 0, value);
        onPair(market, 0);
      }
      if (entries.length < READ_ENTRIES) return;
      yield undefined;
    }
  }

  /** Puts all waiting pairs, in key order. They may change again at once: values are encoded into separate memory. */
  flush(put: Put, remove: Remove): void {
    const { accounts, markets, states, key } = this;
    const arena = new Arena();
    const values = this.encodeDirty(arena);
    const places = inOrder(inOrder(new Uint32Array(this.dirty), markets), accounts);
    const closed: number[] = [];
    for (let index = 0; index < places.length; index += 1) {
      const place = places[index];
      const value = place * VALUE.numbers;
      const bytes = arena.parts[values[value + VALUE.part]];
      writePairKey(key, Table.POSITIONS, accounts[place], markets[place]);
      put(key, bytes, values[value + VALUE.start], values[value + VALUE.end]);
      if ((states[place] & State.CLOSED) !== 0) closed.push(place);
    }
    for (const place of closed) this.flushClosed(place, arena, put, remove);
    this.written = places;
    this.dirty = [];
  }

  /** The flushed pairs are now in the store. */
  committed(): void {
    const { states, accounts } = this;
    for (const place of this.written) {
      states[place] &= ~State.WRITTEN;
      this.newestPlaces[accounts[place]] = 0;
    }
    this.written = new Uint32Array(0);
    if (this.filter?.isFull === true) this.filter = undefined;
    if (this.count > CLEAN_MAX) this.evictClean();
    for (const place of this.dirty) this.newestPlaces[accounts[place]] = 0;
    for (const place of this.dirty) this.link(place);
  }

  private link(place: number): void {
    const account = this.accounts[place];
    if (account >= this.newestPlaces.length) {
      this.newestPlaces = enlarged(
        new Uint32Array(Math.max(account + 1, this.newestPlaces.length * 2)),
        this.newestPlaces,
      );
    }
    this.placesBefore[place] = this.newestPlaces[account];
    this.newestPlaces[account] = place;
  }

  /**
   * Encodes the values of all waiting pairs in memory order, since key order would fetch each from a distant address. Returns
   * the location of each value by place, and marks the pairs that concern the index of closed positions.
   */
  private encodeDirty(arena: Arena): Uint32Array {
    const { dirty, states, numbers } = this;
    const values = new Uint32Array(this.count * VALUE.numbers);
    for (let index = 0; index < dirty.length; index += 1) {
      const place = dirty[index];
      const start = place * PAIR_NUMBERS;
      const from = arena.reserve(PAIR_BYTES_MAX);
      arena.offset = encodePair(numbers, start, arena.view, from);
      const value = place * VALUE.numbers;
      values[value + VALUE.part] = arena.parts.length - 1;
      values[value + VALUE.start] = from;
      values[value + VALUE.end] = arena.offset;
      const closed = this.closedEntries(start, 0) + this.closedEntries(start, 1) > 0 ? State.CLOSED : 0;
      states[place] = State.WRITTEN | closed;
    }
    return values;
  }

  /** The gain under which the index of closed positions must have a leg; NaN if it must not have it. */
  private closedGain(start: number, outcome: number): number {
    const leg = legAt(start, outcome);
    return isClosed(this.numbers, leg) ? this.numbers[leg + LEG.realized] : Number.NaN;
  }

  /** How many entries of the index of closed positions a commit puts or removes for a leg. */
  private closedEntries(start: number, outcome: number): number {
    const stored = this.numbers[start + PAIR.closed + outcome];
    const gain = this.closedGain(start, outcome);
    return Number(!Number.isNaN(stored) && stored !== gain) + Number(!Number.isNaN(gain));
  }

  /** Updates the index of closed positions for the legs of a pair that is being written. */
  private flushClosed(place: number, arena: Arena, put: Put, remove: Remove): void {
    const { numbers } = this;
    const start = place * PAIR_NUMBERS;
    for (let outcome = 0; outcome < 2; outcome += 1) {
      const gain = this.closedGain(start, outcome);
      const stored = numbers[start + PAIR.closed + outcome];
      const account = this.accounts[place];
      const market = this.markets[place];
      if (!Number.isNaN(stored) && stored !== gain) remove(closedKey(account, stored, market, outcome));
      numbers[start + PAIR.closed + outcome] = gain;
      if (Number.isNaN(gain)) continue;
      const from = arena.reserve(CLOSED_VALUE_BYTES);
      arena.offset = encodeClosed(numbers, legAt(start, outcome), arena.view, from);
      put(closedKey(account, gain, market, outcome), arena.bytes, from, arena.offset);
    }
  }

  /** The place of a pair that is held in memory; 0 if it is not. */
  private placeOf(hash: number, account: number, market: number): number {
    const { cellNumbers, cells } = this;
    for (let cell = hash & (cells - 1); ; cell = (cell + 1) & (cells - 1)) {
      const at = cell * CELL.numbers;
      const place = cellNumbers[at + CELL.place];
      if (place === 0) return 0;
      if (cellNumbers[at + CELL.hash] !== hash) continue;
      if (this.accounts[place] === account && this.markets[place] === market) return place;
    }
  }

  /** Brings a pair that is not held into memory; returns its place. */
  private load(hash: number, account: number, market: number): number {
    const isNew = this.filter?.add(hash) === true;
    const value = isNew ? undefined : this.store.get(writePairKey(this.key, Table.POSITIONS, account, market));
    const place = this.hold(hash, account, market);
    if (value !== undefined) decodePair(this.numbers, place * PAIR_NUMBERS, value);
    return place;
  }

  /** Adds a pair of zeros, which must not be held yet. */
  private hold(hash: number, account: number, market: number): number {
    if (this.count * 2 >= this.cells) this.grow();
    const place = this.count;
    this.count += 1;
    this.accounts[place] = account;
    this.markets[place] = market;
    this.states[place] = 0;
    this.insert(place, hash);
    const start = place * PAIR_NUMBERS;
    const { numbers } = this;
    for (let i = 0; i < PAIR.closed; i += 1) numbers[start + i] = 0;
    for (let i = PAIR.closed; i < PAIR_NUMBERS; i += 1) numbers[start + i] = Number.NaN;
    return place;
  }

  private insert(place: number, hash: number): void {
    const { cellNumbers, cells } = this;
    let cell = hash & (cells - 1);
    while (cellNumbers[cell * CELL.numbers + CELL.place] !== 0) cell = (cell + 1) & (cells - 1);
    const at = cell * CELL.numbers;
    cellNumbers[at + CELL.place] = place;
    cellNumbers[at + CELL.hash] = hash;
  }

  /** Inserts all places in use into the cells, which must be empty. */
  private insertAll(): void {
    const { accounts, markets } = this;
    for (let place = 1; place < this.count; place += 1) this.insert(place, hashOf(accounts[place], markets[place]));
  }

  private grow(): void {
    this.cells *= 2;
    const places = this.cells / 2;
    this.numbers = enlarged(new Float64Array(places * PAIR_NUMBERS), this.numbers);
    this.accounts = enlarged(new Uint32Array(places), this.accounts);
    this.markets = enlarged(new Uint32Array(places), this.markets);
    this.states = enlarged(new Uint8Array(places), this.states);
    this.placesBefore = enlarged(new Uint32Array(places), this.placesBefore);
    this.cellNumbers = new Uint32Array(this.cells * CELL.numbers);
    this.insertAll();
  }

  /** Evicts every pair that does not wait for a commit, and compacts the others. No commit may be in progress. */
  private evictClean(): void {
    const waiting = Uint32Array.from(this.dirty).sort();
    this.count = 1;
    this.cellNumbers.fill(0);
    for (const from of waiting) {
      const to = this.count;
      this.count += 1;
      this.accounts[to] = this.accounts[from];
      this.markets[to] = this.markets[from];
      this.states[to] = this.states[from];
      this.numbers.copyWithin(to * PAIR_NUMBERS, from * PAIR_NUMBERS, (from + 1) * PAIR_NUMBERS);
    }
    this.insertAll();
    this.dirty = Array.from({ length: this.count - 1 }, (_, index) => index + 1);
  }
}

/** 32 well-mixed bits. */
function hashOf(account: number, market: number): number {
  let hash = Math.imul(account, 0x9e3779b1) ^ Math.imul(market, 0x85ebca6b);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
