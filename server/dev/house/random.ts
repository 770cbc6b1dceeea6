// The house's random source: all its random choices (prices, sizes, times, salts) come from one stream. It must never be
// used for anything secret.
import { createHash } from 'node:crypto';
import { Xorshift128 } from '../xorshift.ts';

export class HouseRandom extends Xorshift128 {
  /** @param name identifies the stream, such as a seed and the start time; equal names give equal streams */
  constructor(name: string) {
    const digest = createHash('sha256').update(name).digest();
    super(digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12) | 1);
  }

  /** From `least` (included) to `most` (excluded). */
  between(least: number, most: number): number {
    return least + (most - least) * this.fraction();
  }

  /** A normally distributed number with mean 0 and standard deviation 1 (Box and Muller). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()));
    return radius * Math.cos(2 * Math.PI * this.fraction());
  }

  /** A whole number of 53 bits: the salt of an order. */
  salt(): number {
    return (this.word() & 0x1f_ffff) * 2 ** 32 + this.word();
  }
}
