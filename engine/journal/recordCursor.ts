// Reads the records of stored batches with every check, one after the other and without an object for each: recovery and
// tools go through a journal with it. It does not know where batches are kept, and writes nothing.
import { bufferOf, dataViewOf } from '../protocol/index.ts';
import { crc32c } from './crc32c.ts';
import { JournalDamaged } from './errors.ts';
import {
  CRC_START,
  HASH_BYTES,
  hashOf,
  JournalRecord,
  plainBytesOf,
  RECORD_AT,
  RECORD_HEADER_BYTES,
  RECORD_VERSION,
  recordBytes,
} from './record.ts';

/** The position of a reader: what the next record must match. `hash` undefined = taken from the record itself. */
export interface ReadPosition {
  readonly sequence: number;
  readonly tMs: number;
  readonly hash: string | undefined;
}

const CHECKSUM_WRONG = 'the record does not match its checksum';

/**
 * Goes through a stored batch, up to the first record that is not sound, and checks each against the one before: version,
 * length, sequence, time, running hash. A record's own bytes are covered by the running hash in the one after it, so it is
 * handed out only after that one was checked. Checksums matter only for the last record, and to tell which of two records was
 * changed.
 */
export class RecordCursor {
  readonly batch: Buffer;
  readonly view: DataView;
  /** The current record and its place in the batch; before the first next(), the sequence before the batch and no bytes. */
  sequence: number;
  start = 0;
  end = 0;
  bytes: Uint8Array;
  /** The damage found in the record after the current one. */
  damage: JournalDamaged | undefined;
  private tMs: number;
  /** The running hash after the current record. */
  private hash: string | undefined;

  /** @param from what the first record must match */
  constructor(batch: Uint8Array, { sequence, tMs, hash }: ReadPosition) {
    this.batch = bufferOf(batch);
    this.view = dataViewOf(batch);
    this.sequence = sequence - 1;
    this.bytes = batch.subarray(0, 0);
    this.tMs = tMs;
    this.hash = hash;
    if (batch.length === 0) this.damage = new JournalDamaged(sequence, 'its batch is empty');
    else this.damage = this.flawOf(0, sequence, tMs, hash);
  }

  /** The position after the current record. */
  get position(): ReadPosition {
    return { sequence: this.sequence + 1, tMs: this.tMs, hash: this.hash };
  }

  /** The running hash (hex) before the current record. */
  get hashBefore(): string {
    const at = this.start + RECORD_AT.hash;
    return this.batch.toString('hex', at, at + HASH_BYTES);
  }

  /** The running hash (hex) after the current record; '' if it is not known, before the first next(). */
  get hashAfter(): string {
    return Buffer.from(this.hash ?? '', 'latin1').toString('hex');
  }

  get record(): JournalRecord {
    return new JournalRecord(this.batch, this.view, this.start);
  }

  /** Moves to the next record; false at the end of the batch, or if the next record is not sound. */
  next(): boolean {
    const { batch, view, end: start } = this;
    if (this.damage !== undefined || start === batch.length) return false;
    const end = start + view.getUint32(start + RECORD_AT.length, true);
    const sequence = this.sequence + 1;
    const tMs = view.getFloat64(start + RECORD_AT.tMs, true);
    const bytes = plainBytesOf(batch, start, end);
    const hash = hashOf(bytes);
    if (end < batch.length) this.damage = this.flawOf(end, sequence + 1, tMs, hash);
    if ((end === batch.length || this.damage !== undefined) && !this.matchesChecksum(start, end)) {
      // This record was changed; the damage found in the one after it, if any, is only a consequence.
      this.damage = new JournalDamaged(sequence, CHECKSUM_WRONG);
      return false;
    }
    this.start = start;
    this.end = end;
    this.bytes = bytes;
    this.sequence = sequence;
    this.tMs = tMs;
    this.hash = hash;
    return true;
  }

  /** The damage in the header of the record at `start`, given what it must match. The bytes after it are not checked. */
  private flawOf(start: number, expected: number, tMsMin: number, hash?: string): JournalDamaged | undefined {
    const { batch, view } = this;
    const damaged = (reason: string) => new JournalDamaged(expected, reason);
    const left = batch.length - start;
    if (left < RECORD_HEADER_BYTES) return damaged(`the record is cut off after ${left} bytes`);
    const version = view.getUint32(start + RECORD_AT.version, true);
    if (version !== RECORD_VERSION) return damaged(`the record has version ${version}, not ${RECORD_VERSION}`);
    const length = view.getUint32(start + RECORD_AT.length, true);
    if (length > left) return damaged(`the record is cut off: it has ${length} bytes, ${left} are there`);
    if (length < RECORD_HEADER_BYTES) return damaged(`the record's length of ${length} bytes is impossible`);
    const lengthMin = recordBytes(view.getUint32(start + RECORD_AT.commandBytes, true), 0);
    const sequence = view.getFloat64(start + RECORD_AT.sequence, true);
    const tMs = view.getFloat64(start + RECORD_AT.tMs, true);
    const isFollowing = hash === undefined || isHashAt(batch, start + RECORD_AT.hash, hash);
    if (isFollowing && sequence === expected && tMs >= tMsMin && length >= lengthMin) return undefined;
    if (!this.matchesChecksum(start, start + length)) return damaged(CHECKSUM_WRONG);
    if (length < lengthMin) return damaged(`the record's length of ${length} bytes is impossible`);
    if (sequence !== expected) return damaged(`the record there says that it is ${sequence}`);
    if (!(tMs >= tMsMin)) return damaged(`its time ${tMs} ms is before that of the record before it`);
    return damaged('the record does not match the running hash of those before it: one of them was changed');
  }

  private matchesChecksum(start: number, end: number): boolean {
    const { batch, view } = this;
    return crc32c(batch, start + CRC_START, end) === view.getUint32(start + RECORD_AT.crc, true);
  }
}

/** Verifies a whole batch; returns the position after it. Throws JournalDamaged naming the first record that is not sound. */
export function verifyBatch(batch: Uint8Array, from: ReadPosition): ReadPosition {
  const cursor = new RecordCursor(batch, from);
  while (cursor.next());
  if (cursor.damage !== undefined) throw cursor.damage;
  return cursor.position;
}

function isHashAt(batch: Buffer, offset: number, hash: string): boolean {
  // Byte by byte: making a text of the bytes takes several times as long.
  for (let index = 0; index < HASH_BYTES; index += 1) {
    if (batch[offset + index] !== hash.charCodeAt(index)) return false;
  }
  return true;
}
