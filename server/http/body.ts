// The body of a request: gathered within its limit, and read as JSON. Called by handle.ts. What uWebSockets lends is gone
// when its callback returns: parts that have to wait for others are copied, a body in one piece is handed on as it is lent.
// It never parses what is nested deeper than the limit.

import type { HttpResponse } from 'uWebSockets.js';
import { isUtf8 } from 'node:buffer';
import { reasonOf } from '../../engine/index.ts';
import { RETRY_SECONDS } from '../wire/rejections.ts';
import { BadRequest } from './errors.ts';
import type { HeldBytes } from './heldBytes.ts';
import { httpLimits } from './limits.ts';

export const EMPTY_BODY: Uint8Array = new Uint8Array(0);

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The refusal of a body above the limit. */
export function bodyTooLarge(bytes: number): BadRequest {
  const text = `the body has ${bytes} bytes or more; at most ${httpLimits.bodyBytesMax} bytes are allowed`;
  return new BadRequest(text, { status: 413 });
}

/** Throws BadRequest for a content type that is there and is not JSON (415). */
export function requireJsonContentType(contentType: string): void {
  if (contentType === '' || contentType === 'application/json') return;
  const mediaType = contentType.split(';', 1)[0].trim().toLowerCase();
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return;
  const text = `the content type ${mediaType} is not taken; send the body as application/json`;
  throw new BadRequest(text, { status: 415 });
}

/** Room for at least `bytes`, twice what there was, so that many small parts cost no more than a few large ones. */
function grown(held: Uint8Array, usedBytes: number, bytes: number): Uint8Array {
  // Not zeroed: what is handed on is cut to the bytes that were written.
  const larger = Buffer.allocUnsafe(Math.min(Math.max(bytes, held.length * 2), httpLimits.bodyBytesMax));
  if (usedBytes > 0) larger.set(held.subarray(0, usedBytes));
  return larger;
}

/** The refusal of a body that was sent so slowly that others need its room. */
function noRoom(): BadRequest {
  const most = httpLimits.gatheredBodiesBytesMax;
  const text = `the body came too slowly: more than ${most} bytes of bodies were on their way at once`;
  return new BadRequest(text, { status: 503, headers: { 'retry-after': String(RETRY_SECONDS.unavailable) } });
}

/** A body on its way. */
export interface Gathering {
  /** Its client has gone. */
  gone(): void;
}

/**
 * Gathers the body and calls exactly one of the two functions, once; neither when the client goes away first.
 * Must be called before the route's handler returns.
 * @param room holds what has come of bodies whose rest has not
 * @param onBody gets the body for as long as it runs: afterwards the bytes may be gone
 */
export function readBody(
  res: HttpResponse,
  room: HeldBytes,
  onBody: (body: Uint8Array) => void,
  onRefused: (refusal: BadRequest) => void,
): Gathering {
  let held = EMPTY_BODY;
  let usedBytes = 0;
  let isOver = false;
  const end = (): void => {
    isOver = true;
    held = EMPTY_BODY;
    room.release(holder);
  };
  const holder = {
    cut: (): void => {
      end();
      setImmediate(onRefused, noRoom()); // this is called while another response is at work
    },
  };
  res.onData((chunk, isLast) => {
    if (isOver) return;
    const bytes = usedBytes + chunk.byteLength;
    if (bytes > httpLimits.bodyBytesMax) {
      end();
      onRefused(bodyTooLarge(httpLimits.bodyBytesMax + 1));
      return;
    }
    if (isLast && usedBytes === 0) {
      isOver = true;
      onBody(new Uint8Array(chunk));
      return;
    }
    if (chunk.byteLength > 0) {
      if (bytes > held.length) {
        held = grown(held, usedBytes, bytes);
        room.hold(holder, held.length);
      }
      held.set(new Uint8Array(chunk), usedBytes);
      usedBytes = bytes;
    }
    if (!isLast) return;
    const body = held.subarray(0, usedBytes);
    end();
    onBody(body);
  });
  return { gone: end };
}

/** How many of a byte there are, up to `most`: searched natively, since honest bodies have a handful. */
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
    throw new BadRequest(`the body nests arrays and objects deeper than ${deepest} levels, which is the limit`);
  }
}

/**
 * The value of a JSON body.
 * @throws BadRequest when it is not UTF-8, not JSON or nested too deep
 */
export function parseJson(body: Uint8Array): unknown {
  if (!isUtf8(body)) throw new BadRequest('the body is not valid UTF-8');
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  requireShallow(buffer);
  try {
    return JSON.parse(buffer.toString('utf8'));
  } catch (error) {
    // V8's text quotes the beginning of the body and the place; the body itself can be long.
    throw new BadRequest(`the body is not JSON: ${reasonOf(error).slice(0, 120)}`);
  }
}
