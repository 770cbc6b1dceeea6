// The vocabulary of snapshots: a structure lists its fields once, by name, and the same list writes them into a snapshot
// and takes them out of one, so that the two cannot differ. Implemented by the journal (snapshotFile.ts), visited by core,
// registry and followers. Nothing here knows where the bytes lie.

/** A snapshot cannot be used; `reason` says why. Another one, or the journal from its beginning, can take its place. */
export class SnapshotUnusable extends Error {
  override readonly name = 'SnapshotUnusable';
  readonly reason: string;

  constructor(reason: string, cause?: unknown) {
    super(`The snapshot cannot be used: ${reason}.`, { cause });
    this.reason = reason;
  }
}

/**
 * The fields of a structure, on their way into a snapshot or out of it. Each method gets the present value and returns the
 * one to keep: the same when a snapshot is written, the snapshot's when one is loaded.
 */
export interface Sections {
  readonly isLoading: boolean;
  /** The sections of a part: its names cannot meet those of others. */
  part(name: string): Sections;
  number(name: string, value: number): number;
  /** Arrays travel whole, as they lie in memory; what is loaded is the structure's own from then on. */
  int32(name: string, array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer>;
  float64(name: string, array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer>;
  uint8(name: string, array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  /**
   * Plain values of any depth (objects, arrays, maps, sets, texts), for what is not worth columns of its own. Objects that
   * are met twice within one value stay one object.
   */
  plain<T>(name: string, value: T): T;
}

/** What a structure demands of what it has loaded. Throws SnapshotUnusable with the reason. */
export function requireSound(isSound: boolean, reason: string): asserts isSound {
  if (!isSound) throw new SnapshotUnusable(reason);
}

/** Whether a table's length is one that it can have: a power of two, from `least` on. */
export const isCapacity = (length: number, least = 1): boolean =>
  Number.isSafeInteger(length) && length >= least && (length & (length - 1)) === 0;
