// The vocabulary of snapshots: a structure lists its fields once, by name, and the same list saves them to a snapshot and loads
// them from one, so the two cannot differ. Implemented by the journal (snapshotFile.ts), used by core, registry and followers.
// Nothing here knows where the bytes lie.

/** Thrown when a snapshot cannot be used; `reason` says why. Another one, or the whole journal, can take its place. */
export class SnapshotUnusable extends Error {
  override readonly name = 'SnapshotUnusable';
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(`The snapshot cannot be used: ${reason}.`, { cause });
    this.reason = reason;
  }
}

/**
 * The fields of a structure as a snapshot is saved or loaded. Each method takes the present value and returns the one to keep:
 * the same when saving, the snapshot's when loading.
 */
export interface Sections {
  readonly isLoading: boolean;
  /** The sections of a part, whose names cannot clash with those of other parts. */
  part(name: string): Sections;
  number(name: string, value: number): number;
  /** Arrays are saved whole, as they lie in memory. A loaded array belongs to the structure from then on. */
  int32(name: string, array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer>;
  float64(name: string, array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer>;
  uint8(name: string, array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  /**
   * A plain value of any depth (objects, arrays, maps, sets, texts), for data that is not worth columns. An object that occurs
   * twice within the value stays one object.
   */
  plain<T>(name: string, value: T): T;
}

/** Asserts a condition on loaded values. Throws SnapshotUnusable with the reason. */
export function requireSound(isSound: boolean, reason: string): asserts isSound {
  if (!isSound) throw new SnapshotUnusable(reason);
}

/** Asserts that the loaded columns of a table, by name, each have room for as many rows. Throws SnapshotUnusable. */
export function requireRoom(rows: number, columns: Readonly<Record<string, { readonly length: number }>>): void {
  for (const [name, { length }] of Object.entries(columns))
    requireSound(length === rows, `the column ${name} has ${length} entries instead of ${rows}`);
}

/** Whether a table can have this length: a power of two that is at least `least`. */
export const isCapacity = (length: number, least = 1): boolean =>
  Number.isSafeInteger(length) && length >= least && (length & (length - 1)) === 0;
