// Parses the days and orders in requests about rewards and scoring (wire.md C.6). Called by the routes of rewards. The
// exchange pays no rewards, so all replies are empty; malformed requests are refused all the same.
import { isAddress } from '../auth/hex.ts';
import { BadRequest } from './badRequest.ts';
import { boundCount } from './bodies.ts';
import { dayStartMs } from './numbers.ts';
import { readOrderId } from './readIds.ts';

/** Most orders that one request may ask about. */
export const SCORING_ORDERS_MAX = 500;

/** Checks that the parameter `date` is a calendar day. @throws BadRequest */
export function requireDate(query: URLSearchParams): void {
  if (Number.isNaN(dayStartMs(query.get('date') ?? ''))) throw new BadRequest('Invalid date (format: YYYY-MM-DD)');
}

/** Checks that the parameter `maker_address`, if given, is an address. @throws BadRequest */
export function requireMakerAddress(query: URLSearchParams): void {
  const text = query.get('maker_address') ?? '';
  if (text !== '' && !isAddress(text)) {
    throw new BadRequest('Invalid maker_address: an address is 0x and 40 hex digits');
  }
}

/** The orders of the body `["0x…"]`. @throws BadRequest */
export function readScoredOrders(body: unknown): readonly string[] {
  if (!Array.isArray(body)) throw new BadRequest('Invalid payload: the body must be a list of order ids');
  boundCount(body.length, SCORING_ORDERS_MAX);
  return body.map(readOrderId);
}

/** The orders of the query `order_ids=0x…,0x…`. @throws BadRequest */
export function readScoredOrderQuery(query: URLSearchParams): readonly string[] {
  const text = query.get('order_ids') ?? '';
  if (text === '') throw new BadRequest('Invalid payload: order_ids must list order ids, such as order_ids=0x…,0x…');
  const parts = text.split(',');
  boundCount(parts.length, SCORING_ORDERS_MAX);
  return parts.map((part) => readOrderId(part.trim()));
}
