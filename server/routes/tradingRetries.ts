// Makes it safe to send an order again: the headers by which a client states until when its order may be accepted and that
// it wants the first answer repeated, and the answer to a duplicate. Called by the trading routes.

import { OrderType } from '../../engine/index.ts';
import type { PlacementCommand } from '../commands/orderIntake.ts';
import type { HttpRequest, Reply } from '../http/endpoint.ts';
import { parseWhole } from '../lib/decimals.ts';
import type { Services } from '../services.ts';
import type { Order, Trade, Views } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { type Original, originalJson } from '../wire/originals.ts';
import { type RejectionReply, rejectionReply } from '../wire/rejections.ts';
import { orderTypeOf } from '../wire/terms.ts';

/** The headers, in lower case. */
const IDEMPOTENT_HEADER = 'idempotent';
const VALID_UNTIL_HEADER = 'x-valid-until-ms';

/** The code of the refusal of an order that would be accepted too late. */
const TOO_LATE = 'too_late';

export interface RetryTerms {
  /** Whether a duplicate is answered as its first copy was. */
  readonly isIdempotent: boolean;
  /** The exchange's time (ms) after which the order must be refused; Infinity if there is no limit. */
  readonly validUntilMs: number;
}

const NO_TERMS: RetryTerms = { isIdempotent: false, validUntilMs: Number.POSITIVE_INFINITY };

/** Reads the headers of a request. @throws BadRequest for an invalid value */
export function readRetryTerms({ header }: HttpRequest): RetryTerms {
  const idempotent = header(IDEMPOTENT_HEADER);
  const validUntil = header(VALID_UNTIL_HEADER);
  if (idempotent === '' && validUntil === '') return NO_TERMS;
  if (!['', '0', '1'].includes(idempotent)) {
    throw new BadRequest('invalid_field: Idempotent: it must be 1, 0 or left out');
  }
  const validUntilMs = validUntil === '' ? Number.POSITIVE_INFINITY : parseWhole(validUntil);
  if (validUntilMs === undefined) {
    throw new BadRequest('invalid_field: X-Valid-Until-Ms: it must be unix milliseconds, as digits');
  }
  return { isIdempotent: idempotent === '1', validUntilMs };
}

/**
 * The refusal of an order that would be accepted too late; undefined if it is in time. Call it directly before the order is
 * submitted; it uses the clock that stamps it.
 */
export function latenessOf({ validUntilMs }: RetryTerms, services: Services): RejectionReply | undefined {
  const nowMs = services.exchange.now();
  if (nowMs <= validUntilMs) return undefined;
  return {
    status: 400,
    text: `the order is too late: it was valid until ${validUntilMs} and the exchange's time is ${nowMs}`,
    extra: { code: TOO_LATE, valid_until_ms: validUntilMs, server_ts_ms: nowMs },
    duplicate: 'possible',
  };
}

/** Whether a refusal is that of an order that would be accepted too late. */
export const isLate = ({ extra }: RejectionReply): boolean => extra?.code === TOO_LATE;

/** The state of an order that the views still hold, as JSON text. */
function originalInViews(order: Order, { markets, trades }: Views): string {
  const taken: Trade[] = [];
  // A delayed order trades only when it is released: its first answer names no trades. Any other takes before it rests.
  const count = order.wasDelayed ? 0 : order.trades.length;
  for (let at = 0; at < count; at += 1) {
    const trade = trades.byNumber(order.marketIndex, order.trades.at(at));
    if (trade?.taker.id !== order.id) break;
    taken.push(trade);
  }
  return originalJson({ ...order, taken }, markets.of(order));
}

/** The state of the caller's earlier accepted or killed order; undefined if there is none. */
async function originalOf(
  { orderId, owner }: PlacementCommand,
  { views, historian }: Services,
): Promise<Original | undefined> {
  const order = views.orders.byId(orderId);
  if (order !== undefined) return JSON.parse(originalInViews(order, views)) as Original; // written by originalJson
  const found = await historian.ask({ query: { kind: 'original', orderId, owner }, dialect: 'polymarket' });
  return found && (JSON.parse(Buffer.from(found).toString('utf8')) as Original); // written by originalJson too
}

/**
 * The first answer to a killed order, without the figure that is given only once. The type is that of the first copy: it is
 * not signed, so this copy may name another.
 */
function killedReply({ order }: Original, orderId: string): RejectionReply {
  const name = orderTypeOf(order.order_type) === OrderType.FOK ? 'FOK_NOT_FILLED' : 'FAK_NOT_MATCHED';
  const { status, text } = rejectionReply(name, 0, 0, 0, { orderId });
  return { status, text, extra: { orderID: orderId } };
}

/** The header of a reply that repeats a first answer. */
export const REPLAYED = { 'idempotent-replayed': 'true' } as const;

/** A reply whose body is text. */
export type TextReply = Reply & { readonly body: string };

/** Whether the answer to an order repeats its first one. */
export const isReplay = ({ headers }: TextReply | RejectionReply): boolean => headers === REPLAYED;

/**
 * The answer to a refused order. For a duplicate it reports the order's state, or repeats the first answer. An idempotent
 * request gets the latter also if a check before the one for duplicates refuses the order: its first copy may have been
 * accepted.
 */
export async function refusalAnswer(
  refusal: RejectionReply,
  placement: PlacementCommand,
  { isIdempotent }: RetryTerms,
  services: Services,
): Promise<TextReply | RejectionReply> {
  const { duplicate } = refusal;
  if (duplicate === undefined || (duplicate === 'possible' && !isIdempotent)) return refusal;
  const original = await originalOf(placement, services);
  if (original === undefined) return refusal;
  if (!isIdempotent) return { ...refusal, extra: { detail: { original: original.order } } };
  if (original.placed === null) return { ...killedReply(original, placement.orderId), headers: REPLAYED };
  return { body: JSON.stringify(original.placed), headers: REPLAYED };
}
