// The house's random source: Marsaglia's xorshift128, equal on every machine. Everything that the house makes at random
// (prices, sizes, times, salts) comes from one stream of it. It must never be used for anything secret.
import { createHash } from 'node:crypto';

const WORD_VALUES = 4_294_967_296;

/** A stream of 32-bit words from four words of state. */
export class HouseRandom {
  private x: number;
  private y: number;
  private z: number;
  private w: number;

  /** Whatever tells this stream from others: a seed, and the time of the start. Equal texts give equal streams. */
  constructor(name: string) {
    const digest = createHash('sha256').update(name).digest();
    this.x = digest.readInt32LE(0);
    this.y = digest.readInt32LE(4);
    this.z = digest.readInt32LE(8);
    this.w = digest.readInt32LE(12) | 1; // the state must not be zero
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

  /** From `least` (included) to `most` (excluded). */
  between(least: number, most: number): number {
    return least + (most - least) * this.fraction();
  }

  /** A whole number from 0 to `bound` − 1. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** An exponentially distributed number with the given mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.fraction());
  }

  /** A normally distributed number with mean 0 and standard deviation 1 (Box and Muller). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()));
    return radius * Math.cos(2 * Math.PI * this.fraction());
  }

  /** A whole number of 53 bits: the salt of an order. */
  salt(): number {
    return (this.word() & 0x1f_ffff) * WORD_VALUES + this.word();
  }
}
