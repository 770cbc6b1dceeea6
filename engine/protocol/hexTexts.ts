// A cache of the texts of recurring ids (addresses, key ids), keyed by their bytes. The decoder builds each text once and then
// returns the same string: that saves the conversion, and everyone who keeps the string shares it. Used by the codec alone.
// Its size is fixed: an id that is evicted is converted again, and nothing else depends on it.
import { readHex } from './bytes.ts';

const WORDS_MAX = 5;

export class HexTexts {
  private readonly idBytes: number;
  private readonly idWords: number;
  private readonly mask: number;
  private readonly words: Int32Array;
  private readonly texts: (string | undefined)[];

  /** `capacity` is a power of two. */
  constructor(idBytes: 16 | 20, capacity: number) {
    this.idBytes = idBytes;
    this.idWords = idBytes / 4;
    this.mask = capacity - 1;
    this.words = new Int32Array(capacity * WORDS_MAX);
    this.texts = new Array<string | undefined>(capacity).fill(undefined);
  }

  /** The text `0x…` of the id at `offset` of `bytes`; `view` covers the same bytes. */
  get(bytes: Uint8Array, view: DataView, offset: number): string {
    const { words, idWords } = this;
    let mixed = 0;
    for (let word = 0; word < idWords; word += 1) {
      mixed = Math.imul(mixed ^ view.getInt32(offset + word * 4, true), 0x9e3779b1);
      mixed ^= mixed >>> 15;
    }
    const place = mixed & this.mask;
    const base = place * WORDS_MAX;
    let word = 0;
    while (word < idWords && words[base + word] === view.getInt32(offset + word * 4, true)) word += 1;
    const cached = this.texts[place];
    if (word === idWords && cached !== undefined) return cached;
    for (word = 0; word < idWords; word += 1) words[base + word] = view.getInt32(offset + word * 4, true);
    const text = readHex(bytes, offset, this.idBytes);
    this.texts[place] = text;
    return text;
  }
}
