// The bytes of a reply's body, which may come in pieces. Called by handle.ts as it sends. A body in pieces is put together
// in a room that every such reply uses, so that pages of lists leave no garbage: uWebSockets copies what it is given.
import type { Reply } from './endpoint.ts';

type Body = Reply['body'];

/** A longer body is sent in parts of so many bytes. */
export const PART_BYTES = 256 * 1024;

const room = new Uint8Array(PART_BYTES);
const isPieces = (body: Body): body is readonly Uint8Array[] => Array.isArray(body);

/** Bytes of a body; characters of a text. */
export function lengthOf(body: Body): number {
  if (!isPieces(body)) return body.length;
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
}

/** A body of at most PART_BYTES as uWebSockets takes it; what comes back holds only until the next call. */
export function passingBytes(body: Body): string | Uint8Array {
  if (typeof body === 'string') return body;
  if (isPieces(body)) return gathered(body, 0, 0);
  return body.buffer instanceof SharedArrayBuffer ? gathered([body], 0, 0) : body; // it is given no memory that another thread writes to
}

/** What fits into the room of pieces from one of them on, from a byte of that one on. */
function gathered(pieces: readonly Uint8Array[], first: number, firstByte: number): Uint8Array {
  let filled = 0;
  let start = firstByte;
  for (let at = first; at < pieces.length && filled < PART_BYTES; at += 1) {
    const piece = pieces[at];
    const isWhole = start === 0 && piece.length <= PART_BYTES - filled; // most are: no view of theirs is to be made
    const taken = isWhole ? piece : piece.subarray(start, start + PART_BYTES - filled);
    room.set(taken, filled);
    filled += taken.length;
    start = 0;
  }
  return room.subarray(0, filled);
}

/** A body that is sent in parts, one after the other. */
export class BodyParts {
  readonly length: number;
  private readonly pieces: readonly Uint8Array[];
  /** The first piece that is not sent whole, and where it starts in the body. */
  private piece = 0;
  private pieceAt = 0;

  constructor(body: Body) {
    this.pieces = isPieces(body) ? body : [keptBytes(body)]; // a text is longer in bytes than in characters
    this.length = lengthOf(this.pieces);
  }

  /** At most PART_BYTES from an offset on, which never falls; what comes back holds only until the next call. */
  partFrom(offset: number): Uint8Array {
    const { pieces } = this;
    while (this.piece < pieces.length && this.pieceAt + pieces[this.piece].length <= offset) {
      this.pieceAt += pieces[this.piece].length;
      this.piece += 1;
    }
    return gathered(pieces, this.piece, offset - this.pieceAt);
  }
}

/** A body as bytes that nobody else writes to. */
export function keptBytes(body: Body): Uint8Array {
  if (isPieces(body)) return Buffer.concat(body);
  return typeof body === 'string' ? Buffer.from(body) : body;
}
