// The bytes of a reply's body, which may come in pieces. Called by handle.ts as it sends. A body in pieces is put together
// in a room that every such reply uses, so that pages of lists leave no garbage: uWebSockets copies what it is given.
import type { Reply } from './endpoint.ts';
import { PART_BYTES } from './longReply.ts';

type Body = Reply['body'];

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
  if (!isPieces(body)) return body;
  let at = 0;
  for (const piece of body) {
    room.set(piece, at);
    at += piece.length;
  }
  return room.subarray(0, at);
}

/** A body as bytes that nobody else writes to. */
export function keptBytes(body: Body): Uint8Array {
  if (isPieces(body)) return Buffer.concat(body);
  return typeof body === 'string' ? Buffer.from(body) : body;
}
