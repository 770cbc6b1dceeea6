// Reads the ids of orders and markets that requests name, in paths, queries and bodies. Called by the parsers of this folder and
// by routes, which know what exists.
import { isBytes32 } from '../auth/hex.ts';
import { BadRequest } from './badRequest.ts';

/** An order id in lower case. @throws BadRequest */
export const readOrderId = (value: unknown): string =>
  readBytes32(value, 'Invalid orderID: an order id is 0x and 64 hex digits');

/** A condition id in lower case. @throws BadRequest */
export const readConditionId = (value: unknown): string =>
  readBytes32(value, 'Invalid market: a condition id is 0x and 64 hex digits');

function readBytes32(value: unknown, refusal: string): string {
  if (typeof value !== 'string' || !isBytes32(value)) throw new BadRequest(refusal);
  return value.toLowerCase();
}
