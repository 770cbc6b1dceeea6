// Order ids and addresses of the matching bench, in place of digests: a mixing function makes them from small numbers and
// spreads them as well, so tables of ids behave as in production. Used by the engines that take ids as bytes.

const ID_WORDS = 8;
const ADDRESS_WORDS = 5;

/** Writes the 32-byte id of an op's number at `offset`. Different numbers give different ids. */
export function writeOrderId(number: number, view: DataView, offset: number): void {
  writeMixed(number, ID_WORDS, view, offset);
}

/** Writes the 20-byte address of a wallet's number at `offset`. */
export function writeAddress(wallet: number, view: DataView, offset: number): void {
  writeMixed(~wallet, ADDRESS_WORDS, view, offset);
}

function writeMixed(number: number, words: number, view: DataView, offset: number): void {
  let state = number | 0;
  for (let word = 0; word < words; word += 1) {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    view.setInt32(offset + word * 4, mixed ^ (mixed >>> 15), true);
  }
}
