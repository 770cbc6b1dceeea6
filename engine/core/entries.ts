// Looking up many hashes at once in a table of open addressing whose entry i is a value at 2i (negative when free) and its hash at
// 2i + 1, and whose hashes lead to their entries by their highest bits. Used by the order pool (slots by id) and by the ledger
// (positions by account and market) for looking ahead: two passes, so that the first asks memory for all the entries side by side.

/** The values that the entries hold where these hashes would be looked up first: perhaps others', or a negative number. */
export const firstValues = (
  table: Int32Array,
  shift: number,
  hashes: Int32Array,
  count: number,
  values: Int32Array,
): void => {
  for (let i = 0; i < count; i += 1) values[i] = table[(hashes[i] >>> shift) << 1];
};

/** Puts right what firstValues has found: where the entry is another's, the value of the first with the same hash, if there is one. */
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
