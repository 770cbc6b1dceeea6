// The house's random source: everything that the house makes at random (prices, sizes, times, salts) comes from one stream
// of it. It must never be used for anything secret.
import { createHash } from 'node:crypto';
import { Xorshift128 } from '../xorshift.ts';

export class HouseRandom extends Xorshift128 {
  /** Whatever tells this stream from others: a seed, and the time of the start. Equal texts give equal streams. */
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
