// One record of the journal as bytes: header, command, event frames. The journal writes them back to back into batches;
// recovery and tools read them with every check. Nothing here knows where batches are kept.
import { hash } from 'node:crypto';
import { crc32c } from './crc32c.ts';
import { JournalDamaged } from './errors.ts';

/** Version byte of every record. */
const RECORD_VERSION = 1;
/** Length of the running hash: SHA-256 over the record before, whose own hash covers all before it. */
const HASH_BYTES = 32;
/**
 * The header, little-endian: u8 version, three zero bytes, u32 length of the whole record, u32 CRC32C of all that follows
 * it, u32 bytes of the command, f64 sequence, f64 time (ms), 32 bytes running hash of all records before.
 */
const at = { version: 0, length: 4, crc: 8, commandBytes: 12, sequence: 16, tMs: 24, hash: 32 } as const;

export { at as RECORD_AT };
export const RECORD_HEADER_BYTES = at.hash + HASH_BYTES;
const CRC_START = at.commandBytes;

/** The running hash before the first record. */
export const GENESIS_HASH: Uint8Array = new Uint8Array(HASH_BYTES);

/** A record in place: numbers read, bytes on demand as views into the batch that holds it. */
export class JournalRecord {
  readonly sequence: number;
  readonly tMs: number;
  private readonly batch: Uint8Array;
  private readonly start: number;
  private readonly eventsStart: number;
  private readonly end: number;

  constructor(batch: Uint8Array, view: DataView, start: number) {
    this.batch = batch;
    this.start = start;
    this.sequence = view.getFloat64(start + at.sequence, true);
    this.tMs = view.getFloat64(start + at.tMs, true);
    this.eventsStart = start + RECORD_HEADER_BYTES + view.getUint32(start + at.commandBytes, true);
    this.end = start + view.getUint32(start + at.length, true);
  }

  /** The encoded command. */
  get command(): Uint8Array {
    return this.batch.subarray(this.start + RECORD_HEADER_BYTES, this.eventsStart);
  }

  /** The frames of the events that it produced. */
  get events(): Uint8Array {
    return this.batch.subarray(this.eventsStart, this.end);
  }
}

/** Bytes that a record of this command and these frames takes. */
export function recordBytes(commandBytes: number, eventsBytes: number): number {
  return RECORD_HEADER_BYTES + commandBytes + eventsBytes;
}

/**
 * Writes a record at `start` of `batch`, which must have room for it; `events` counts up to `eventsBytes`.
 * Returns the running hash after it.
 */
export function writeRecord(
  batch: Uint8Array,
  view: DataView,
  start: number,
  sequence: number,
  tMs: number,
  hashBefore: Uint8Array,
  command: Uint8Array,
  events: Uint8Array,
  eventsBytes: number,
): Uint8Array {
  const length = recordBytes(command.length, eventsBytes);
  view.setUint32(start + at.version, RECORD_VERSION, true);
  view.setUint32(start + at.length, length, true);
  view.setUint32(start + at.commandBytes, command.length, true);
  view.setFloat64(start + at.sequence, sequence, true);
  view.setFloat64(start + at.tMs, tMs, true);
  batch.set(hashBefore, start + at.hash);
  batch.set(command, start + RECORD_HEADER_BYTES);
  batch.set(
    events.length === eventsBytes ? events : events.subarray(0, eventsBytes),
    start + RECORD_HEADER_BYTES + command.length,
  );
  view.setUint32(start + at.crc, crc32c(batch, start + CRC_START, start + length), true);
  return hashOf(batch, start, start + length);
}

/** The records of a batch whose bytes this process has just written or already verified. */
export function* recordsOf(batch: Uint8Array): Generator<JournalRecord> {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  for (let start = 0; start < batch.length; start += view.getUint32(start + at.length, true)) {
    yield new JournalRecord(batch, view, start);
  }
}

/** Where a reader stands: what the next record must be. `hash` undefined = taken from the record itself. */
export interface ReadPosition {
  readonly sequence: number;
  readonly tMs: number;
  readonly hash: Uint8Array | undefined;
}

/**
 * The records of a stored batch, each checked against the one before: version, length, checksum, sequence, time, running
 * hash. Returns them with the position after the last. Throws JournalDamaged naming the first record that is not sound.
 */
export function verifyBatch(batch: Uint8Array, from: ReadPosition): readonly [JournalRecord[], ReadPosition] {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  const records: JournalRecord[] = [];
  let position = from;
  if (batch.length === 0) throw new JournalDamaged(from.sequence, 'its batch is empty');
  for (let start = 0; start < batch.length; ) {
    const record = verifyRecord(batch, view, start, position);
    const end = start + view.getUint32(start + at.length, true);
    records.push(record);
    position = { sequence: record.sequence + 1, tMs: record.tMs, hash: hashOf(batch, start, end) };
    start = end;
  }
  return [records, position];
}

function verifyRecord(batch: Uint8Array, view: DataView, start: number, expected: ReadPosition): JournalRecord {
  const damaged = (reason: string) => new JournalDamaged(expected.sequence, reason);
  const left = batch.length - start;
  if (left < RECORD_HEADER_BYTES) throw damaged(`the record is cut off after ${left} bytes`);
  const version = view.getUint32(start + at.version, true);
  if (version !== RECORD_VERSION) throw damaged(`the record has version ${version}, not ${RECORD_VERSION}`);
  const length = view.getUint32(start + at.length, true);
  const commandBytes = view.getUint32(start + at.commandBytes, true);
  if (length > left) throw damaged(`the record is cut off: it has ${length} bytes, ${left} are there`);
  if (length < recordBytes(commandBytes, 0)) throw damaged(`the record's length of ${length} bytes cannot be`);
  const crc = crc32c(batch, start + CRC_START, start + length);
  if (crc !== view.getUint32(start + at.crc, true)) throw damaged('the record does not match its checksum');
  const record = new JournalRecord(batch, view, start);
  if (record.sequence !== expected.sequence) throw damaged(`the record there says that it is ${record.sequence}`);
  if (!(record.tMs >= expected.tMs)) throw damaged(`its time ${record.tMs} ms is before that of the record before it`);
  if (expected.hash !== undefined && !areEqual(batch, start + at.hash, expected.hash)) {
    throw damaged('the record does not match the running hash of those before it: one of them was changed');
  }
  return record;
}

function areEqual(batch: Uint8Array, start: number, other: Uint8Array): boolean {
  for (let i = 0; i < other.length; i += 1) if (batch[start + i] !== other[i]) return false;
  return true;
}

function hashOf(batch: Uint8Array, start: number, end: number): Uint8Array {
  return hash('sha256', batch.subarray(start, end), 'buffer');
}
