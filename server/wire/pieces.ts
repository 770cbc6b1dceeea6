// JSON texts in pieces of bytes: rows that lists repeat are kept as bytes, and a page is a list of what is kept, which the
// door copies together once. No page ever becomes a text of its own, which would be garbage of a hundred kilobytes a
// request. Used by whatever shapes rows of lists; pieces are never changed.

/** The pieces of a text, in order. */
export type Pieces = Uint8Array[];

export const bytesOf = (text: string): Uint8Array => Buffer.from(text);

const [OPEN, CLOSE, COMMA] = ['[', ']', ','].map(bytesOf);

/** Appends a list of rows, each as `append` does. */
export function appendList<Row>(to: Pieces, rows: readonly Row[], append: (row: Row, to: Pieces) => void): void {
  to.push(OPEN);
  for (let at = 0; at < rows.length; at += 1) {
    if (at > 0) to.push(COMMA);
    append(rows[at], to);
  }
  to.push(CLOSE);
}

/** The text that pieces make. */
export const textOfPieces = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString();
