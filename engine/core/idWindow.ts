// The ids that the core remembers so that no signed order is ever executed twice: those it accepted or killed, by the hour
// of their signed timestamp. Whole hours are dropped once the order window has left them behind; from then on the rule on
// timestamps refuses what they held. Called by entry.
import type { Message } from '../protocol/message.ts';
import { isCapacity, requireSound, type Sections } from '../protocol/sections.ts';

/** Ids are remembered by the hour of their signed timestamp: its number since the epoch. */
const HOUR_MS = 3_600_000;
/** Words of an id that the set's fold covers. */
const FOLD_WORDS = 2;
/**
 * Words of an entry: 64 of an id's 256 bits. Ids are digests over a salt: among n ids of an hour a new one is mistaken for
 * an old one, and refused, with probability n / 2^64. Twice as many bits would cost twice the memory, and memory is time:
 * a look-up waits for one line of a table that no cache holds.
 */
const ENTRY_WORDS = 2;
const CAPACITY_MIN = 256;
/** An hour grows when 3/4 of its entries are taken: a look-up then still passes eight on average, within two lines. */
const LOAD_MAX = 0.75;

class IdHour {
  declare readonly hour: number;
  /** From when to before when it reaches, ms. */
  declare readonly startMs: number;
  declare readonly endMs: number;
  count = 0;
  /** XOR of all ids, word by word: the same for the same set, whatever the order of arrival. */
  folded = new Int32Array(FOLD_WORDS);
  /** Entries of an id's first two words, the first never 0 for a taken one. */
  declare private entries: Int32Array<ArrayBuffer>;
  /** How far a hash is shifted to leave the number of an entry. */
  declare private shift: number;
  /** How many ids it holds before it grows. */
  declare private countMax: number;
  /** Where the last look-up that found nothing stopped: the entry that its id would take. */
  private stoppedAt = 0;

  constructor(hour: number, capacity: number) {
    this.hour = hour;
    this.startMs = hour * HOUR_MS;
    this.endMs = this.startMs + HOUR_MS;
    this.entries = new Int32Array(capacity * ENTRY_WORDS);
    this.shift = Math.clz32(capacity) + 1;
    this.countMax = Math.floor(capacity * LOAD_MAX);
  }

  get capacity(): number {
    return this.entries.length / ENTRY_WORDS;
  }

  /** Whether the id that starts at word `id` is there. */
  has(words: Int32Array, id: number): boolean {
    const { entries } = this;
    const last = entries.length - 1;
    const first = words[id] || 1; // 0 marks a free entry
    const second = words[id + 1];
    let at = (spread(first) >>> this.shift) << 1;
    for (;;) {
      const entry = entries[at];
      if (entry === 0) break;
      if (entry === first && entries[at | 1] === second) return true;
      at = (at + 2) & last;
    }
    this.stoppedAt = at;
    return false;
  }

  /** The word that has() will look at first. */
  peek(words: Int32Array, id: number): number {
    return this.entries[(spread(words[id] || 1) >>> this.shift) << 1];
  }

  /** Adds an id that has() has just not found. */
  add(words: Int32Array, id: number): void {
    if (this.count === this.countMax) {
      this.grow();
      this.has(words, id);
    }
    const { entries, folded, stoppedAt } = this;
    entries[stoppedAt] = words[id] || 1;
    entries[stoppedAt | 1] = words[id + 1];
    this.count += 1;
    folded[0] ^= words[id];
    folded[1] ^= words[id + 1];
  }

  /** Its part of a snapshot. */
  visit(sections: Sections): void {
    this.count = sections.number('count', this.count);
    this.folded = sections.int32('folded', this.folded);
    this.entries = sections.int32('entries', this.entries);
    const { capacity } = this;
    requireSound(isCapacity(capacity, 2), `an hour of ids has ${this.entries.length} words`);
    this.shift = Math.clz32(capacity) + 1;
    this.countMax = Math.floor(capacity * LOAD_MAX);
    requireSound(this.count >= 0 && this.count <= this.countMax, `an hour of ${capacity} ids holds ${this.count}`);
  }

  /** Doubles the table. Entries lie in the order of their hashes, so that both tables are passed through once, in order. */
  private grow(): void {
    const old = this.entries;
    const entries = new Int32Array(old.length * 2);
    const last = entries.length - 1;
    this.entries = entries;
    this.shift -= 1;
    this.countMax = Math.floor(this.capacity * LOAD_MAX);
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

export class IdWindow {
  /** Signed timestamps below this are refused for ever, ms: their ids may have been forgotten. Never falls. */
  forgottenBeforeMs = 0;
  private readonly hours = new Map<number, IdHour>();
  declare private recent: IdHour | undefined;
  declare private latest: IdHour | undefined;
  /** End of the oldest hour that holds ids, ms: until a window has left it behind there is nothing to forget. */
  oldestEndMs = Infinity;

  /** Drops the hours that lie wholly before `before`, ms. */
  forget(before: number): void {
    for (const hour of [...this.hours.keys()]) {
      if ((hour + 1) * HOUR_MS <= before) this.hours.delete(hour);
    }
    this.recent = undefined;
    this.forgottenBeforeMs = Math.max(this.forgottenBeforeMs, before);
    this.oldestEndMs = Infinity;
    for (const hour of this.hours.keys()) this.oldestEndMs = Math.min(this.oldestEndMs, (hour + 1) * HOUR_MS);
  }

  /** Whether the id at `offset`, signed at this time (ms), is remembered. */
  has(message: Message, offset: number, timestampMs: number): boolean {
    return this.hourOf(timestampMs)?.has(message.words, offset >> 2) ?? false;
  }

  /** Reads the word that has() will look at first if the id is of the hour used last, so that it is near by then. */
  peekRecent(message: Message, offset: number): number {
    return this.recent === undefined ? 0 : this.recent.peek(message.words, offset >> 2);
  }

  /** Remembers an id that is not remembered yet: has() was the last thing asked, and said so. */
  add(message: Message, offset: number, timestampMs: number): void {
    let ids = this.hourOf(timestampMs);
    if (ids === undefined) {
      // As large as the hour before: an hour that grows doubles in the middle of somebody's order.
      ids = new IdHour(Math.floor(timestampMs / HOUR_MS), this.latest?.capacity ?? CAPACITY_MIN);
      this.latest = ids;
      ids.has(message.words, offset >> 2);
      this.hours.set(ids.hour, ids);
      this.oldestEndMs = Math.min(this.oldestEndMs, ids.endMs);
      this.recent = ids;
    }
    ids.add(message.words, offset >> 2);
  }

  /** Hash of the set and of what was forgotten: hours ascending, each with its count and folded ids. */
  hashParts(): readonly number[] {
    const parts: number[] = [this.forgottenBeforeMs];
    const hours = [...this.hours.values()].sort((a, b) => a.hour - b.hour);
    for (const { hour, count, folded } of hours) parts.push(hour, count, ...folded);
    return parts;
  }

  /** Its part of a snapshot. */
  visit(sections: Sections): void {
    this.forgottenBeforeMs = sections.number('forgottenBeforeMs', this.forgottenBeforeMs);
    for (const hour of sections.float64('hours', Float64Array.from(this.hours.keys()))) {
      const ids = this.hours.get(hour) ?? new IdHour(hour, CAPACITY_MIN);
      ids.visit(sections.part(`hour ${hour}`));
      this.hours.set(hour, ids);
      this.latest = ids;
      this.oldestEndMs = Math.min(this.oldestEndMs, ids.endMs);
    }
  }

  private hourOf(timestampMs: number): IdHour | undefined {
    const { recent } = this;
    if (recent !== undefined && timestampMs >= recent.startMs && timestampMs < recent.endMs) return recent;
    const ids = this.hours.get(Math.floor(timestampMs / HOUR_MS));
    if (ids !== undefined) this.recent = ids;
    return ids;
  }
}
