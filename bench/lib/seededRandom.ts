// The random source of the benches and of the fault tests: the generator that the house uses, seeded with a number that is
// spread over the generator's whole state.
import { Xorshift128 } from '../../server/dev/xorshift.ts';

export class SeededRandom extends Xorshift128 {
  /** The seed is any 32-bit integer; the state is spread from it, so that near seeds give unrelated streams. */
  constructor(seed: number) {
    let spread = seed | 0;
    const next = (): number => {
      spread = (spread + 0x9e3779b9) | 0;
      let mixed = Math.imul(spread ^ (spread >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    super(next(), next(), next(), next() | 1);
  }
}
