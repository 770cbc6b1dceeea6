// JSON texts as pieces of bytes. Rows that lists repeat are cached as bytes, and a page is a list of such pieces, which the
// HTTP layer copies together once. No page becomes a string of its own, which would be a hundred kilobytes of garbage a
// request. Used by all code that shapes rows of lists; pieces are never modified.

/** The pieces of a text, in order. */
export type Pieces = Uint8Array[];

export const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/** An object's keys and values as JSON, without the enclosing braces. */
export const membersText = (fields: object): string => JSON.stringify(fields).slice(1, -1);

const [OPEN, CLOSE, COMMA] = ['[', ']', ','].map(bytesOf);

/** Appends a JSON list of rows, each written by `append`. */
export function appendList<Row>(to: Pieces, rows: readonly Row[], append: (row: Row, to: Pieces) => void): void {
  to.push(OPEN);
  for (let at = 0; at < rows.length; at += 1) {
    if (at > 0) to.push(COMMA);
    append(rows[at], to);
  }
  to.push(CLOSE);
}

/** Rows being appended. Yields before each of them: there a step of a long reply may end (http/rowsReply.ts). */
export type AppendingRows = Generator<undefined, void>;

/** Appends a JSON list of any number of rows. */
export function* appendRows<Row>(to: Pieces, rows: readonly Row[], append: (row: Row) => AppendingRows): AppendingRows {
  to.push(OPEN);
  for (let at = 0; at < rows.length; at += 1) {
    if (at > 0) to.push(COMMA);
    yield* append(rows[at]);
  }
  to.push(CLOSE);
}

/** The pieces joined into one text. */
export const textOfPieces = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString();
