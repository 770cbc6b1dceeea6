// The ids that the core remembers so that no signed order is ever executed twice: those it accepted or killed, by their
// signed timestamp. Whole hours are dropped once the order window has left them behind; from then on the rule on timestamps
// refuses what they held. Within an hour, ids lie in slices of a second or two: orders are signed just before they arrive,
// so that the table in use is small and near, where one table an hour is as far as memory gets. Called by entry.
import type { Message } from '../protocol/message.ts';
import { requireSound, type Sections } from '../protocol/sections.ts';

const HOUR_MS = 3_600_000;
export const SLICE_MS = 1_800;
const SLICES_AN_HOUR = HOUR_MS / SLICE_MS;
/**
 * Words of an entry: 64 of an id's 256 bits. Ids are digests over a salt: among n ids of a slice a new one is mistaken for
 * an old one, and refused, with probability n / 2^64. Twice as many bits would cost twice the memory, and memory is time.
 */
const ENTRY_WORDS = 2;
const CAPACITY_MIN = 32;
/** A new slice has so many entries for each id of the slice before it: two thirds taken when it is over, if as many come. */
const ENTRIES_AN_ID = 1.5;
/** A slice grows when 4/5 of its entries are taken: a look-up then passes 13 on average, within three lines. */
const LOAD_MAX = 0.8;
const GROWTH = 1.5;
const HASHES = 2 ** 32;

class IdSlice {
  /** Number of the slice since the epoch, and from when to before when it reaches, ms. */
  declare readonly number: number;
  declare readonly startMs: number;
  declare readonly endMs: number;
  count = 0;
  /** XOR of all ids, word by word: the same for the same set, whatever the order of arrival. */
  foldedFirst = 0;
  foldedSecond = 0;
  /** Entries of an id's first two words, the first never 0 for a taken one. */
  declare entries: Int32Array;
  /** Entries a hash: the number of its entry is the whole part of as many times the hash. */
  declare private scale: number;
  /** How many ids it holds before it grows. */
  declare private countMax: number;
  /** Where the last look-up that found nothing stopped: the entry that its id would take. */
  private stoppedAt = 0;

  /** A slice of these entries, all of them free: holds() is called where they are not. */
  constructor(number: number, entries: Int32Array) {
    this.number = number;
    this.startMs = number * SLICE_MS;
    this.endMs = this.startMs + SLICE_MS;
    this.takeEntries(entries);
  }

  /** Whether ids that were signed at this time belong here. */
  covers(timestampMs: number): boolean {
    return timestampMs >= this.startMs && timestampMs < this.endMs;
  }

  /** Whether one more id has room. */
  hasRoom(): boolean {
    return this.count < this.countMax;
  }

  /** Whether the id that starts at word `id` is there. */
  has(words: Int32Array, id: number): boolean {
    const at = this.locate(words[id] || 1, words[id + 1]); // 0 marks a free entry
    if (this.entries[at] !== 0) return true;
    this.stoppedAt = at;
    return false;
  }

  /** Where has() will look first for the id at word `id`. */
  entryAt(words: Int32Array, id: number): number {
    return wordOf(words[id], this.scale);
  }

  /** Reads these entries. */
  touch(at: Int32Array, count: number): number {
    const { entries } = this;
    let read = 0;
    for (let i = 0; i < count; i += 1) read ^= entries[at[i]];
    return read;
  }

  /** Adds an id that has() has just not found. */
  add(words: Int32Array, id: number): void {
    if (!this.hasRoom()) {
      this.grow();
      this.has(words, id);
    }
    this.put(words, id);
  }

  /** The same where hasRoom() says so. */
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

  /** Takes in its entries, which come out of a snapshot; whether as many are taken as it says, and enough are free. */
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

  /** Whether every id lies where it is found, which one that comes twice does not. */
  findsAll(): boolean {
    const { entries } = this;
    for (let at = 0; at < entries.length; at += ENTRY_WORDS) {
      if (entries[at] !== 0 && this.locate(entries[at], entries[at | 1]) !== at) return false;
    }
    return true;
  }

  /** Where the entry of an id lies, or the free one that it would take. */
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

  /** Enlarges the table. Entries lie in the order of their hashes, so that both tables are passed through once, in order. */
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
 * Where the entry starts that an id with this first word belongs into. Ids are digests: a word of one, multiplied, is as
 * good as random, and so many times `scale`, which is entries / 2^32, it falls on each entry alike, however many there are.
 */
const wordOf = (first: number, scale: number): number => {
  return ((Math.imul(first, 0x9e3779b1) >>> 0) * scale) << 1;
};

/** Where the entry behind the one at `at` starts. */
const nextOf = (entries: Int32Array, at: number): number => {
  const next = at + ENTRY_WORDS;
  return next === entries.length ? 0 : next;
};

/**
 * Free entries. Shared memory, which is none that V8 reckons with: ids are kept for hours, so that it would look for what
 * is no longer needed, and find nothing, whenever they have taken another few megabytes.
 */
const newEntries = (capacity: number): Int32Array => {
  const entries = Math.ceil(capacity);
  return new Int32Array(new SharedArrayBuffer(entries * ENTRY_WORDS * Int32Array.BYTES_PER_ELEMENT));
};

/** In the place of a slice where there is none yet: one of long ago, which takes no id. */
const noSlice = new IdSlice(-1_000_000_000, new Int32Array(ENTRY_WORDS));

/** What a snapshot says of a slice: which of its hour it is, how many entries it has, and how many are taken. */
const headOf = ({ number, entries, count }: IdSlice): number[] => [
  number % SLICES_AN_HOUR,
  entries.length / ENTRY_WORDS,
  count,
];

/** Whatever carries an id: passed as it is, since a time that is passed by itself is put on the heap each time. */
interface Signed {
  /** The time that was signed with the id, ms. */
  readonly timestampMs: number;
}

const sliceNumber = ({ timestampMs }: Signed): number => Math.floor(timestampMs / SLICE_MS);
const hourOf = (slice: IdSlice): number => Math.floor(slice.number / SLICES_AN_HOUR);

export class IdWindow {
  /** Signed timestamps below this are refused for ever, ms: their ids may have been forgotten. Never falls. */
  forgottenBeforeMs = Number.NaN;
  /** By number. */
  private readonly slices = new Map<number, IdSlice>();
  /** The slice that was used last, and the one that was made last. */
  private recent = noSlice;
  private latest = noSlice;
  /** End of the oldest hour that holds ids, ms: until a window has left it behind there is nothing to forget. */
  oldestEndMs = Infinity;

  constructor() {
    this.forgottenBeforeMs = 0; // set anew, so that it is a float from the beginning, see engine/compiler.ts
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

  /** Whether the id at `offset`, which this order was signed with, is remembered. */
  has(message: Message, offset: number, order: Signed): boolean {
    return this.sliceOf(order)?.has(message.words, offset >> 2) ?? false;
  }

  /** Whether an id signed then belongs into the slice used last, which has room for it: hasNear and addNear will do. */
  isNear(timestampMs: number): boolean {
    return this.recent.covers(timestampMs) && this.recent.hasRoom();
  }

  /** Whether the slice used last remembers the id at word `id`. */
  hasNear(words: Int32Array, id: number): boolean {
    return this.recent.has(words, id);
  }

  /** Remembers an id in the slice used last: hasNear() was the last thing asked, and said no. */
  addNear(words: Int32Array, id: number): void {
    this.recent.put(words, id);
  }

  /** Where has() will look first for the id at word `id`, if it is of the slice used last. */
  entryAt(words: Int32Array, id: number): number {
    return this.recent.entryAt(words, id);
  }

  /** Reads these entries of the slice used last. */
  touch(at: Int32Array, count: number): number {
    return this.recent.touch(at, count);
  }

  /** Remembers an id that is not remembered yet: has() was the last thing asked, and said so. */
  add(message: Message, offset: number, order: Signed): void {
    let slice = this.sliceOf(order);
    if (slice === undefined) {
      // With room for as many as the slice before: one that grows does so in the middle of somebody's order.
      const capacity = Math.max(CAPACITY_MIN, this.latest.count * ENTRIES_AN_ID);
      slice = this.open(sliceNumber(order), newEntries(capacity));
      slice.has(message.words, offset >> 2);
      this.recent = slice;
    }
    slice.add(message.words, offset >> 2);
  }

  /** Hash of the set and of what was forgotten: hours ascending, each with its count and folded ids. */
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

  /** Its part of a snapshot: of each hour the number, capacity and count of each slice, and all entries as they lie. */
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

/** All entries of these slices, one slice after another. */
const entriesOf = (slices: readonly IdSlice[]): Int32Array<ArrayBuffer> => {
  const entries = new Int32Array(slices.reduce((sum, slice) => sum + slice.entries.length, 0));
  let at = 0;
  for (const slice of slices) {
    entries.set(slice.entries, at);
    at += slice.entries.length;
  }
  return entries;
};
