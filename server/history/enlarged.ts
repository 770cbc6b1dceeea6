// Grows the typed arrays of this folder as accounts, keys and positions are added. Used by their tables, which choose the new
// length and the content of the free slots.

/** Copies a shorter array to the beginning of `larger`; returns `larger`. */
export function enlarged<Numbers extends Float64Array | Int32Array | Uint32Array | Uint8Array>(
  larger: Numbers,
  numbers: Numbers,
): Numbers {
  larger.set(numbers);
  return larger;
}
