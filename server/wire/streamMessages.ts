// Rendered messages: bytes with two fixed-width gaps for the stream's name and sequence, so a message rendered once for a
// market serves all of its streams, one after another. The renderers of this folder write them; the publisher and the market
// channel send each as a frame of its own, since clients read arrays as the books of a subscription. A message is never sent
// before its gaps are filled.
import { msText } from './numbers.ts';
import { type Form, MARKET_ID_BYTES, SEQUENCE_BYTES } from './streamIds.ts';

const ID_GAP = '-'.repeat(MARKET_ID_BYTES);
const SEQUENCE_GAP = ' '.repeat(SEQUENCE_BYTES);
const BLANK = 0x20;
const ZERO = 0x30;

/** Bit masks of the forms to which a message belongs. */
export const Mask = {
  FIRST: 0b001001,
  SECOND: 0b010010,
  BOTH: 0b100100,
  ALL: 0b111111,
  CUSTOM: 0b111000,
} as const;

const BEFORE_TYPE = '{"event_type":"';
const BEFORE_ID = '","stream_id":"';
const BEFORE_SEQUENCE = '","sequence":';

/** The leading keys of every message, as text. */
export function headText(eventType: string, streamId: string, sequence: string, serverMs: number): string {
  return `${BEFORE_TYPE}${eventType}${BEFORE_ID}${streamId}${BEFORE_SEQUENCE}${sequence},"server_ts_ms":${msText(serverMs)}`;
}

/** Messages of markets, one after another in one buffer, which is reused after `clear`. */
export class MessageBatch {
  /** The bytes of all messages; replaced by a larger buffer when it fills up. */
  buffer: Buffer;
  private length = 0;
  private readonly starts: number[] = [];
  private readonly ids: number[] = [];
  private readonly masks: number[] = [];

  constructor(bytes = 4_096) {
    this.buffer = Buffer.allocUnsafe(bytes);
  }

  get count(): number {
    return this.starts.length;
  }

  /** Bytes of all messages. */
  get byteLength(): number {
    return this.length;
  }

  /** Bytes of the messages [first, end). */
  bytesBetween(first: number, end: number): number {
    return end > first ? this.endOf(end - 1) - this.starts[first] : 0;
  }

  /** Whether the message belongs to a form. */
  isFor(index: number, form: Form): boolean {
    return ((this.masks[index] >>> form) & 1) === 1;
  }

  /**
   * A message with its gaps filled, in the batch's own bytes: the receiver must copy it before the same message is filled for
   * another stream.
   *
   * @param streamId the stream's name, Latin-1
   */
  filled(index: number, streamId: Buffer, sequence: number): Buffer {
    const { buffer } = this;
    const idAt = this.ids[index];
    const sequenceAt = idAt + MARKET_ID_BYTES + BEFORE_SEQUENCE.length;
    streamId.copy(buffer, idAt);
    writeNumber(buffer, sequenceAt, sequenceAt + SEQUENCE_BYTES, sequence);
    return buffer.subarray(this.starts[index], this.endOf(index));
  }

  /** Begins a message; the caller then writes its rest, from the comma to the closing brace. */
  begin(eventType: string, serverMs: number, mask: number): void {
    this.ids.push(this.length + BEFORE_TYPE.length + eventType.length + BEFORE_ID.length);
    this.starts.push(this.length);
    this.masks.push(mask);
    this.text(headText(eventType, ID_GAP, SEQUENCE_GAP, serverMs));
  }

  /** Appends Latin-1 text, one byte per character. */
  text(latin1: string): void {
    this.reserve(latin1.length);
    this.length += this.buffer.write(latin1, this.length, 'latin1');
  }

  /** Appends any text, as UTF-8. */
  anyText(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.buffer.write(text, this.length, 'utf8');
  }

  bytes(source: Buffer, from: number, to: number): void {
    this.reserve(to - from);
    source.copy(this.buffer, this.length, from, to);
    this.length += to - from;
  }

  /** Forgets all messages. */
  clear(): void {
    this.length = 0;
    this.starts.length = 0;
    this.ids.length = 0;
    this.masks.length = 0;
  }

  private endOf(index: number): number {
    return index + 1 < this.starts.length ? this.starts[index + 1] : this.length;
  }

  private reserve(more: number): void {
    const { buffer, length } = this;
    if (length + more <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(length + more, buffer.length * 2));
    buffer.copy(larger, 0, 0, length);
    this.buffer = larger;
  }
}

/** Writes a whole number's digits at the end of [start, end), after blanks. */
function writeNumber(buffer: Buffer, start: number, end: number, value: number): void {
  let at = end;
  let left = value;
  do {
    at -= 1;
    const next = Math.floor(left / 10);
    buffer[at] = ZERO + (left - next * 10);
    left = next;
  } while (left > 0);
  while (at > start) {
    at -= 1;
    buffer[at] = BLANK;
  }
}
