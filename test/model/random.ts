// The random numbers of the model tests and of everything built on them: a seed gives the same sequence everywhere, in every
// version. Product code never imports it.
import { Xorshift128 } from '../../server/dev/xorshift.ts';

export class Random {
  private readonly source: Xorshift128;

  constructor(seed: number) {
    this.source = new Xorshift128(seed | 0 || 0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x71374491);
    for (let i = 0; i < 20; i += 1) this.source.word();
  }

  /** A whole number from `low` to `high`, both included; up to 2^53 − 1. */
  int(low: number, high: number): number {
    const span = high - low + 1;
    if (span <= 0x1_0000_0000) return low + (this.source.word() % span);
    const wide = (BigInt(this.source.word()) << 32n) | BigInt(this.source.word());
    return low + Number(wide % (BigInt(high) - BigInt(low) + 1n));
  }

  chance(percent: number): boolean {
    return this.int(1, 1000) <= percent * 10;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)];
  }

  /** One of the values, chosen with a probability proportional to its weight. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let total = 0;
    for (const [weight] of choices) total += weight;
    let left = this.int(1, total);
    for (const [weight, value] of choices) {
      left -= weight;
      if (left <= 0) return value;
    }
    throw new Error('weighted: no weight is positive');
  }
}
