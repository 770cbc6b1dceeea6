// Look-ups of many hashes at once in an open-addressing table. Its entry i holds a value at 2i (negative when free) and the
// hash at 2i + 1; the highest bits of a hash are the number of its home entry. The order pool (slots by id) and the ledger
// (positions by account and market) look ahead with it, in two passes: the first has the loads of all home entries in flight
// side by side.

/** Reads the values in the home entries of these hashes: possibly those of other hashes, or negative numbers. */
export const firstValues = (
  table: Int32Array,
  shift: number,
  hashes: Int32Array,
  count: number,
  values: Int32Array,
): void => {
  for (let i = 0; i < count; i += 1) values[i] = table[(hashes[i] >>> shift) << 1];
};

/** Corrects the results of firstValues: where the home entry has another hash, takes the first with the same one, if any. */
export const correctValues = (
  table: Int32Array,
  shift: number,
  hashes: Int32Array,
  count: number,
  values: Int32Array,
): void => {
  const last = table.length - 1;
  for (let i = 0; i < count; i += 1) {
    const hash = hashes[i];
    let at = (hash >>> shift) << 1;
    while (table[at] >= 0 && table[at | 1] !== hash) at = (at + 2) & last;
    values[i] = table[at];
  }
};
