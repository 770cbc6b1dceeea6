// Finds where server frames begin in the bytes that sockets read, as far as is needed to answer pings, which a client
// library does by itself. Used by the sockets of the streams bench, which look at nothing else in what they read.

/** The answer to a ping with this payload: a pong with the same payload and a zero mask. */
export function pongTo(words: string): Buffer {
  const payload = Buffer.from(words);
  return Buffer.concat([Buffer.from([0x8a, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

const PING = 0x89;
/** The longest frame head: two bytes and an eight-byte length. */
const HEAD_BYTES_MAX = 10;

/** A big-endian unsigned number of `count` bytes. */
function readBytes(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at += 1) value = value * 256 + bytes[at];
  return value;
}

/** The frames of many sockets, each of which a read may cut anywhere. */
export class FrameScan {
  /** Bytes of the current frame's payload still to come, by socket. */
  private readonly left: Float64Array;
  private readonly heads: Uint8Array;
  private readonly headLengths: Uint8Array;

  /** @param count number of sockets, which are numbered from 0 */
  constructor(count: number) {
    this.left = new Float64Array(count);
    this.heads = new Uint8Array(count * HEAD_BYTES_MAX);
    this.headLengths = new Uint8Array(count);
  }

  /** How many ping heads end in `bytes[from, to)`, the bytes that a socket read next. */
  pingsIn(socket: number, bytes: Uint8Array, from: number, to: number): number {
    let pings = 0;
    let at = this.skipPayload(socket, from, to);
    while (at < to) {
      const mark = bytes[at + 1];
      const headBytes = mark < 126 ? 2 : mark === 126 ? 4 : HEAD_BYTES_MAX;
      // Nearly every head is whole.
      if (this.headLengths[socket] === 0 && at + headBytes <= to) {
        if (bytes[at] === PING) pings += 1;
        this.left[socket] = mark < 126 ? mark : readBytes(bytes, at + 2, headBytes - 2);
        at += headBytes;
      } else {
        if (this.endsHead(socket, bytes[at])) pings += this.heads[socket * HEAD_BYTES_MAX] === PING ? 1 : 0;
        at += 1;
      }
      at = this.skipPayload(socket, at, to);
    }
    return pings;
  }

  /** The position after the part of the current payload that is at hand. */
  private skipPayload(socket: number, at: number, to: number): number {
    const bytes = Math.min(this.left[socket], to - at);
    this.left[socket] -= bytes;
    return at + bytes;
  }

  /** Takes one byte of a head; returns true at the last one, when the payload's length is known. */
  private endsHead(socket: number, byte: number): boolean {
    const start = socket * HEAD_BYTES_MAX;
    this.heads[start + this.headLengths[socket]] = byte;
    this.headLengths[socket] += 1;
    const length = this.headLengths[socket];
    const marked = this.heads[start + 1];
    if (length < 2 || length < 2 + (marked === 127 ? 8 : marked === 126 ? 2 : 0)) return false;
    this.left[socket] = length === 2 ? marked : readBytes(this.heads, start + 2, length - 2);
    this.headLengths[socket] = 0;
    return true;
  }
}
