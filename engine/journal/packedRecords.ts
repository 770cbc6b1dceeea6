// Records of the journal laid out for a replay: commands and events side by side in one buffer, each at a multiple of 8
// bytes, so that reducers read them in place and their events are compared in whole words. Packed by whoever reads the
// journal, in this thread or in one that reads ahead; recovery takes them apart.
import { hashBehind, type JournalRecord, type RecordPlace } from './record.ts';

/** Records are packed together until they have so many bytes: these stay in the processor's cache while they are replayed. */
const PACK_BYTES = 512 * 1024;

/** Records that follow one another; the places are bytes of `buffer`. */
export interface PackedRecords {
  readonly firstSequence: number;
  readonly count: number;
  /** The time of each, ms. */
  readonly times: Float64Array<ArrayBuffer>;
  readonly commandAt: Int32Array<ArrayBuffer>;
  readonly commandBytes: Int32Array<ArrayBuffer>;
  readonly eventsAt: Int32Array<ArrayBuffer>;
  readonly eventsBytes: Int32Array<ArrayBuffer>;
  readonly buffer: ArrayBuffer;
  /** The running hash (hex) behind the last of them. */
  readonly hash: string;
}

const aligned = (bytes: number): number => (bytes + 7) & ~7;
/** Bytes of the lists of so many records: their times of 8 bytes, then four of 4 bytes each. */
const placesBytes = (count: number): number => count * (8 + 4 * 4);

function bytesOf(records: readonly JournalRecord[]): number {
  let bytes = placesBytes(records.length);
  for (const { commandStart, eventsStart, end } of records) {
    bytes += aligned(eventsStart - commandStart) + aligned(end - eventsStart);
  }
  return bytes;
}

/** Packs records that follow one another, one at least. Everything lies in one buffer, which is quickest to hand on. */
export function packRecords(records: readonly JournalRecord[]): PackedRecords {
  const count = records.length;
  const buffer = new ArrayBuffer(bytesOf(records));
  const times = new Float64Array(buffer, 0, count);
  const list = (index: number) => new Int32Array(buffer, count * (8 + 4 * index), count);
  const [commandAt, commandBytes, eventsAt, eventsBytes] = [list(0), list(1), list(2), list(3)];
  const bytes = new Uint8Array(buffer);
  let end = placesBytes(count);
  for (let i = 0; i < count; i += 1) {
    const { tMs, batch, commandStart, eventsStart, end: recordEnd } = records[i];
    times[i] = tMs;
    commandAt[i] = end;
    commandBytes[i] = eventsStart - commandStart;
    eventsAt[i] = end + aligned(eventsStart - commandStart);
    eventsBytes[i] = recordEnd - eventsStart;
    end = eventsAt[i] + aligned(recordEnd - eventsStart);
    const start = batch.byteOffset;
    bytes.set(new Uint8Array(batch.buffer, start + commandStart, commandBytes[i]), commandAt[i]);
    bytes.set(new Uint8Array(batch.buffer, start + eventsStart, eventsBytes[i]), eventsAt[i]);
  }
  const places = { times, commandAt, commandBytes, eventsAt, eventsBytes };
  return { firstSequence: records[0].sequence, count, ...places, buffer, hash: hashBehind(records[count - 1]) };
}

/** One of them as bytes in place; `batch` and `view` are on their buffer. */
export function packedPlace(packed: PackedRecords, batch: Buffer, view: DataView, index: number): RecordPlace {
  const commandStart = packed.commandAt[index];
  const eventsStart = packed.eventsAt[index];
  return {
    ...{ sequence: packed.firstSequence + index, tMs: packed.times[index], batch, view, commandStart, eventsStart },
    commandEnd: commandStart + packed.commandBytes[index],
    end: eventsStart + packed.eventsBytes[index],
  };
}

/**
 * Packs what a journal has after a sequence, up to another. Whatever is thrown while it is read comes after the records
 * before it.
 */
export function* packedAfter(
  from: number,
  total: number,
  read: (fromSequence: number) => Iterable<readonly JournalRecord[]>,
): Generator<PackedRecords> {
  let records: JournalRecord[] = [];
  let bytes = 0;
  try {
    // From the record that is known already, so that the one after it is held against it too.
    for (const portion of read(Math.max(1, from))) {
      for (const record of portion) {
        if (record.sequence <= from || record.sequence > total) continue;
        records.push(record);
        bytes += record.end - record.commandStart;
      }
      if (bytes >= PACK_BYTES) {
        const packed = packRecords(records);
        records = [];
        bytes = 0;
        yield packed;
      }
      if (portion[portion.length - 1].sequence >= total) break;
    }
  } catch (error) {
    if (records.length > 0) yield packRecords(records);
    throw error;
  }
  if (records.length > 0) yield packRecords(records);
}
