// The ids of accepted and killed orders, by signed timestamp: the core remembers them to execute no signed order twice. Whole
// hours are dropped once they lie before the order window; from then on the timestamp check refuses the orders they held.
// Within an hour, ids lie in slices of 1.8 seconds, a hash table each. Orders are signed just before they arrive, so the table
// in use is small and stays in the cache; one table an hour would lie in main memory. Called by entry.
import type { Message } from '../protocol/message.ts';
import { requireSound, type Sections } from '../protocol/sections.ts';

const HOUR_MS = 3_600_000;
export const SLICE_MS = 1_800;
const SLICES_AN_HOUR = HOUR_MS / SLICE_MS;
/**
 * Words of an entry: 64 of an id's 256 bits. Ids are digests over a salt: in a slice of n ids, a new one is mistaken for an
 * old one, and refused, with probability n / 2^64. Twice the bits would take twice the memory, and thereby more time.
 */
const ENTRY_WORDS = 2;
const CAPACITY_MIN = 32;
/** Entries of a new slice per id of the slice before it. If as many ids come, its load factor ends at two thirds. */
const ENTRIES_AN_ID = 1.5;
/** The load factor at which a slice grows. A look-up then probes 13 entries on average, within three cache lines. */
const LOAD_MAX = 0.8;
const GROWTH = 1.5;
const HASHES = 2 ** 32;

class IdSlice {
  /** Number of the slice since the epoch; it covers startMs to before endMs, ms. */
  declare readonly number: number;
  declare readonly startMs: number;
  declare readonly endMs: number;
  count = 0;
  /** XOR of all ids, word by word: it depends on the set of ids, not on their order of arrival. */
  foldedFirst = 0;
  foldedSecond = 0;
  /** An entry holds the first two words of an id. The first is 0 in free entries only. */
  declare entries: Int32Array;
  /** Entries / 2^32: the home entry of a hash is number floor(hash × scale). */
  declare private scale: number;
  /** How many ids it holds before it grows. */
  declare private countMax: number;
  /** Where the last unsuccessful look-up stopped: the entry that its id would take. */
  private stoppedAt = 0;

  /** Expects free entries; for those of a snapshot, holds() must be called next. */
  constructor(number: number, entries: Int32Array) {
    this.number = number;
    this.startMs = number * SLICE_MS;
    this.endMs = this.startMs + SLICE_MS;
    this.takeEntries(entries);
  }

  /** Whether ids signed at this time belong to this slice. */
  covers(timestampMs: number): boolean {
    return timestampMs >= this.startMs && timestampMs < this.endMs;
  }

  /** Whether there is room for one more id. */
  hasRoom(): boolean {
    return this.count < this.countMax;
  }

  /** Whether the slice holds the id that starts at word `id`. */
  has(words: Int32Array, id: number): boolean {
    const at = this.locate(words[id] || 1, words[id + 1]); // 0 marks a free entry
    if (this.entries[at] !== 0) return true;
    this.stoppedAt = at;
    return false;
  }

  /** The home entry of the id at word `id`, where has() looks first. */
  entryAt(words: Int32Array, id: number): number {
    return wordOf(words[id], this.scale);
  }

  /** Prefetches these entries. The result means nothing. */
  touch(at: Int32Array, count: number): number {
    const { entries } = this;
    let read = 0;
    for (let i = 0; i < count; i += 1) read ^= entries[at[i]];
    return read;
  }

  /** Adds an id, right after has() returned false for it. */
  add(words: Int32Array, id: number): void {
    if (!this.hasRoom()) {
      this.grow();
      this.has(words, id);
    }
    this.put(words, id);
  }

  /** The same, when hasRoom() is known to be true. */
  put(words: Int32Array, id: number): void {
    const { entries, stoppedAt } = this;
    const first = words[id] || 1;
    const second = words[id + 1];
    entries[stoppedAt] = first;
    entries[stoppedAt | 1] = second;
    this.count += 1;
    this.foldedFirst ^= first;
    this.foldedSecond ^= second;
  }

  /** Counts and folds the entries of a snapshot. Returns whether exactly `count` are taken, which the load factor allows. */
  holds(count: number): boolean {
    const { entries } = this;
    for (let at = 0; at < entries.length; at += ENTRY_WORDS) {
      if (entries[at] === 0) continue;
      this.count += 1;
      this.foldedFirst ^= entries[at];
      this.foldedSecond ^= entries[at | 1];
    }
    return this.count === count && count <= this.countMax;
  }

  /** Whether a look-up finds every id in its own entry, which fails for an id that is there twice. */
  findsAll(): boolean {
    const { entries } = this;
    for (let at = 0; at < entries.length; at += ENTRY_WORDS) {
      if (entries[at] !== 0 && this.locate(entries[at], entries[at | 1]) !== at) return false;
    }
    return true;
  }

  /** Index of an id's entry, or of the free one that it would take. */
  private locate(first: number, second: number): number {
    const { entries } = this;
    let at = wordOf(first, this.scale);
    while (entries[at] !== 0 && (entries[at] !== first || entries[at | 1] !== second)) at = nextOf(entries, at);
    return at;
  }

  private takeEntries(entries: Int32Array): void {
    const capacity = entries.length / ENTRY_WORDS;
    this.entries = entries;
    this.scale = capacity / HASHES;
    this.countMax = Math.floor(capacity * LOAD_MAX);
  }

  /** Enlarges the table. Entries lie in the order of their hashes, so both tables are traversed once, sequentially. */
  private grow(): void {
    const old = this.entries;
    const entries = newEntries((old.length / ENTRY_WORDS) * GROWTH);
    this.takeEntries(entries);
    for (let from = 0; from < old.length; from += ENTRY_WORDS) {
      const first = old[from];
      if (first === 0) continue;
      let at = wordOf(first, this.scale);
      while (entries[at] !== 0) at = nextOf(entries, at);
      entries[at] = first;
      entries[at | 1] = old[from | 1];
    }
  }
}

/**
 * Index of the home entry of an id with this first word. Ids are digests, so a word of one, multiplied, is uniformly
 * distributed; times `scale`, which is entries / 2^32, it falls on every entry alike, whatever their number.
 */
const wordOf = (first: number, scale: number): number => {
  return ((Math.imul(first, 0x9e3779b1) >>> 0) * scale) << 1;
};

/** Index of the entry after the one at `at`; the first follows the last. */
const nextOf = (entries: Int32Array, at: number): number => {
  const next = at + ENTRY_WORDS;
  return next === entries.length ? 0 : next;
};

/**
 * Free entries, in shared memory, which V8's garbage collector does not account for. Ids are kept for hours: in ordinary
 * buffers, every few megabytes of them would trigger a collection that frees nothing.
 */
const newEntries = (capacity: number): Int32Array => {
  const entries = Math.ceil(capacity);
  return new Int32Array(new SharedArrayBuffer(entries * ENTRY_WORDS * Int32Array.BYTES_PER_ELEMENT));
};

/** Placeholder where there is no slice yet: it lies before any order's time and takes no id. */
const noSlice = new IdSlice(-1_000_000_000, new Int32Array(ENTRY_WORDS));

/** The head of a slice in a snapshot: its index within the hour, the number of its entries, and how many are taken. */
const headOf = ({ number, entries, count }: IdSlice): number[] => [
  number % SLICES_AN_HOUR,
  entries.length / ENTRY_WORDS,
  count,
];

/** Anything with a signed time. Passed as an object, since the time by itself would be boxed at each call. */
interface Signed {
  /** The time that was signed with the id, ms. */
  readonly timestampMs: number;
}

const sliceNumber = ({ timestampMs }: Signed): number => Math.floor(timestampMs / SLICE_MS);
const hourOf = (slice: IdSlice): number => Math.floor(slice.number / SLICES_AN_HOUR);

export class IdWindow {
  /** Signed timestamps below this are refused for ever, ms, since their ids may have been forgotten. Never decreases. */
  forgottenBeforeMs = Number.NaN;
  /** The slices by number. */
  private readonly slices = new Map<number, IdSlice>();
  /** The slice used last, and the one created last. */
  private recent = noSlice;
  private latest = noSlice;
  /** End of the oldest hour that holds ids, ms. Until the order window starts there or later, there is nothing to forget. */
  oldestEndMs = Infinity;

  constructor() {
    this.forgottenBeforeMs = 0; // NaN first, then 0: a float from the start, see engine/compiler.ts
  }

  /** Drops the hours that lie wholly before `before`, ms. */
  forget(before: number): void {
    this.recent = noSlice;
    this.forgottenBeforeMs = Math.max(this.forgottenBeforeMs, before);
    this.oldestEndMs = Infinity;
    for (const slice of [...this.slices.values()]) {
      const endMs = (hourOf(slice) + 1) * HOUR_MS;
      if (endMs <= before) this.slices.delete(slice.number);
      else this.oldestEndMs = Math.min(this.oldestEndMs, endMs);
    }
  }

  /** Whether the id at `offset`, that of this order, is remembered. */
  has(message: Message, offset: number, order: Signed): boolean {
    return this.sliceOf(order)?.has(message.words, offset >> 2) ?? false;
  }

  /** Whether an id signed at this time belongs to the slice used last and has room there: hasNear() and addNear() suffice. */
  isNear(timestampMs: number): boolean {
    return this.recent.covers(timestampMs) && this.recent.hasRoom();
  }

  /** Whether the slice used last remembers the id at word `id`. */
  hasNear(words: Int32Array, id: number): boolean {
    return this.recent.has(words, id);
  }

  /** Adds an id to the slice used last, right after hasNear() returned false for it. */
  addNear(words: Int32Array, id: number): void {
    this.recent.put(words, id);
  }

  /** The home entry of the id at word `id`, assuming that it belongs to the slice used last. */
  entryAt(words: Int32Array, id: number): number {
    return this.recent.entryAt(words, id);
  }

  /** Prefetches these entries of the slice used last. The result means nothing. */
  touch(at: Int32Array, count: number): number {
    return this.recent.touch(at, count);
  }

  /** Adds an id, right after has() returned false for it. */
  add(message: Message, offset: number, order: Signed): void {
    let slice = this.sliceOf(order);
    if (slice === undefined) {
      // With room for as many ids as the slice before: growing would delay the order at hand.
      const capacity = Math.max(CAPACITY_MIN, this.latest.count * ENTRIES_AN_ID);
      slice = this.open(sliceNumber(order), newEntries(capacity));
      slice.has(message.words, offset >> 2);
      this.recent = slice;
    }
    slice.add(message.words, offset >> 2);
  }

  /** The numbers to hash: forgottenBeforeMs, then for each hour, ascending, its number, count and folded ids. */
  hashParts(): readonly number[] {
    const parts: number[] = [this.forgottenBeforeMs];
    for (const [hour, slices] of this.hours()) {
      let count = 0;
      let first = 0;
      let second = 0;
      for (const slice of slices) {
        count += slice.count;
        first ^= slice.foldedFirst;
        second ^= slice.foldedSecond;
      }
      parts.push(hour, count, first, second);
    }
    return parts;
  }

  /** Saves or loads its part of a snapshot: for each hour the heads of its slices, then their entries as they lie. */
  visit(sections: Sections): void {
    this.forgottenBeforeMs = sections.number('forgottenBeforeMs', this.forgottenBeforeMs);
    const hours = this.hours();
    for (const hour of sections.float64('hours', Float64Array.from(hours.keys()))) {
      const part = sections.part(`hour ${hour}`);
      const slices = hours.get(hour) ?? [];
      const heads = part.int32('slices', Int32Array.from(slices.flatMap(headOf)));
      const entries = part.int32('entries', sections.isLoading ? new Int32Array() : entriesOf(slices));
      if (sections.isLoading) this.load(hour, heads, entries);
    }
  }

  private load(hour: number, heads: Int32Array, entries: Int32Array): void {
    let at = 0;
    for (let i = 0; i < heads.length; i += 3) {
      const [index, capacity, count] = heads.subarray(i, i + 3);
      const end = at + capacity * ENTRY_WORDS;
      const isThere = index >= 0 && index < SLICES_AN_HOUR && capacity > 1 && end <= entries.length;
      requireSound(isThere, `slice ${index} of an hour of ids has ${capacity} entries`);
      const slice = this.open(hour * SLICES_AN_HOUR + index, entries.subarray(at, end));
      const facts = `slice ${index} of an hour of ids has ${capacity} entries`;
      requireSound(slice.holds(count), `${facts} and holds ${slice.count}, and not ${count}`);
      requireSound(slice.findsAll(), `slice ${index} of an hour of ids has an id twice, or where nobody finds it`);
      at = end;
    }
    requireSound(at === entries.length, `an hour of ids has ${entries.length} words`);
  }

  private open(number: number, entries: Int32Array): IdSlice {
    const slice = new IdSlice(number, entries);
    this.slices.set(number, slice);
    this.latest = slice;
    this.oldestEndMs = Math.min(this.oldestEndMs, (hourOf(slice) + 1) * HOUR_MS);
    return slice;
  }

  private sliceOf(order: Signed): IdSlice | undefined {
    const { recent } = this;
    if (recent.covers(order.timestampMs)) return recent;
    const slice = this.slices.get(sliceNumber(order));
    if (slice !== undefined) this.recent = slice;
    return slice;
  }

  /** The slices by hour, both ascending. */
  private hours(): Map<number, IdSlice[]> {
    const hours = new Map<number, IdSlice[]>();
    for (const slice of [...this.slices.values()].sort((a, b) => a.number - b.number)) {
      const hour = hourOf(slice);
      const slices = hours.get(hour);
      if (slices === undefined) hours.set(hour, [slice]);
      else slices.push(slice);
    }
    return hours;
  }
}

/** The entries of these slices, concatenated. */
const entriesOf = (slices: readonly IdSlice[]): Int32Array<ArrayBuffer> => {
  const entries = new Int32Array(slices.reduce((sum, slice) => sum + slice.entries.length, 0));
  let at = 0;
  for (const slice of slices) {
    entries.set(slice.entries, at);
    at += slice.entries.length;
  }
  return entries;
};
