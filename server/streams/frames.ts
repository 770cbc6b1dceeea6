// Frames: messages joined as clients receive them, with each stream's name and sequence written into the gaps that messages.ts
// leaves. Used by the publisher and, for sockets that catch up, by the market channel. A frame's buffer is reused for the next.
import { type MessageBatch, withRoom } from './messages.ts';

const NO_BYTES = Buffer.alloc(0);
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const ZERO = 0x30;
/** A frame beyond this many bytes takes no more messages: both books of a market share a frame, whatever their size. */
const FRAME_BYTES_MAX = 524_288;

/** Assembles frames in one buffer that is reused: the receiver of a frame must copy it at once. */
export class FrameWriter {
  private buffer: Buffer = NO_BYTES;
  private length = 0;
  private count = 0;
  private readonly emit: (frame: Buffer) => void;

  constructor(emit: (frame: Buffer) => void) {
    this.emit = emit;
  }

  /** Adds a message of a batch, with its stream's name (Latin-1) and its sequence. */
  add(batch: MessageBatch, index: number, streamId: Buffer, sequence: number): void {
    const isAlone = batch.isAlone(index);
    if (isAlone || this.length > FRAME_BYTES_MAX) this.end();
    const start = batch.startOf(index);
    const end = batch.endOf(index);
    // Room for a comma or bracket in front and a bracket behind.
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

  /** Emits the frame: an array, or the bare object if it holds one message and `isArray` is false. */
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

  /** Gives the buffer up; call it after `end`, when no frame may follow for long. */
  release(): void {
    this.buffer = NO_BYTES;
  }
}

/** Writes a whole number's digits, the last right before `end`; bytes in front of them stay as they are. */
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
