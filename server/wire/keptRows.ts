// Rows of lists that are kept as bytes once they have been rendered, since lists repeat them on every call and rendering is
// the main cost of a page. Used by catalogTexts.ts and markets.ts, which decide whether a kept row is still valid. It also
// counts what is rendered, by which long replies measure their steps (http/rowsReply.ts).

/** Most kept rows of one form, about 3 kB each. */
export const KEPT_ROWS_MAX = 20_000;

let rendered = 0;

/** How many rows have been rendered in this process so far. */
export const renderedCount = (): number => rendered;

/** The kept rows of one owner. */
class Rows<Kept> {
  private readonly byNumber = new Map<number, Kept>();
  /** Leads to the oldest row. Kept, because a new iterator would have to skip all rows that were dropped before. */
  private readonly numbers = this.byNumber.keys();

  get(row: number): Kept | undefined {
    return this.byNumber.get(row);
  }

  set(row: number, kept: Kept): void {
    const { byNumber } = this;
    if (byNumber.size === KEPT_ROWS_MAX && !byNumber.has(row)) {
      const { value: oldest } = this.numbers.next();
      if (oldest !== undefined) byNumber.delete(oldest);
    }
    byNumber.set(row, kept);
  }
}

/**
 * The rows of one form, by the catalog that they belong to and by their numbers. Beyond KEPT_ROWS_MAX, a new row takes the
 * place of the oldest one, which is rendered again on demand.
 */
export class KeptRows<Kept> {
  private readonly byOwner = new WeakMap<object, Rows<Kept>>();

  get(owner: object, row: number): Kept | undefined {
    return this.byOwner.get(owner)?.get(row);
  }

  /** Keeps a row that has just been rendered. */
  set(owner: object, row: number, kept: Kept): void {
    rendered += 1;
    let rows = this.byOwner.get(owner);
    if (rows === undefined) {
      rows = new Rows();
      this.byOwner.set(owner, rows);
    }
    rows.set(row, kept);
  }
}
