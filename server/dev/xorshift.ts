// Marsaglia's xorshift128: the source of seeded random numbers, equal on every machine, for the house, benches and tests,
// each of which seeds it in its own way. It must never be used for anything secret.
const WORD_VALUES = 4_294_967_296;

/** A stream of 32-bit words from four words of state, not all of which are 0. */
export class Xorshift128 {
  private x: number;
  private y: number;
  private z: number;
  private w: number;

  constructor(x: number, y: number, z: number, w: number) {
    this.x = x;
    this.y = y;
    this.z = z;
    this.w = w;
  }

  /** The next word, 0 to 2^32 − 1. */
  word(): number {
    const t = this.x ^ (this.x << 11);
    this.x = this.y;
    this.y = this.z;
    this.z = this.w;
    this.w = this.w ^ (this.w >>> 19) ^ t ^ (t >>> 8);
    return this.w >>> 0;
  }

  /** From 0 (included) to 1 (excluded), in steps of 2^−32. */
  fraction(): number {
    return this.word() / WORD_VALUES;
  }

  /** A whole number from 0 to `bound` − 1; the bias of the scaling is below bound / 2^32. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** An exponentially distributed number with the given mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.fraction());
  }
}
