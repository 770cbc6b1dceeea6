// What makes it safe to send an order again: the headers by which a client says until when its order may be taken and that
// it wants the first answer once more, and what is told of an order that is there already. Called by the trading routes.
import { OrderType } from '../../engine/index.ts';
import type { HttpRequest, Reply } from '../http/endpoint.ts';
import { BadRequest } from '../http/errors.ts';
import type { Services } from '../services.ts';
import type { Trade } from '../views/index.ts';
import { parseWhole } from '../wire/numbers.ts';
import { type Original, originalJson } from '../wire/originals.ts';
import { type RejectionReply, rejectionReply } from '../wire/rejections.ts';
import type { PlacementCommand } from './orderIntake.ts';

/** The headers, in lower case. */
const IDEMPOTENT_HEADER = 'idempotent';
const VALID_UNTIL_HEADER = 'x-valid-until-ms';

export interface RetryTerms {
  /** A duplicate is to be answered as its first copy was. */
  readonly isIdempotent: boolean;
  /** The exchange's time (ms) after which the order must not be taken any more; Infinity for none. */
  readonly validUntilMs: number;
}

const NO_TERMS: RetryTerms = { isIdempotent: false, validUntilMs: Number.POSITIVE_INFINITY };

/**
 * Reads the headers of a request.
 * @throws BadRequest when one says something that it cannot say
 */
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
 * What refuses orders that arrive too late, undefined when they are in time. To be asked in the turn in which they are
 * submitted, by the clock that stamps them.
 */
export function latenessOf({ validUntilMs }: RetryTerms, services: Services): RejectionReply | undefined {
  const nowMs = services.exchange.now();
  if (nowMs <= validUntilMs) return undefined;
  return {
    status: 400,
    text: `the order arrived too late: it was valid until ${validUntilMs} and the exchange's time is ${nowMs}`,
    extra: { code: 'too_late', valid_until_ms: validUntilMs, server_ts_ms: nowMs },
    duplicate: 'possible',
  };
}

/** What became of an own order that was taken on or killed before; undefined where no such order is found. */
async function originalOf({ orderId, owner }: PlacementCommand, services: Services): Promise<Original | undefined> {
  const { views, historian } = services;
  const order = views.orders.byId(orderId);
  const market = order === undefined ? undefined : views.markets.byIndex(order.marketIndex);
  let text: string;
  if (order === undefined || market === undefined) {
    const found = await historian.ask({ query: { kind: 'original', orderId, owner }, dialect: 'polymarket' });
    if (found === undefined) return undefined;
    text = Buffer.from(found).toString('utf8');
  } else {
    const { wasDelayed, createdMs } = order;
    const isOwn = ({ taker, matchMs }: Trade): boolean => taker.id === order.id && matchMs === createdMs && !wasDelayed;
    const trades = order.trades.flatMap((place) => views.trades.byNumber(place.marketIndex, place.tradeNumber) ?? []);
    text = originalJson({ ...order, taken: trades.filter(isOwn) }, market);
  }
  return JSON.parse(text) as Original; // originalJson wrote it as one
}

/** The first answer to an order that was killed: without the figure that is told only once. */
function killedReply({ orderId, orderType }: PlacementCommand): RejectionReply {
  const name = orderType === OrderType.FOK ? 'FOK_NOT_FILLED' : 'FAK_NOT_MATCHED';
  const { status, text } = rejectionReply(name, 0, 0, 0, { orderId });
  return { status, text, extra: { orderID: orderId } };
}

const REPLAYED = { 'idempotent-replayed': 'true' } as const;

/** A reply in place of a refusal. */
export type Told = Reply & { readonly body: string };

/**
 * What to answer about a refused order. A duplicate tells what became of the order, or its first answer once more. That is
 * told too where only a check that comes before the one for duplicates refuses the order by now: it may have been taken on.
 */
export async function refusalAnswer(
  refusal: RejectionReply,
  placement: PlacementCommand,
  { isIdempotent }: RetryTerms,
  services: Services,
): Promise<Told | RejectionReply> {
  const { duplicate } = refusal;
  if (duplicate === undefined || (duplicate === 'possible' && !isIdempotent)) return refusal;
  const original = await originalOf(placement, services);
  if (original === undefined) return refusal;
  if (!isIdempotent) return { ...refusal, extra: { detail: { original: original.order } } };
  if (original.placed === null) return { ...killedReply(placement), headers: REPLAYED };
  return { body: JSON.stringify(original.placed), headers: REPLAYED };
}
