// Rendered messages: bytes with two fixed-width gaps for the stream's name and sequence, so a message rendered once for a
// market serves all of its streams. The renderers of wire/ write them one after another; frames.ts fills the gaps and puts
// them into frames. A message is never sent before its gaps are filled.
import { msText } from '../wire/numbers.ts';
import { type Form, MARKET_ID_BYTES, SEQUENCE_BYTES } from './ids.ts';

const ID_GAP = '-'.repeat(MARKET_ID_BYTES);
const SEQUENCE_GAP = ' '.repeat(SEQUENCE_BYTES);

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
  private readonly alone: boolean[] = [];

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

  /** Whether the message never shares a frame: clients that do not know its kind would drop the whole frame. */
  isAlone(index: number): boolean {
    return this.alone[index];
  }

  startOf(index: number): number {
    return this.starts[index];
  }

  endOf(index: number): number {
    return index + 1 < this.starts.length ? this.starts[index + 1] : this.length;
  }

  /** Offset of the gap for the stream's name. */
  idAt(index: number): number {
    return this.ids[index];
  }

  sequenceEnd(index: number): number {
    return this.ids[index] + MARKET_ID_BYTES + BEFORE_SEQUENCE.length + SEQUENCE_BYTES;
  }

  /** Begins a message; the caller then writes its rest, from the comma to the closing brace. */
  begin(eventType: string, serverMs: number, mask: number, isAlone = false): void {
    this.ids.push(this.length + BEFORE_TYPE.length + eventType.length + BEFORE_ID.length);
    this.starts.push(this.length);
    this.masks.push(mask);
    this.alone.push(isAlone);
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
    this.alone.length = 0;
  }

  private reserve(more: number): void {
    this.buffer = withRoom(this.buffer, this.length, more);
  }
}

/** The smallest buffer allocated: most sockets never send more. */
const ROOM_BYTES = 4_096;

/** A buffer with room for `more` bytes after its first `length`: the same one, or a larger copy. */
export function withRoom(buffer: Buffer, length: number, more: number): Buffer {
  if (length + more <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.max(length + more, buffer.length * 2, ROOM_BYTES));
  buffer.copy(larger, 0, 0, length);
  return larger;
}
