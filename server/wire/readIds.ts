// Reads the ids of orders and markets and the addresses that requests name, in paths, queries and bodies. Called by the
// parsers of this folder and by routes, which know what exists.
import { isAddress, isBytes32 } from '../auth/hex.ts';
import { BadRequest } from './badRequest.ts';

/** An order id in lower case. @throws BadRequest */
export const readOrderId = (value: unknown): string =>
  readBytes32(value, 'Invalid orderID: an order id is 0x and 64 hex digits');

/** A condition id in lower case. @throws BadRequest */
export const readConditionId = (value: unknown): string =>
  readBytes32(value, 'Invalid market: a condition id is 0x and 64 hex digits');

/** The address in a parameter `address`, in lower case. @throws BadRequest */
export function readAddress(value: string | null): string {
  if (value === null || !isAddress(value)) throw new BadRequest('Invalid address: an address is 0x and 40 hex digits');
  return value.toLowerCase();
}

function readBytes32(value: unknown, refusal: string): string {
  if (typeof value !== 'string' || !isBytes32(value)) throw new BadRequest(refusal);
  return value.toLowerCase();
}
