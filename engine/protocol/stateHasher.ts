// A 64-bit hash of a reducer's whole state, to compare two runs of the same log: fast, well mixed, not cryptographic.
// Core and registry feed it their state in a fixed order. It must never depend on the order in which a Map or a hash
// table happens to iterate: callers sort, or feed structures whose order is part of the state.

const scratch = new Float64Array(1);
const scratchWords = new Uint32Array(scratch.buffer);

const rotateLeft = (n: number, bits: number): number => (n << bits) | (n >>> (32 - bits));

function avalanche(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

const hex = (lane: number): string => (lane >>> 0).toString(16).padStart(8, '0');

/** Two 32-bit lanes modelled on MurmurHash3 (the first two of x86_128), fed word by word. */
export class StateHasher {
  private low = 0x9747b28c | 0;
  private high = 0x3c6ef372 | 0;
  private words = 0;

  /** Feeds the low 32 bits of an integer. */
  u32(n: number): void {
    let k = Math.imul(n, 0x239b961b);
    k = Math.imul(rotateLeft(k, 15), 0xab0e9789);
    this.low = (Math.imul(rotateLeft(this.low ^ k, 19) + this.high, 5) + 0x561ccd1b) | 0;
    k = Math.imul(n ^ 0x5bd1e995, 0x38b34ae5);
    k = Math.imul(rotateLeft(k, 16), 0xa1e38b93);
    this.high = (Math.imul(rotateLeft(this.high ^ k, 17) + this.low, 5) + 0x0bcaa747) | 0;
    this.words += 1;
  }

  /** Feeds any number, all 64 bits of it; −0 counts as 0. */
  number(n: number): void {
    scratch[0] = n + 0;
    this.u32(scratchWords[0]);
    this.u32(scratchWords[1]);
  }

  /** Feeds a text with its length, so that neighbouring texts cannot run together. */
  text(s: string): void {
    this.u32(s.length);
    for (let i = 0; i < s.length; i += 2) {
      this.u32(s.charCodeAt(i) | (i + 1 < s.length ? s.charCodeAt(i + 1) << 16 : 0));
    }
  }

  /** The hash of everything fed so far: 16 lower-case hex digits. More may be fed afterwards. */
  digest(): string {
    let low = this.low ^ this.words;
    let high = this.high ^ this.words;
    low = (low + high) | 0;
    high = (high + low) | 0;
    low = avalanche(low);
    high = avalanche(high);
    low = (low + high) | 0;
    high = (high + low) | 0;
    return hex(low) + hex(high);
  }
}
