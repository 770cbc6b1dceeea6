// Records of the journal laid out for a replay: whole, one after the other in a buffer, each with its command at a multiple of
// 8 bytes, where reducers read it in place. Packed as the journal is read, in this thread or in one that reads ahead; recovery
// takes them apart.
import { hashAfter, type JournalRecord, RECORD_HEADER_BYTES } from './record.ts';
import type { RecordCursor } from './recordCursor.ts';

/** Bytes of a pack's records, unless one needs more: they stay in the processor's cache while they are replayed. */
const RECORDS_BYTES = 512 * 1024;
const PACK_RECORDS = 2_048;

/** Consecutive records. */
export interface PackedRecords {
  readonly firstSequence: number;
  readonly count: number;
  /** Offset of each record's command in `buffer`, after the record's header. */
  readonly commandAt: Int32Array;
  readonly buffer: ArrayBufferLike;
  /** The running hash (hex) after the last of them. */
  readonly hash: string;
}

const aligned = (bytes: number): number => (bytes + 7) & ~7;
const placesBytesOf = (records: number): number => aligned(records * 4);

/** Memory of a pack, unless one record needs more. */
export const PACK_BYTES = placesBytesOf(PACK_RECORDS) + RECORDS_BYTES;

/** The offsets of a pack's commands: they are at the front of its memory, where they are handed on most quickly. */
export function placesIn(buffer: ArrayBufferLike, count: number): Int32Array {
  return new Int32Array(buffer, 0, count);
}

/** Lays out consecutive records in a buffer. */
class Packer {
  count = 0;
  private readonly buffer: ArrayBufferLike;
  private readonly bytes: Uint8Array;
  private readonly commandAt: Int32Array;
  private filled: number;

  constructor(buffer: ArrayBufferLike, records: number) {
    this.buffer = buffer;
    this.bytes = new Uint8Array(buffer);
    this.commandAt = placesIn(buffer, records);
    this.filled = placesBytesOf(records);
  }

  hasRoomFor(recordBytes: number): boolean {
    return this.count < this.commandAt.length && this.filled + recordBytes <= this.bytes.length;
  }

  /** Adds a whole record; there must be room for it. */
  add(record: Uint8Array): void {
    this.bytes.set(record, this.filled);
    this.commandAt[this.count] = this.filled + RECORD_HEADER_BYTES;
    this.count += 1;
    this.filled = aligned(this.filled + record.length);
  }

  pack(lastSequence: number, hash: string): PackedRecords {
    const { count, commandAt, buffer } = this;
    return { firstSequence: lastSequence - count + 1, count, commandAt, buffer, hash };
  }
}

/** Packs consecutive records, at least one. */
export function packRecords(records: readonly JournalRecord[]): PackedRecords {
  const bytes = records.reduce((sum, { start, end }) => sum + aligned(end - start), 0);
  const packer = new Packer(new ArrayBuffer(placesBytesOf(records.length) + bytes), records.length);
  for (const { bytes } of records) packer.add(bytes);
  const last = records[records.length - 1];
  return packer.pack(last.sequence, hashAfter(last));
}

/**
 * Packs the records of a journal after `from`, up to `total`. An error in reading is thrown after the records before it were
 * yielded.
 * @param read gives cursors through the batches, from the one that holds a sequence on
 * @param memoryFor gives memory of this many bytes for a pack; undefined when no more packs are wanted
 */
export function* packedAfter(
  from: number,
  total: number,
  read: (fromSequence: number) => Iterable<RecordCursor>,
  memoryFor: (bytes: number) => ArrayBufferLike | undefined = (bytes) => new ArrayBuffer(bytes),
): Generator<PackedRecords> {
  let packer: Packer | undefined;
  let last: RecordCursor | undefined;
  try {
    // From the record that is known already: the one after it is checked against it too.
    for (const cursor of read(Math.max(1, from))) {
      last = cursor;
      while (cursor.sequence < total && cursor.next()) {
        if (cursor.sequence <= from) continue;
        const { bytes } = cursor;
        if (packer !== undefined && !packer.hasRoomFor(bytes.length)) {
          yield packer.pack(cursor.sequence - 1, cursor.hashBefore);
          packer = undefined;
        }
        if (packer === undefined) {
          const memory = memoryFor(Math.max(PACK_BYTES, placesBytesOf(PACK_RECORDS) + aligned(bytes.length)));
          if (memory === undefined) return;
          packer = new Packer(memory, PACK_RECORDS);
        }
        packer.add(bytes);
      }
      if (cursor.sequence >= total) break;
    }
  } catch (error) {
    if (packer !== undefined && last !== undefined) yield packer.pack(last.sequence, last.hashAfter);
    throw error;
  }
  if (packer !== undefined && last !== undefined) yield packer.pack(last.sequence, last.hashAfter);
}
