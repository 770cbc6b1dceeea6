// One record of the journal as bytes: header, command, event frames. The journal writes them back to back into batches;
// recordCursor.ts reads them with every check. Nothing here knows where batches are kept.
import { hash } from 'node:crypto';
import { bufferOf, dataViewOf } from '../protocol/index.ts';
import { crc32c } from './crc32c.ts';

/** Version byte of every record. */
export const RECORD_VERSION = 1;
/** Length of the running hash: SHA-256 over the record before, whose own hash covers all before it. */
export const HASH_BYTES = 32;
/**
 * The header, little-endian: u8 version, three zero bytes, u32 length of the whole record, u32 CRC32C of all that follows
 * it, u32 bytes of the command, f64 sequence, f64 time (ms), 32 bytes running hash of all records before.
 */
const at = { version: 0, length: 4, crc: 8, commandBytes: 12, sequence: 16, tMs: 24, hash: 32 } as const;

export { at as RECORD_AT };
export const RECORD_HEADER_BYTES = at.hash + HASH_BYTES;
/** The checksum covers the record from here on. */
export const CRC_START = at.commandBytes;

/** The running hash before the first record. Here a hash is a text of 32 characters, one per byte: made without a buffer. */
export const GENESIS_HASH = '\0'.repeat(HASH_BYTES);

/** A record in place: its numbers are read at once, its bytes are views into its batch, made on demand. */
export class JournalRecord {
  readonly sequence: number;
  readonly tMs: number;
  readonly batch: Buffer;
  readonly view: DataView;
  readonly commandStart: number;
  readonly eventsStart: number;
  readonly end: number;

  constructor(batch: Buffer, view: DataView, start: number) {
    this.batch = batch;
    this.view = view;
    this.commandStart = start + RECORD_HEADER_BYTES;
    this.sequence = view.getFloat64(start + at.sequence, true);
    this.tMs = view.getFloat64(start + at.tMs, true);
    this.eventsStart = this.commandStart + view.getUint32(start + at.commandBytes, true);
    this.end = start + view.getUint32(start + at.length, true);
  }

  get start(): number {
    return this.commandStart - RECORD_HEADER_BYTES;
  }

  /** The whole record, header and all. */
  get bytes(): Uint8Array {
    return this.batch.subarray(this.start, this.end);
  }

  /** The encoded command. */
  get command(): Uint8Array {
    return plainBytesOf(this.batch, this.commandStart, this.eventsStart);
  }

  /** The frames of the events that it produced. */
  get events(): Uint8Array {
    return this.batch.subarray(this.eventsStart, this.end);
  }
}

/** Length of a record (bytes), given those of its command and of its event frames. */
export function recordBytes(commandBytes: number, eventsBytes: number): number {
  return RECORD_HEADER_BYTES + commandBytes + eventsBytes;
}

/**
 * Writes a record at `start` of `batch`, which must have room for it, with the first `eventsBytes` of `events`. Its running
 * hash and its checksum are still missing: sealRecords adds them.
 */
export function writeRecord(
  batch: Buffer,
  view: DataView,
  start: number,
  sequence: number,
  tMs: number,
  command: Uint8Array,
  events: Uint8Array,
  eventsBytes: number,
): void {
  view.setUint32(start + at.version, RECORD_VERSION, true);
  view.setUint32(start + at.length, recordBytes(command.length, eventsBytes), true);
  view.setUint32(start + at.commandBytes, command.length, true);
  view.setFloat64(start + at.sequence, sequence, true);
  view.setFloat64(start + at.tMs, tMs, true);
  batch.set(command, start + RECORD_HEADER_BYTES);
  const eventsStart = start + RECORD_HEADER_BYTES + command.length;
  batch.set(events.length === eventsBytes ? events : events.subarray(0, eventsBytes), eventsStart);
}

/**
 * Adds running hashes and checksums to the written records of a whole batch, in one go: hashing is faster that way than between
 * other work. Returns the running hash after the last record.
 */
export function sealRecords(batch: Buffer, hashBefore: string): string {
  const view = dataViewOf(batch);
  let running = hashBefore;
  for (let start = 0; start < batch.length; ) {
    const end = start + view.getUint32(start + at.length, true);
    batch.write(running, start + at.hash, 'latin1');
    view.setUint32(start + at.crc, crc32c(batch, start + CRC_START, end), true);
    running = hashOf(plainBytesOf(batch, start, end));
    start = end;
  }
  return running;
}

/** The records of a batch whose bytes this process has just written or already verified. */
export function recordsOf(batch: Uint8Array): JournalRecord[] {
  const buffer = bufferOf(batch);
  const view = dataViewOf(batch);
  const records: JournalRecord[] = [];
  for (let start = 0; start < batch.length; start += view.getUint32(start + at.length, true)) {
    records.push(new JournalRecord(buffer, view, start));
  }
  return records;
}

/** The running hash after a record, as hex. */
export function hashAfter(record: JournalRecord): string {
  return hash('sha256', record.bytes, 'hex');
}

/** The same, of a record's bytes, in the form by which records are chained. */
export function hashOf(record: Uint8Array): string {
  return hash('sha256', record, 'binary');
}

/** A part of a batch as a plain Uint8Array, which takes half the time to make that a Buffer takes. */
export function plainBytesOf({ buffer, byteOffset }: Buffer, start: number, end: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + start, end - start);
}
