// The body of a request: collects it within its limit and parses it as JSON. Called by handle.ts. uWebSockets' memory is
// valid only during its callback: parts that wait for others are copied, a body in one piece is passed on as it is. Nesting
// deeper than the limit is never parsed.

import type { HttpResponse } from 'uWebSockets.js';
import { isUtf8 } from 'node:buffer';
import { bufferOf, reasonOf } from '../../engine/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { unavailable } from '../wire/rejections.ts';
import type { BodyTurns } from './bodyTurns.ts';
import type { HeldBytes } from './heldBytes.ts';
import { httpLimits } from './limits.ts';

export const EMPTY_BODY: Uint8Array = new Uint8Array(0);

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The refusal of a body over the limit. */
export function bodyTooLarge(bytes: number): BadRequest {
  const text = `the body has ${bytes} bytes or more; at most ${httpLimits.bodyBytesMax} bytes are allowed`;
  return new BadRequest(text, { status: 413 });
}

/** Throws BadRequest (415) for a content type that is given and is not JSON. */
export function requireJsonContentType(contentType: string): void {
  if (contentType === '' || contentType === 'application/json') return;
  const mediaType = contentType.split(';', 1)[0].trim().toLowerCase();
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return;
  const text = `the content type ${mediaType} is not supported; send the body as application/json`;
  throw new BadRequest(text, { status: 415 });
}

/** A larger buffer for at least `bytes`, twice the old size, so that many small parts cost no more than a few large ones. */
function grown(held: Uint8Array, usedBytes: number, bytes: number): Uint8Array {
  // Not zeroed: only the bytes written are passed on.
  const larger = Buffer.allocUnsafe(Math.min(Math.max(bytes, held.length * 2), httpLimits.bodyBytesMax));
  if (usedBytes > 0) larger.set(held.subarray(0, usedBytes));
  return larger;
}

/** The refusal of a body that arrived so slowly that others need its memory. */
function bodyTooSlow(): BadRequest {
  const most = httpLimits.incomingBodiesBytesMax;
  const text = `the body arrived too slowly: more than ${most} bytes of request bodies were in flight at once`;
  return unavailable(text);
}

/** The refusal of a body in so many parts that they would keep others waiting; its connection ends, since more may follow. */
function tooManyParts(): BadRequest {
  const most = httpLimits.bodyPartsMax;
  const text = `the body came in more than ${most} parts (chunks, or packets of one without them); send fewer, longer ones`;
  return new BadRequest(text, { endsConnection: true });
}

/** A body that is being received. */
export interface IncomingBody {
  /** Call when the client has disconnected. */
  gone(): void;
}

/**
 * Receives the body and calls exactly one of the two functions, once; neither if the client disconnects first. Must be
 * called before the route's handler returns.
 * @param incomingBodies accounts for the received parts of incomplete bodies, and for bodies that wait for their turn
 * @param onBody gets the body, whose bytes are valid only during the call
 */
export function readBody(
  res: HttpResponse,
  incomingBodies: HeldBytes,
  turns: BodyTurns,
  onBody: (body: Uint8Array) => void,
  onRefused: (refusal: BadRequest) => void,
): IncomingBody {
  let held = EMPTY_BODY;
  let usedBytes = 0;
  let partCount = 0;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    held = EMPTY_BODY;
    incomingBodies.release(holder);
  };
  const pass = (): void => {
    if (isOver) return;
    if (!turns.take(usedBytes)) {
      setImmediate(pass);
      return;
    }
    const body = held.subarray(0, usedBytes);
    end();
    onBody(body);
  };
  const holder = {
    cut: (): void => {
      end();
      setImmediate(onRefused, bodyTooSlow()); // called while another response is being handled
    },
  };
  res.onData((chunk, isLast) => {
    if (isOver) return;
    partCount += 1;
    if (partCount > httpLimits.bodyPartsMax) {
      end();
      onRefused(tooManyParts());
      return;
    }
    const bytes = usedBytes + chunk.byteLength;
    if (bytes > httpLimits.bodyBytesMax) {
      end();
      onRefused(bodyTooLarge(httpLimits.bodyBytesMax + 1));
      return;
    }
    if (isLast && usedBytes === 0 && turns.take(bytes)) {
      isOver = true;
      onBody(new Uint8Array(chunk));
      return;
    }
    if (chunk.byteLength > 0) {
      if (bytes > held.length) {
        held = grown(held, usedBytes, bytes);
        incomingBodies.hold(holder, held.length);
      }
      held.set(new Uint8Array(chunk), usedBytes);
      usedBytes = bytes;
    }
    if (isLast) pass();
  });
  return { gone: end };
}

/** Occurrences of a byte, up to `most`. Uses a native search, since honest bodies have only a handful. */
function countUpTo(bytes: Buffer, byte: number, most: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at >= 0 && count < most; at = bytes.indexOf(byte, at + 1)) count += 1;
  return count;
}

/** The deepest nesting of arrays and objects outside strings; stops counting above `most`. */
export function nestingDepth(bytes: Uint8Array, most: number): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let index = 0; index < bytes.length && deepest <= most; index += 1) {
    const byte = bytes[index];
    if (isInString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) deepest = Math.max(deepest, ++depth);
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
  }
  return deepest;
}

function requireShallow(buffer: Buffer): void {
  const most = httpLimits.jsonDepthMax + 1;
  if (countUpTo(buffer, OPEN_OBJECT, most) + countUpTo(buffer, OPEN_ARRAY, most) < most) return;
  const deepest = httpLimits.jsonDepthMax;
  if (nestingDepth(buffer, deepest) > deepest) {
    throw new BadRequest(`the body nests arrays and objects deeper than the limit of ${deepest} levels`);
  }
}

/**
 * The value of a JSON body.
 * @throws BadRequest if it is not UTF-8, not JSON or nested too deeply
 */
export function parseJson(body: Uint8Array): unknown {
  if (!isUtf8(body)) throw new BadRequest('the body is not valid UTF-8');
  const buffer = bufferOf(body);
  requireShallow(buffer);
  try {
    return JSON.parse(buffer.toString('utf8'));
  } catch (error) {
    // V8's message quotes the start of the body and the position; the body itself can be long.
    throw new BadRequest(`the body is not JSON: ${reasonOf(error).slice(0, 120)}`);
  }
}
