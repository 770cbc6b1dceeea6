// Where the frames of a server begin in what sockets read, as far as one must know to answer pings, which a client's library
// does by itself. Used by the sockets of the streams' bench, which look at nothing else of what they read.

/** What answers a ping with these words: a masked pong, whose mask is zero, with the same. */
export function pongTo(words: string): Buffer {
  const payload = Buffer.from(words);
  return Buffer.concat([Buffer.from([0x8a, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

const PING = 0x89;
/** The longest head: two bytes and a length of eight. */
const HEAD_BYTES_MAX = 10;

/** An unsigned number of so many bytes, the highest first. */
function readBytes(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at += 1) value = value * 256 + bytes[at];
  return value;
}

/** The frames of many sockets, each of which may be cut anywhere by a read. */
export class FrameScan {
  /** Bytes of the present frame's payload that are still to come, by socket. */
  private readonly left: Float64Array;
  private readonly heads: Uint8Array;
  private readonly headLengths: Uint8Array;

  /** @param count sockets, which are known by their numbers from 0 */
  constructor(count: number) {
    this.left = new Float64Array(count);
    this.heads = new Uint8Array(count * HEAD_BYTES_MAX);
    this.headLengths = new Uint8Array(count);
  }

  /** Pings whose heads end in `bytes[from, to)`, which is what a socket read next. */
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

  /** Where what is at hand of the present payload ends. */
  private skipPayload(socket: number, at: number, to: number): number {
    const bytes = Math.min(this.left[socket], to - at);
    this.left[socket] -= bytes;
    return at + bytes;
  }

  /** Takes a byte of a head; at its last one the payload's length is known. */
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
