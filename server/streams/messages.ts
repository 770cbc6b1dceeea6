// Ready messages: bytes with two gaps of fixed width, the stream's name and its number there, so that what was rendered
// once for a market serves all of its streams. Made by the renderers of wire/, put into frames by the hub. A message
// without numbers patched in never leaves.
import { FORM_COUNT, type Form, MARKET_ID_BYTES, SEQUENCE_BYTES } from './ids.ts';

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

export interface Message {
  readonly bytes: Buffer;
  /** Where the stream's name and its number go. */
  readonly idAt: number;
  readonly sequenceAt: number;
  /** One bit a form: the streams that it belongs to. */
  readonly mask: number;
  /** Never shares a frame: clients that don't know its kind would drop the whole frame. */
  readonly isAlone: boolean;
}

const BEFORE_TYPE = '{"event_type":"';
const BEFORE_ID = '","stream_id":"';
const BEFORE_SEQUENCE = '","sequence":';

/** The first keys of every message, as text. */
export function headText(eventType: string, streamId: string, sequence: string, serverMs: number): string {
  return `${BEFORE_TYPE}${eventType}${BEFORE_ID}${streamId}${BEFORE_SEQUENCE}${sequence},"server_ts_ms":${serverMs}`;
}

/** A market's message; `rest` is its JSON text after the head, from the comma to the closing brace. */
export function marketMessage(
  eventType: string,
  serverMs: number,
  rest: string,
  mask: number,
  isAlone = false,
): Message {
  const bytes = Buffer.from(headText(eventType, ID_GAP, SEQUENCE_GAP, serverMs) + rest);
  const idAt = BEFORE_TYPE.length + eventType.length + BEFORE_ID.length;
  return { bytes, idAt, sequenceAt: idAt + MARKET_ID_BYTES + BEFORE_SEQUENCE.length, mask, isAlone };
}

/** How many of the messages each form gets. */
export function countByForm(messages: readonly Message[]): number[] {
  const counts = new Array<number>(FORM_COUNT).fill(0);
  for (const { mask } of messages) {
    for (let form = 0; form < FORM_COUNT; form += 1) counts[form] += (mask >>> form) & 1;
  }
  return counts;
}

const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const ZERO = 0x30;
/** A frame is cut at this size, bytes. */
const FRAME_BYTES_MAX = 262_144;

/** Puts messages into frames in one buffer that is used again and again: whoever gets a frame must copy it at once. */
export class FrameWriter {
  private buffer = Buffer.allocUnsafe(65_536);
  private length = 0;
  private count = 0;
  private readonly emit: (frame: Buffer) => void;

  constructor(emit: (frame: Buffer) => void) {
    this.emit = emit;
  }

  /** One message with its name (latin1) and number. */
  add(message: Message, streamId: Buffer, sequence: number): void {
    if (message.isAlone || this.length > FRAME_BYTES_MAX) this.end();
    const { bytes } = message;
    this.reserve(bytes.length + 2);
    const { buffer } = this;
    buffer[this.length] = this.count === 0 ? OPEN : COMMA;
    const at = this.length + 1;
    bytes.copy(buffer, at);
    streamId.copy(buffer, at + message.idAt);
    writeDigits(buffer, at + message.sequenceAt + SEQUENCE_BYTES, sequence);
    this.length = at + bytes.length;
    this.count += 1;
    if (message.isAlone) this.end();
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

  private reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
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

/** Whether a form gets a message. */
export const isFor = (message: Message, form: Form): boolean => ((message.mask >>> form) & 1) === 1;
