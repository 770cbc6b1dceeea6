// The bytes of a reply's body, which may come in pieces. Called by handle.ts when it sends. Pieces are joined in one shared
// buffer, so pages of lists leave no garbage; uWebSockets copies what it is given.
import type { Reply } from './endpoint.ts';

type Body = Reply['body'];

/** Longer bodies are sent in parts of this many bytes. */
export const PART_BYTES = 256 * 1024;

const room = new Uint8Array(PART_BYTES);
const isPieces = (body: Body): body is readonly Uint8Array[] => Array.isArray(body);

/** The length of a body: in bytes, or in characters for a string. */
export function lengthOf(body: Body): number {
  if (!isPieces(body)) return body.length;
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
}

/** A body of at most PART_BYTES in a form that uWebSockets accepts; valid only until the next call. */
export function passingBytes(body: Body): string | Uint8Array {
  if (typeof body === 'string') return body;
  if (isPieces(body)) return gathered(body, 0, 0);
  return body.buffer instanceof SharedArrayBuffer ? gathered([body], 0, 0) : body; // other threads write to shared memory
}

/** Joins pieces in the shared buffer as far as they fit, starting at byte `firstByte` of piece `first`. */
function gathered(pieces: readonly Uint8Array[], first: number, firstByte: number): Uint8Array {
  let filled = 0;
  let start = firstByte;
  for (let at = first; at < pieces.length && filled < PART_BYTES; at += 1) {
    const piece = pieces[at];
    const isWhole = start === 0 && piece.length <= PART_BYTES - filled; // true of most pieces; saves creating a view
    const taken = isWhole ? piece : piece.subarray(start, start + PART_BYTES - filled);
    room.set(taken, filled);
    filled += taken.length;
    start = 0;
  }
  return room.subarray(0, filled);
}

/** A body sent in parts, in order. */
export class BodyParts {
  readonly length: number;
  private readonly pieces: readonly Uint8Array[];
  /** The first piece not completely sent, and its offset in the body. */
  private piece = 0;
  private pieceAt = 0;

  constructor(body: Body) {
    this.pieces = isPieces(body) ? body : [keptBytes(body)]; // a string may have more bytes than characters
    this.length = lengthOf(this.pieces);
  }

  /** At most PART_BYTES from an offset, which must never fall; the result is valid only until the next call. */
  partFrom(offset: number): Uint8Array {
    const { pieces } = this;
    while (this.piece < pieces.length && this.pieceAt + pieces[this.piece].length <= offset) {
      this.pieceAt += pieces[this.piece].length;
      this.piece += 1;
    }
    return gathered(pieces, this.piece, offset - this.pieceAt);
  }
}

/** A body as bytes that no one else writes to. */
export function keptBytes(body: Body): Uint8Array {
  if (isPieces(body)) return Buffer.concat(body);
  return typeof body === 'string' ? Buffer.from(body) : body;
}
