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

/** The running hash before the first record. Here a hash is a text of 32 characters, one a byte: made without a buffer. */
export const GENESIS_HASH = '\0'.repeat(HASH_BYTES);

/** Where a record lies: the bytes that hold it, and where in them its command and its events begin and end. */
export interface RecordPlace {
  readonly sequence: number;
  readonly tMs: number;
  readonly batch: Buffer;
  readonly view: DataView;
  readonly commandStart: number;
  readonly commandEnd: number;
  readonly eventsStart: number;
  readonly end: number;
}

/** A record in place: numbers read, bytes on demand as views into the batch that holds it. */
export class JournalRecord implements RecordPlace {
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

  get commandEnd(): number {
    return this.eventsStart;
  }

  /** The whole record, header and all. */
  get bytes(): Uint8Array {
    return this.batch.subarray(this.commandStart - RECORD_HEADER_BYTES, this.end);
  }

  /** The encoded command. */
  get command(): Uint8Array {
    return viewOf(this.batch, this.commandStart, this.eventsStart);
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
 * Writes a record at `start` of `batch`, which must have room for it; `events` counts up to `eventsBytes`. Its running hash
 * and its checksum are still missing: sealRecords adds them.
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
 * Chains the written records of a whole batch to the one before, all in one go: hashing is quicker that way than in between
 * other work. Returns the running hash after the last.
 */
export function sealRecords(batch: Buffer, hashBefore: string): string {
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  let running = hashBefore;
  for (let start = 0; start < batch.length; ) {
    const end = start + view.getUint32(start + at.length, true);
    batch.write(running, start + at.hash, 'latin1');
    view.setUint32(start + at.crc, crc32c(batch, start + CRC_START, end), true);
    running = hashOf(batch, start, end);
    start = end;
  }
  return running;
}

/** The records of a batch whose bytes this process has just written or already verified. */
export function recordsOf(batch: Uint8Array): JournalRecord[] {
  const buffer = bufferOf(batch);
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  const records: JournalRecord[] = [];
  for (let start = 0; start < batch.length; start += view.getUint32(start + at.length, true)) {
    records.push(new JournalRecord(buffer, view, start));
  }
  return records;
}

/** Where a reader stands: what the next record must be. `hash` undefined = taken from the record itself. */
export interface ReadPosition {
  readonly sequence: number;
  readonly tMs: number;
  readonly hash: string | undefined;
}

/** What a part of a stored batch holds: its sound records, the position after them, and what is wrong with the next. */
export interface CheckedBatch {
  readonly records: readonly JournalRecord[];
  readonly end: ReadPosition;
  readonly damage: JournalDamaged | undefined;
}

/** Records are checked and handed out so many at a time: they then are still in the processor's cache for whoever takes them. */
const PORTION_RECORDS = 128;

/**
 * The records of a stored batch in portions, each record checked against the one before: version, length, sequence, time,
 * running hash; up to the first that is not sound. A record's own bytes are covered by the running hash of the one after it,
 * so that it is handed out only when that one was looked at, and checksums matter for the last record alone, and to tell which
 * of two records was changed.
 */
export function* portionsOf(batch: Uint8Array, from: ReadPosition): Generator<CheckedBatch, void> {
  const buffer = bufferOf(batch);
  const view = new DataView(batch.buffer, batch.byteOffset, batch.byteLength);
  if (batch.length === 0)
    return yield { records: [], end: from, damage: new JournalDamaged(from.sequence, 'its batch is empty') };
  let records: JournalRecord[] = [];
  let before = from;
  let end = from;
  let damage: JournalDamaged | undefined;
  try {
    for (let start = 0; start < batch.length; ) {
      const record = readRecord(buffer, view, start, end);
      if (records.length > PORTION_RECORDS) {
        const last = records.splice(PORTION_RECORDS);
        yield { records, end: before, damage: undefined };
        records = last;
      }
      records.push(record);
      before = end;
      end = { sequence: record.sequence + 1, tMs: record.tMs, hash: hashOf(buffer, start, record.end) };
      start = record.end;
    }
  } catch (error) {
    if (!(error instanceof JournalDamaged)) throw error;
    damage = error;
  }
  const last = records.at(-1);
  if (last !== undefined && !matchesChecksum(buffer, view, last)) {
    // Whatever is wrong with the next record was found out because this one was changed.
    records.pop();
    end = before;
    damage = new JournalDamaged(last.sequence, CHECKSUM_WRONG);
  }
  yield { records, end, damage };
}

/** Where a batch that must be sound ends. Throws JournalDamaged naming the first record that is not. */
export function verifyBatch(batch: Uint8Array, from: ReadPosition): ReadPosition {
  let position = from;
  for (const { end, damage } of portionsOf(batch, from)) {
    if (damage !== undefined) throw damage;
    position = end;
  }
  return position;
}

const CHECKSUM_WRONG = 'the record does not match its checksum';

function matchesChecksum(batch: Buffer, view: DataView, { commandStart, end }: JournalRecord): boolean {
  const start = commandStart - RECORD_HEADER_BYTES;
  return crc32c(batch, start + CRC_START, end) === view.getUint32(start + at.crc, true);
}

function readRecord(batch: Buffer, view: DataView, start: number, expected: ReadPosition): JournalRecord {
  const damaged = (reason: string) => new JournalDamaged(expected.sequence, reason);
  const left = batch.length - start;
  if (left < RECORD_HEADER_BYTES) throw damaged(`the record is cut off after ${left} bytes`);
  const version = view.getUint32(start + at.version, true);
  if (version !== RECORD_VERSION) throw damaged(`the record has version ${version}, not ${RECORD_VERSION}`);
  const length = view.getUint32(start + at.length, true);
  const commandBytes = view.getUint32(start + at.commandBytes, true);
  if (length > left) throw damaged(`the record is cut off: it has ${length} bytes, ${left} are there`);
  if (length < RECORD_HEADER_BYTES) throw damaged(`the record's length of ${length} bytes cannot be`);
  const record = new JournalRecord(batch, view, start);
  const { hash: running } = expected;
  const isFollowing = running === undefined || isHashAt(batch, start + at.hash, running);
  const isSound = isFollowing && record.sequence === expected.sequence && record.tMs >= expected.tMs;
  if (isSound && length >= recordBytes(commandBytes, 0)) return record;
  if (!matchesChecksum(batch, view, record)) throw damaged(CHECKSUM_WRONG);
  if (length < recordBytes(commandBytes, 0)) throw damaged(`the record's length of ${length} bytes cannot be`);
  if (record.sequence !== expected.sequence) throw damaged(`the record there says that it is ${record.sequence}`);
  if (!(record.tMs >= expected.tMs)) throw damaged(`its time ${record.tMs} ms is before that of the record before it`);
  throw damaged('the record does not match the running hash of those before it: one of them was changed');
}

function isHashAt(batch: Buffer, offset: number, hash: string): boolean {
  // Byte by byte: making a text of them takes several times as long.
  for (let index = 0; index < HASH_BYTES; index += 1) {
    if (batch[offset + index] !== hash.charCodeAt(index)) return false;
  }
  return true;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The running hash behind a record, as hex. */
export function hashBehind(record: JournalRecord): string {
  return hash('sha256', record.bytes, 'hex');
}

/** Part of a batch; made in half the time that a Buffer of it takes. */
function viewOf({ buffer, byteOffset }: Buffer, start: number, end: number): Uint8Array {
  return new Uint8Array(buffer, byteOffset + start, end - start);
}

function hashOf(batch: Buffer, start: number, end: number): string {
  return hash('sha256', viewOf(batch, start, end), 'binary');
}
