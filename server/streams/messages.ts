// Ready messages: bytes with two gaps of fixed width, the stream's name and its number there, so that what was rendered
// once for a market serves all of its streams. Written one behind the other by the renderers of wire/, put into frames
// by the publisher. A message without numbers patched in never leaves.
import { msText } from '../wire/numbers.ts';
import { type Form, MARKET_ID_BYTES, SEQUENCE_BYTES } from './ids.ts';

const ID_GAP = '-'.repeat(MARKET_ID_BYTES);
const SEQUENCE_GAP = ' '.repeat(SEQUENCE_BYTES);

/** Bits of the streams that a message belongs to, by form. */
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

/** The first keys of every message, as text. */
export function headText(eventType: string, streamId: string, sequence: string, serverMs: number): string {
  return `${BEFORE_TYPE}${eventType}${BEFORE_ID}${streamId}${BEFORE_SEQUENCE}${sequence},"server_ts_ms":${msText(serverMs)}`;
}

/** Messages of markets, one behind the other in one buffer that is used again after `clear`. */
export class MessageBatch {
  /** The bytes of all messages; another buffer when more room was needed. */
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

  /** Bytes of the messages from `first` to the one before `end`. */
  bytesBetween(first: number, end: number): number {
    return end > first ? this.endOf(end - 1) - this.starts[first] : 0;
  }

  /** Whether a form gets the message. */
  isFor(index: number, form: Form): boolean {
    return ((this.masks[index] >>> form) & 1) === 1;
  }

  /** Never shares a frame: clients that don't know its kind would drop the whole frame. */
  isAlone(index: number): boolean {
    return this.alone[index];
  }

  startOf(index: number): number {
    return this.starts[index];
  }

  endOf(index: number): number {
    return index + 1 < this.starts.length ? this.starts[index + 1] : this.length;
  }

  /** Where the stream's name goes, and where its number ends. */
  idAt(index: number): number {
    return this.ids[index];
  }

  sequenceEnd(index: number): number {
    return this.ids[index] + MARKET_ID_BYTES + BEFORE_SEQUENCE.length + SEQUENCE_BYTES;
  }

  /** Begins a message; what is written next, from the comma to the closing brace, belongs to it. */
  begin(eventType: string, serverMs: number, mask: number, isAlone = false): void {
    this.ids.push(this.length + BEFORE_TYPE.length + eventType.length + BEFORE_ID.length);
    this.starts.push(this.length);
    this.masks.push(mask);
    this.alone.push(isAlone);
    this.text(headText(eventType, ID_GAP, SEQUENCE_GAP, serverMs));
  }

  /** Text of characters that are one byte each. */
  text(latin1: string): void {
    this.reserve(latin1.length);
    this.length += this.buffer.write(latin1, this.length, 'latin1');
  }

  /** Text of any characters. */
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

/** The least that is asked for: most sockets never send more. */
const ROOM_BYTES = 4_096;

/** The same buffer, or a larger one with its first bytes, in which `more` bytes follow the first `length`. */
function withRoom(buffer: Buffer, length: number, more: number): Buffer {
  if (length + more <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.max(length + more, buffer.length * 2, ROOM_BYTES));
  buffer.copy(larger, 0, 0, length);
  return larger;
}

const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const ZERO = 0x30;
/** A frame that has so many bytes takes no more messages: both books of a market are one frame, whatever they hold. */
const FRAME_BYTES_MAX = 524_288;

/** Puts messages into frames in one buffer that is used again and again: whoever gets a frame must copy it at once. */
export class FrameWriter {
  private buffer: Buffer = Buffer.alloc(0);
  private length = 0;
  private count = 0;
  private readonly emit: (frame: Buffer) => void;

  constructor(emit: (frame: Buffer) => void) {
    this.emit = emit;
  }

  /** One message of a batch with its name (latin1) and number. */
  add(batch: MessageBatch, index: number, streamId: Buffer, sequence: number): void {
    const isAlone = batch.isAlone(index);
    if (isAlone || this.length > FRAME_BYTES_MAX) this.end();
    const start = batch.startOf(index);
    const end = batch.endOf(index);
    // A comma or a bracket before, and one bracket after.
    this.buffer = withRoom(this.buffer, this.length, end - start + 2);
    const { buffer } = this;
    buffer[this.length] = this.count === 0 ? OPEN : COMMA;
    const at = this.length + 1;
    batch.buffer.copy(buffer, at, start, end);
    streamId.copy(buffer, at + batch.idAt(index) - start);
    writeDigits(buffer, at + batch.sequenceEnd(index) - start, sequence);
    this.length = at + end - start;
    this.count += 1;
    if (isAlone) this.end();
  }

  /** Gives the frame away: an array, or the bare object when there is only one and no array is asked for. */
  end(isArray = false): void {
    const { count, length } = this;
    if (count === 0) return;
    this.count = 0;
    this.length = 0;
    if (count === 1 && !isArray) {
      this.emit(this.buffer.subarray(1, length));
      return;
    }
    this.buffer[length] = CLOSE;
    this.emit(this.buffer.subarray(0, length + 1));
  }

  get bytes(): number {
    return this.length;
  }
}

/** Writes the digits of a whole number so that the last stands before `end`; what stands in front stays. */
function writeDigits(buffer: Buffer, end: number, value: number): void {
  let at = end;
  let left = value;
  do {
    at -= 1;
    const next = Math.floor(left / 10);
    buffer[at] = ZERO + (left - next * 10);
    left = next;
  } while (left > 0);
}
