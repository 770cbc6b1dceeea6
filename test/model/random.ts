// Seeded random numbers for the model tests: xorshift128, so that a seed names the same sequence everywhere and for ever.
// Used by the generator alone; product code never imports it.

export class Random {
  private a: number;
  private b: number;
  private c: number;
  private d: number;

  constructor(seed: number) {
    this.a = seed | 0 || 0x9e3779b9;
    this.b = 0x243f6a88;
    this.c = 0xb7e15162;
    this.d = 0x71374491;
    for (let i = 0; i < 20; i += 1) this.next();
  }

  /** A whole number from 0 to 2^32 − 1. */
  next(): number {
    const t = this.a ^ (this.a << 11);
    this.a = this.b;
    this.b = this.c;
    this.c = this.d;
    this.d = this.d ^ (this.d >>> 19) ^ t ^ (t >>> 8);
    return this.d >>> 0;
  }

  /** A whole number from `low` to `high`, both included; up to 2^53 − 1. */
  int(low: number, high: number): number {
    const span = high - low + 1;
    if (span <= 0x1_0000_0000) return low + (this.next() % span);
    const wide = (BigInt(this.next()) << 32n) | BigInt(this.next());
    return low + Number(wide % (BigInt(high) - BigInt(low) + 1n));
  }

  chance(percent: number): boolean {
    return this.int(1, 1000) <= percent * 10;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)];
  }

  /** One of the values, each as likely as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T {
    let left = this.int(
      1,
      choices.reduce((sum, [weight]) => sum + weight, 0),
    );
    for (const [weight, value] of choices) {
      left -= weight;
      if (left <= 0) return value;
    }
    throw new Error('weighted: no weight is positive');
  }
}
