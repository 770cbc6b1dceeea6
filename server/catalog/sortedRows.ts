// Row numbers sorted by a key, in chunks: moving one row, or finding the row at a position, leaves the others untouched. Used
// by sortOrder.ts alone. Rows with equal keys are in the order of their numbers. It reads its owner's keys and never changes
// them: a row must be removed before its key changes.
import { countBefore } from '../lib/countBefore.ts';

/** A chunk of this many rows is split; up to there, moving its rows is cheaper than finding the chunk. */
const CHUNK_ROWS_MAX = 512;

/** A cursor over the rows; it is invalid once they change. */
export class RowWalk {
  private readonly chunks: readonly (readonly number[])[];
  private readonly step: 1 | -1;
  private chunkAt = 0;
  private placeAt: number;
  /** The row at the cursor; −1 past the end. */
  row: number;

  constructor(chunks: readonly (readonly number[])[], place: number, step: 1 | -1) {
    this.chunks = chunks;
    this.step = step;
    this.placeAt = place;
    while (this.chunkAt < chunks.length && this.placeAt >= chunks[this.chunkAt].length) {
      this.placeAt -= chunks[this.chunkAt].length;
      this.chunkAt += 1;
    }
    this.row = place < 0 ? -1 : (chunks[this.chunkAt]?.[this.placeAt] ?? -1);
  }

  next(): void {
    this.placeAt += this.step;
    let chunk = this.chunks[this.chunkAt];
    if (this.placeAt < 0 || this.placeAt >= chunk.length) {
      this.chunkAt += this.step;
      chunk = this.chunks[this.chunkAt];
      this.placeAt = this.step > 0 ? 0 : (chunk?.length ?? 0) - 1;
    }
    this.row = chunk?.[this.placeAt] ?? -1;
  }
}

export class SortedRows {
  private readonly keys: readonly number[];
  private chunks: number[][] = [];
  private count = 0;

  /** @param keys by row number; the key of a row in this list must not be NaN */
  constructor(keys: readonly number[]) {
    this.keys = keys;
  }

  get length(): number {
    return this.count;
  }

  /** Replaces all rows by these, which must be sorted already. */
  load(rows: readonly number[]): void {
    const step = CHUNK_ROWS_MAX / 2;
    this.chunks = [];
    for (let from = 0; from < rows.length; from += step) this.chunks.push(rows.slice(from, from + step));
    this.count = rows.length;
  }

  insert(row: number): void {
    const { chunks } = this;
    this.count += 1;
    if (chunks.length === 0) {
      chunks.push([row]);
      return;
    }
    const at = Math.min(this.chunkFor(this.keys[row], row), chunks.length - 1);
    const chunk = chunks[at];
    chunk.splice(this.placeIn(chunk, this.keys[row], row), 0, row);
    if (chunk.length >= CHUNK_ROWS_MAX) chunks.splice(at + 1, 0, chunk.splice(CHUNK_ROWS_MAX / 2));
  }

  /** Removes a row that was inserted under its current key. @throws if there is none */
  remove(row: number): void {
    const { chunks } = this;
    const at = this.chunkFor(this.keys[row], row);
    const chunk = chunks[at];
    const place = chunk === undefined ? -1 : this.placeIn(chunk, this.keys[row], row);
    if (chunk?.[place] !== row) throw new Error(`sorted rows: row ${row} is not where its key puts it`);
    chunk.splice(place, 1);
    if (chunk.length === 0) chunks.splice(at, 1);
    this.count -= 1;
  }

  /** The row at a position from 0; undefined past the end. */
  at(place: number): number | undefined {
    let rest = place;
    for (const chunk of this.chunks) {
      if (rest < chunk.length) return chunk[rest];
      rest -= chunk.length;
    }
    return undefined;
  }

  /** How many rows sort before (key, row). */
  countBefore(key: number, row: number): number {
    const at = this.chunkFor(key, row);
    let before = 0;
    for (let i = 0; i < at; i += 1) before += this.chunks[i].length;
    return at < this.chunks.length ? before + this.placeIn(this.chunks[at], key, row) : before;
  }

  /** A cursor from a position on, in ascending order or, with `step` −1, back to the first row. */
  walk(place: number, step: 1 | -1): RowWalk {
    return new RowWalk(this.chunks, place, step);
  }

  /** Throws unless the rows are sorted and counted correctly. */
  checkInvariants(): void {
    const rows = this.chunks.flat();
    if (rows.length !== this.count) throw new Error(`sorted rows 1: ${rows.length} rows, ${this.count} counted`);
    for (let i = 1; i < rows.length; i += 1) {
      if (!this.isBefore(rows[i - 1], this.keys[rows[i]], rows[i])) {
        throw new Error(`sorted rows 2: row ${rows[i - 1]} stands before row ${rows[i]}`);
      }
    }
  }

  private isBefore(row: number, key: number, otherRow: number): boolean {
    const own = this.keys[row];
    return own < key || (own === key && row < otherRow);
  }

  /** The first chunk whose last row does not sort before (key, row); the number of chunks if there is none. */
  private chunkFor(key: number, row: number): number {
    const { chunks } = this;
    return countBefore(chunks.length, (index) => this.isBefore(chunks[index][chunks[index].length - 1], key, row));
  }

  private placeIn(chunk: readonly number[], key: number, row: number): number {
    return countBefore(chunk.length, (index) => this.isBefore(chunk[index], key, row));
  }
}
