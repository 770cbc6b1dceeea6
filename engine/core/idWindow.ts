// The ids that the core remembers so that no signed order is ever executed twice: those it accepted or killed, by the hour
// of their signed timestamp. Whole hours are dropped once the order window has left them behind; from then on the rule on
// timestamps refuses what they held. Called by entry.

const HOUR_MS = 3_600_000;
/** 128 of an id's 256 bits: ids are digests, nobody can make two that share them. */
const ID_WORDS = 4;

class IdHour {
  readonly hour: number;
  count = 0;
  /** XOR of all ids, word by word: the same for the same set, whatever the order of arrival. */
  readonly folded = new Int32Array(ID_WORDS);
  private words = new Int32Array(256 * ID_WORDS);

  constructor(hour: number) {
    this.hour = hour;
  }

  has(message: DataView, offset: number): boolean {
    const mask = this.words.length / ID_WORDS - 1;
    let at = hashWords(message, offset) & mask;
    while (this.isTaken(at)) {
      if (this.isEqual(at, message, offset)) return true;
      at = (at + 1) & mask;
    }
    return false;
  }

  add(message: DataView, offset: number): void {
    if ((this.count + 1) * 2 * ID_WORDS > this.words.length) this.grow();
    this.place(message, offset);
    this.count += 1;
    for (let word = 0; word < ID_WORDS; word += 1) this.folded[word] ^= message.getInt32(offset + word * 4, true);
  }

  private place(message: DataView, offset: number): void {
    const mask = this.words.length / ID_WORDS - 1;
    let at = hashWords(message, offset) & mask;
    while (this.isTaken(at)) at = (at + 1) & mask;
    for (let word = 0; word < ID_WORDS; word += 1) {
      this.words[at * ID_WORDS + word] = message.getInt32(offset + word * 4, true);
    }
  }

  /** A cell of four zero words is free: no digest has 128 zero bits. */
  private isTaken(at: number): boolean {
    const { words } = this;
    const base = at * ID_WORDS;
    return (words[base] | words[base + 1] | words[base + 2] | words[base + 3]) !== 0;
  }

  private isEqual(at: number, message: DataView, offset: number): boolean {
    for (let word = 0; word < ID_WORDS; word += 1) {
      if (this.words[at * ID_WORDS + word] !== message.getInt32(offset + word * 4, true)) return false;
    }
    return true;
  }

  private grow(): void {
    const old = this.words;
    const message = new DataView(old.buffer);
    this.words = new Int32Array(old.length * 2);
    for (let base = 0; base < old.length; base += ID_WORDS) {
      if ((old[base] | old[base + 1] | old[base + 2] | old[base + 3]) !== 0) this.place(message, base * 4);
    }
  }
}

function hashWords(message: DataView, offset: number): number {
  const mixed = Math.imul(message.getInt32(offset, true) ^ (message.getInt32(offset + 4, true) >>> 9), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

export class IdWindow {
  /** Signed timestamps below this are refused for ever, ms: their ids may have been forgotten. Never falls. */
  forgottenBeforeMs = 0;
  private readonly hours = new Map<number, IdHour>();
  private recent: IdHour | undefined;
  /** End of the oldest hour that holds ids, ms. */
  private oldestEndMs = Infinity;

  /** Drops the hours that lie wholly before `tMs − windowMs`. */
  forget(tMs: number, windowMs: number): void {
    const before = tMs - windowMs;
    if (this.oldestEndMs > before) return;
    for (const hour of [...this.hours.keys()]) {
      if ((hour + 1) * HOUR_MS <= before) this.hours.delete(hour);
    }
    this.recent = undefined;
    this.forgottenBeforeMs = Math.max(this.forgottenBeforeMs, before);
    this.oldestEndMs = Infinity;
    for (const hour of this.hours.keys()) this.oldestEndMs = Math.min(this.oldestEndMs, (hour + 1) * HOUR_MS);
  }

  /** Whether the id at `offset`, signed at `timestampMs`, is remembered. */
  has(message: DataView, offset: number, timestampMs: number): boolean {
    const hour = this.hourOf(timestampMs);
    return hour?.has(message, offset) ?? false;
  }

  /** Remembers an id that is not remembered yet. */
  add(message: DataView, offset: number, timestampMs: number): void {
    let hour = this.hourOf(timestampMs);
    if (hour === undefined) {
      hour = new IdHour(Math.floor(timestampMs / HOUR_MS));
      this.hours.set(hour.hour, hour);
      this.oldestEndMs = Math.min(this.oldestEndMs, (hour.hour + 1) * HOUR_MS);
      this.recent = hour;
    }
    hour.add(message, offset);
  }

  /** Hash of the set and of what was forgotten: hours ascending, each with its count and folded ids. */
  hashParts(): readonly number[] {
    const parts: number[] = [this.forgottenBeforeMs];
    const hours = [...this.hours.values()].sort((a, b) => a.hour - b.hour);
    for (const { hour, count, folded } of hours) parts.push(hour, count, ...folded);
    return parts;
  }

  private hourOf(timestampMs: number): IdHour | undefined {
    const number = Math.floor(timestampMs / HOUR_MS);
    if (this.recent?.hour === number) return this.recent;
    const hour = this.hours.get(number);
    if (hour !== undefined) this.recent = hour;
    return hour;
  }
}
