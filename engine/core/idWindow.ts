// The ids that the core remembers so that no signed order is ever executed twice: those it accepted or killed, by the hour
// of their signed timestamp. Whole hours are dropped once the order window has left them behind; from then on the rule on
// timestamps refuses what they held. Called by entry.

/** Ids are remembered by the hour of their signed timestamp: its number since the epoch. */
export const HOUR_MS = 3_600_000;
/** Words of an id that the set's fold covers. */
const FOLD_WORDS = 4;
/**
 * Words of an entry: 64 of an id's 256 bits. Ids are digests over a salt: among n ids of an hour a new one is mistaken for
 * an old one, and refused, with probability n / 2^64. Twice as many bits would cost twice the memory, and memory is time:
 * a look-up waits for one line of a table that no cache holds.
 */
const ENTRY_WORDS = 2;
const CAPACITY_MIN = 256;
/** An hour grows when more than 5/8 of its entries are taken: a look-up then still passes four on average. */
const LOAD_MAX = 0.625;

class IdHour {
  readonly hour: number;
  count = 0;
  /** XOR of all ids, word by word: the same for the same set, whatever the order of arrival. */
  readonly folded = new Int32Array(FOLD_WORDS);
  /** Entries of an id's first two words, the first never 0 for a taken one. */
  private words: Int32Array;
  /** Where the last look-up that found nothing stopped: the entry that its id would take. */
  private stoppedAt = 0;

  constructor(hour: number, capacity: number) {
    this.hour = hour;
    this.words = new Int32Array(capacity * ENTRY_WORDS);
  }

  get capacity(): number {
    return this.words.length / ENTRY_WORDS;
  }

  has(message: DataView, offset: number): boolean {
    const { words } = this;
    const last = words.length - 1;
    const first = message.getInt32(offset, true) || 1;
    const second = message.getInt32(offset + 4, true);
    let at = (spread(first) << 1) & last;
    for (;;) {
      const word = words[at];
      if (word === 0) break;
      if (word === first && words[at + 1] === second) return true;
      at = (at + ENTRY_WORDS) & last;
    }
    this.stoppedAt = at;
    return false;
  }

  /** The word that has() will look at first. */
  peek(message: DataView, offset: number): number {
    const { words } = this;
    return words[(spread(message.getInt32(offset, true) || 1) << 1) & (words.length - 1)];
  }

  /** Adds an id that has() has just not found. */
  add(message: DataView, offset: number): void {
    if (this.count + 1 > (this.words.length / ENTRY_WORDS) * LOAD_MAX) {
      this.grow();
      this.has(message, offset);
    }
    this.place(message, offset);
    this.count += 1;
    const { folded } = this;
    folded[0] ^= message.getInt32(offset, true);
    folded[1] ^= message.getInt32(offset + 4, true);
    folded[2] ^= message.getInt32(offset + 8, true);
    folded[3] ^= message.getInt32(offset + 12, true);
  }

  private place(message: DataView, offset: number): void {
    const { words, stoppedAt } = this;
    words[stoppedAt] = message.getInt32(offset, true) || 1; // 0 marks a free entry
    words[stoppedAt + 1] = message.getInt32(offset + 4, true);
  }

  private grow(): void {
    const { words } = this;
    const message = new DataView(words.buffer);
    this.words = new Int32Array(words.length * 2);
    for (let base = 0; base < words.length; base += ENTRY_WORDS) {
      if (words[base] === 0) continue;
      this.has(message, base * 4);
      this.place(message, base * 4);
    }
  }
}

/** Ids are digests: a word of one, lightly mixed, spreads well. */
function spread(word: number): number {
  const mixed = Math.imul(word, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

export class IdWindow {
  /** Signed timestamps below this are refused for ever, ms: their ids may have been forgotten. Never falls. */
  forgottenBeforeMs = 0;
  private readonly hours = new Map<number, IdHour>();
  private recent: IdHour | undefined;
  private latest: IdHour | undefined;
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

  /** Whether the id at `offset`, signed in this hour, is remembered. */
  has(message: DataView, offset: number, hour: number): boolean {
    return this.hourOf(hour)?.has(message, offset) ?? false;
  }

  /** Reads the word that has() will look at first if the id is of the hour used last, so that it is near by then. */
  peekRecent(message: DataView, offset: number): number {
    return this.recent === undefined ? 0 : this.recent.peek(message, offset);
  }

  /** Remembers an id that is not remembered yet: has() was the last thing asked, and said so. */
  add(message: DataView, offset: number, hour: number): void {
    let ids = this.hourOf(hour);
    if (ids === undefined) {
      // As large as the hour before: an hour that grows doubles in the middle of somebody's order.
      ids = new IdHour(hour, this.latest?.capacity ?? CAPACITY_MIN);
      this.latest = ids;
      ids.has(message, offset);
      this.hours.set(hour, ids);
      this.oldestEndMs = Math.min(this.oldestEndMs, (hour + 1) * HOUR_MS);
      this.recent = ids;
    }
    ids.add(message, offset);
  }

  /** Hash of the set and of what was forgotten: hours ascending, each with its count and folded ids. */
  hashParts(): readonly number[] {
    const parts: number[] = [this.forgottenBeforeMs];
    const hours = [...this.hours.values()].sort((a, b) => a.hour - b.hour);
    for (const { hour, count, folded } of hours) parts.push(hour, count, ...folded);
    return parts;
  }

  private hourOf(hour: number): IdHour | undefined {
    if (this.recent?.hour === hour) return this.recent;
    const ids = this.hours.get(hour);
    if (ids !== undefined) this.recent = ids;
    return ids;
  }
}
