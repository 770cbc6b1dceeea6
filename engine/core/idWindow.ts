// The ids that the core remembers so that no signed order is ever executed twice: those it accepted or killed, by the hour
// of their signed timestamp. Whole hours are dropped once the order window has left them behind; from then on the rule on
// timestamps refuses what they held. Called by entry.

/** Ids are remembered by the hour of their signed timestamp: its number since the epoch. */
export const HOUR_MS = 3_600_000;
/** 128 of an id's 256 bits: ids are digests, nobody can make two that share them. */
const ID_WORDS = 4;
const CAPACITY_MIN = 256;

class IdHour {
  readonly hour: number;
  count = 0;
  /** XOR of all ids, word by word: the same for the same set, whatever the order of arrival. */
  readonly folded = new Int32Array(ID_WORDS);
  /** Four words an entry, the first never 0 for a taken one: a look-up touches one line of memory. */
  private words: Int32Array;
  /** Where the last look-up that found nothing stopped: the entry that its id would take. */
  private stoppedAt = 0;

  constructor(hour: number, capacity: number) {
    this.hour = hour;
    this.words = new Int32Array(capacity * ID_WORDS);
  }

  get capacity(): number {
    return this.words.length / ID_WORDS;
  }

  has(message: DataView, offset: number): boolean {
    const { words } = this;
    const mask = (words.length >>> 2) - 1;
    const first = firstWord(message, offset);
    let base = (spread(first) & mask) << 2;
    while (words[base] !== 0) {
      if (words[base] === first && this.isEqual(base, message, offset)) return true;
      base = (base + ID_WORDS) & (words.length - 1);
    }
    this.stoppedAt = base;
    return false;
  }

  /** The word that has() will look at first. */
  peek(message: DataView, offset: number): number {
    return this.words[(spread(firstWord(message, offset)) & ((this.words.length >>> 2) - 1)) << 2];
  }

  /** Adds an id that has() has just not found. */
  add(message: DataView, offset: number): void {
    if ((this.count + 1) * 2 * ID_WORDS > this.words.length) {
      this.grow();
      this.has(message, offset);
    }
    this.place(message, offset);
    this.count += 1;
    for (let word = 0; word < ID_WORDS; word += 1) this.folded[word] ^= message.getInt32(offset + word * 4, true);
  }

  private place(message: DataView, offset: number): void {
    const { words, stoppedAt } = this;
    words[stoppedAt] = firstWord(message, offset);
    for (let word = 1; word < ID_WORDS; word += 1) words[stoppedAt + word] = message.getInt32(offset + word * 4, true);
  }

  private isEqual(base: number, message: DataView, offset: number): boolean {
    for (let word = 1; word < ID_WORDS; word += 1) {
      if (this.words[base + word] !== message.getInt32(offset + word * 4, true)) return false;
    }
    return true;
  }

  private grow(): void {
    const { words } = this;
    const message = new DataView(words.buffer);
    this.words = new Int32Array(words.length * 2);
    for (let base = 0; base < words.length; base += ID_WORDS) {
      if (words[base] === 0) continue;
      this.has(message, base * 4);
      this.place(message, base * 4);
    }
  }
}

/** The first word of an id, made 1 where it is 0: 0 marks a free entry. */
function firstWord(message: DataView, offset: number): number {
  return message.getInt32(offset, true) || 1;
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
