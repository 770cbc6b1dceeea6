// A Bloom filter with one bit per pair: it tells which pairs are certainly not in the store, so most pairs of a new index are
// not looked up there. Used by positions.ts.

/** Bits of the filter, which take 16 MiB. */
const FILTER_BITS = 2 ** 27;
/** Pairs after which it reports "maybe" too often to be worth its memory. */
const FILTER_PAIRS = 2 ** 24;

/** Whether a pair may have been added, by one bit of its hash: "no" is certain. */
export class PairFilter {
  private readonly bits = new Uint32Array(FILTER_BITS / 32);
  private count = 0;

  get isFull(): boolean {
    return this.count > FILTER_PAIRS;
  }

  /** Adds a pair; returns whether it certainly was not added before. */
  add(hash: number): boolean {
    const bit = hash % FILTER_BITS;
    const mask = 1 << (bit & 31);
    const before = this.bits[bit >>> 5];
    if ((before & mask) !== 0) return false;
    this.bits[bit >>> 5] = before | mask;
    this.count += 1;
    return true;
  }
}
