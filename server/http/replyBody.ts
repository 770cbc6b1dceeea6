// The bytes of a reply's body, which may come in pieces. Called by handle.ts when it sends. Pieces are joined in one shared
// buffer, so pages of lists leave no garbage; uWebSockets copies what it is given.
import type { Reply } from './endpoint.ts';

type Body = Reply['body'];

/** Longer bodies are sent in parts of this many bytes. */
export const PART_BYTES = 256 * 1024;

const partBuffer = new Uint8Array(PART_BYTES);
const isPieces = (body: Body): body is readonly Uint8Array[] => Array.isArray(body);

/** The length of a body: in bytes, or in characters for a string. */
export function lengthOf(body: Body): number {
  if (!isPieces(body)) return body.length;
  let length = 0;
  for (const piece of body) length += piece.length;
  return length;
}

/** A body of at most PART_BYTES in a form that uWebSockets accepts; valid only until the next call. */
export function sendableBody(body: Body): string | Uint8Array {
  if (typeof body === 'string') return body;
  if (isPieces(body)) return joined(body, 0, 0);
  return body.buffer instanceof SharedArrayBuffer ? joined([body], 0, 0) : body; // other threads write to shared memory
}

/** Joins pieces in `partBuffer` as far as they fit, starting at byte `firstByte` of piece `first`. */
function joined(pieces: readonly Uint8Array[], first: number, firstByte: number): Uint8Array {
  let filled = 0;
  let start = firstByte;
  for (let at = first; at < pieces.length && filled < PART_BYTES; at += 1) {
    const piece = pieces[at];
    const isWhole = start === 0 && piece.length <= PART_BYTES - filled; // true of most pieces; saves creating a view
    const taken = isWhole ? piece : piece.subarray(start, start + PART_BYTES - filled);
    partBuffer.set(taken, filled);
    filled += taken.length;
    start = 0;
  }
  return partBuffer.subarray(0, filled);
}

/** A body sent in parts, in order. */
export class BodyParts {
  readonly length: number;
  private readonly pieces: readonly Uint8Array[];
  /** The first piece not completely sent, and its offset in the body. */
  private pieceIndex = 0;
  private pieceOffset = 0;

  constructor(body: Body) {
    this.pieces = isPieces(body) ? body : [bytesOfBody(body)]; // a string may have more bytes than characters
    this.length = lengthOf(this.pieces);
  }

  /** At most PART_BYTES from an offset, which must never fall; the result is valid only until the next call. */
  partFrom(offset: number): Uint8Array {
    const { pieces } = this;
    while (this.pieceIndex < pieces.length && this.pieceOffset + pieces[this.pieceIndex].length <= offset) {
      this.pieceOffset += pieces[this.pieceIndex].length;
      this.pieceIndex += 1;
    }
    return joined(pieces, this.pieceIndex, offset - this.pieceOffset);
  }
}

/** A body as bytes: a copy, unless it is one array of bytes. */
export function bytesOfBody(body: Body): Uint8Array {
  if (isPieces(body)) return Buffer.concat(body);
  return typeof body === 'string' ? Buffer.from(body) : body;
}
