// How the typed arrays of this folder grow, as accounts, keys and positions become more. Used by their tables, which choose
// the new length and what its free places hold.

/** `larger` with the numbers of a shorter array at its beginning. */
export function enlarged<Numbers extends Float64Array | Int32Array | Uint32Array | Uint8Array>(
  larger: Numbers,
  numbers: Numbers,
): Numbers {
  larger.set(numbers);
  return larger;
}
