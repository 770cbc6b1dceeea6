// The ids that the core remembers so that no signed order is ever executed twice: those it accepted or killed, by their
// signed timestamp. Whole hours are dropped once the order window has left them behind; from then on the rule on timestamps
// refuses what they held. Within an hour, ids lie in slices of a second or two: orders are signed just before they arrive,
// so that the table in use is small and near, where one table an hour is as far as memory gets. Called by entry.
import type { Message } from '../protocol/message.ts';
import { isCapacity, requireSound, type Sections } from '../protocol/sections.ts';

const HOUR_MS = 3_600_000;
const SLICE_MS = 1_800;
const SLICES_AN_HOUR = HOUR_MS / SLICE_MS;
/**
 * Words of an entry: 64 of an id's 256 bits. Ids are digests over a salt: among n ids of a slice a new one is mistaken for
 * an old one, and refused, with probability n / 2^64. Twice as many bits would cost twice the memory, and memory is time.
 */
const ENTRY_WORDS = 2;
const CAPACITY_MIN = 32;
/** A slice grows when 3/4 of its entries are taken: a look-up then still passes eight on average, within two lines. */
const LOAD_MAX = 0.75;

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
  declare entries: Int32Array<ArrayBuffer>;
  /** How far a hash is shifted to leave the number of an entry. */
  declare private shift: number;
  /** How many ids it holds before it grows. */
  declare private countMax: number;
  /** Where the last look-up that found nothing stopped: the entry that its id would take. */
  private stoppedAt = 0;

  /** A slice of these entries, all of them free: holds() is called where they are not. */
  constructor(number: number, entries: Int32Array<ArrayBuffer>) {
    const capacity = entries.length / ENTRY_WORDS;
    this.number = number;
    this.startMs = number * SLICE_MS;
    this.endMs = this.startMs + SLICE_MS;
    this.entries = entries;
    this.shift = Math.clz32(capacity) + 1;
    this.countMax = Math.floor(capacity * LOAD_MAX);
  }

  /** Whether the id that starts at word `id` is there. */
  has(words: Int32Array, id: number): boolean {
    const at = this.locate(words[id] || 1, words[id + 1]); // 0 marks a free entry
    if (this.entries[at] !== 0) return true;
    this.stoppedAt = at;
    return false;
  }

  /** The words that has() will look at first for the ids at words `at`, in one number. */
  touch(words: Int32Array, at: Int32Array, count: number): number {
    const { entries, shift } = this;
    let read = 0;
    for (let i = 0; i < count; i += 1) read ^= entries[(spread(words[at[i]]) >>> shift) << 1];
    return read;
  }

  /** Adds an id that has() has just not found. */
  add(words: Int32Array, id: number): void {
    if (this.count === this.countMax) {
      this.grow();
      this.has(words, id);
    }
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
    const last = entries.length - 1;
    let at = (spread(first) >>> this.shift) << 1;
    while (entries[at] !== 0 && (entries[at] !== first || entries[at | 1] !== second)) at = (at + 2) & last;
    return at;
  }

  /** Doubles the table. Entries lie in the order of their hashes, so that both tables are passed through once, in order. */
  private grow(): void {
    const old = this.entries;
    const entries = new Int32Array(old.length * 2);
    const last = entries.length - 1;
    this.entries = entries;
    this.shift -= 1;
    this.countMax *= 2;
    for (let from = 0; from < old.length; from += 2) {
      const first = old[from];
      if (first === 0) continue;
      let at = (spread(first) >>> this.shift) << 1;
      while (entries[at] !== 0) at = (at + 2) & last;
      entries[at] = first;
      entries[at | 1] = old[from | 1];
    }
  }
}

/** Ids are digests: a word of one, multiplied, spreads well in its high bits. */
function spread(word: number): number {
  return Math.imul(word, 0x9e3779b1);
}

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
  forgottenBeforeMs = 0;
  /** By number. */
  private readonly slices = new Map<number, IdSlice>();
  /** The slice that was asked last, and the one that was made last. */
  declare private recent: IdSlice | undefined;
  declare private latest: IdSlice | undefined;
  /** End of the oldest hour that holds ids, ms: until a window has left it behind there is nothing to forget. */
  oldestEndMs = Infinity;

  /** Drops the hours that lie wholly before `before`, ms. */
  forget(before: number): void {
    this.recent = undefined;
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

  /** The words that has() will look at first for `count` ids at words `at` of the slice used last, in one number. */
  touch(words: Int32Array, at: Int32Array, count: number): number {
    return this.recent === undefined ? 0 : this.recent.touch(words, at, count);
  }

  /** Remembers an id that is not remembered yet: has() was the last thing asked, and said so. */
  add(message: Message, offset: number, order: Signed): void {
    let slice = this.sliceOf(order);
    if (slice === undefined) {
      // With room for as many as the slice before: one that grows does so in the middle of somebody's order.
      slice = this.open(sliceNumber(order), entriesFor(this.latest?.count ?? 0));
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

  private load(hour: number, heads: Int32Array, entries: Int32Array<ArrayBuffer>): void {
    let at = 0;
    for (let i = 0; i < heads.length; i += 3) {
      const [index, capacity, count] = heads.subarray(i, i + 3);
      const end = at + capacity * ENTRY_WORDS;
      const isThere = index >= 0 && index < SLICES_AN_HOUR && isCapacity(capacity, 2) && end <= entries.length;
      requireSound(isThere, `slice ${index} of an hour of ids has ${capacity} entries`);
      const slice = this.open(hour * SLICES_AN_HOUR + index, entries.subarray(at, end));
      requireSound(slice.holds(count), `slice ${index} of an hour of ids holds ${slice.count}, and not ${count}`);
      requireSound(slice.findsAll(), `slice ${index} of an hour of ids has an id twice, or where nobody finds it`);
      at = end;
    }
    requireSound(at === entries.length, `an hour of ids has ${entries.length} words`);
  }

  private open(number: number, entries: Int32Array<ArrayBuffer>): IdSlice {
    const slice = new IdSlice(number, entries);
    this.slices.set(number, slice);
    this.latest = slice;
    this.oldestEndMs = Math.min(this.oldestEndMs, (hourOf(slice) + 1) * HOUR_MS);
    return slice;
  }

  private sliceOf(order: Signed): IdSlice | undefined {
    const { recent } = this;
    const { timestampMs } = order;
    if (recent !== undefined && timestampMs >= recent.startMs && timestampMs < recent.endMs) return recent;
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

/** Free entries for so many ids before they grow, and for at least half as many more. */
function entriesFor(count: number): Int32Array<ArrayBuffer> {
  let capacity = CAPACITY_MIN;
  while (capacity < count * 1.5) capacity *= 2;
  return new Int32Array(capacity * ENTRY_WORDS);
}

/** All entries of these slices, one slice after another. */
function entriesOf(slices: readonly IdSlice[]): Int32Array<ArrayBuffer> {
  const entries = new Int32Array(slices.reduce((sum, slice) => sum + slice.entries.length, 0));
  let at = 0;
  for (const slice of slices) {
    entries.set(slice.entries, at);
    at += slice.entries.length;
  }
  return entries;
}
