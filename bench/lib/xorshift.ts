// Marsaglia's xorshift128: the seeded random source of the benches, equal on every machine. Used by the op file and the
// order loader. It must never be used for anything secret.

/** A stream of 32-bit words from four words of state. */
export class Xorshift128 {
  private x: number;
  private y: number;
  private z: number;
  private w: number;

  /** The seed is any 32-bit integer; the state is spread from it, so that near seeds give unrelated streams. */
  constructor(seed: number) {
    let spread = seed | 0;
    const next = (): number => {
      spread = (spread + 0x9e3779b9) | 0;
      let mixed = Math.imul(spread ^ (spread >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    this.x = next();
    this.y = next();
    this.z = next();
    this.w = next() | 1;
  }

  /** The next word, 0..2^32 − 1. */
  word(): number {
    const t = this.x ^ (this.x << 11);
    this.x = this.y;
    this.y = this.z;
    this.z = this.w;
    this.w = this.w ^ (this.w >>> 19) ^ t ^ (t >>> 8);
    return this.w >>> 0;
  }

  /** An integer from 0 to `bound` − 1; the bias of the scaling is below bound / 2^32. */
  below(bound: number): number {
    return Math.floor((this.word() / 4_294_967_296) * bound);
  }

  /** A fraction from 0 (included) to 1 (excluded), in steps of 2^−32. */
  fraction(): number {
    return this.word() / 4_294_967_296;
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** An exponentially distributed fraction with the given mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.fraction());
  }
}
