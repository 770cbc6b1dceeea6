// Parses the bodies of cancel requests and writes the one reply they share (wire.md C.4). Called by the trading routes. It
// does not know which orders exist or whose they are.
import { CancelRefusal, limits } from '../../engine/index.ts';
import { isUint256Decimal } from '../auth/uint256.ts';
import { isAbsent, isFields } from '../lib/jsonFields.ts';
import { BadRequest } from './badRequest.ts';
import { readConditionId, readOrderId } from './readIds.ts';

/** The order id of a DELETE /order body: `{orderID}` or `{orderId}`. @throws BadRequest */
export function parseCancel(body: unknown): string {
  if (!isFields(body)) throw new BadRequest('Invalid orderID: the body must be an object with orderID');
  return readOrderId(body.orderID ?? body.orderId);
}

/** The ids of a DELETE /orders body in the given order, without duplicates. @throws BadRequest */
export function parseCancelMany(body: unknown): readonly string[] {
  if (!Array.isArray(body)) throw new BadRequest('Invalid order payload: the body must be a list of order ids');
  if (body.length > limits.cancelIdsMax) {
    throw new BadRequest(`Too many orders in payload, max allowed: ${limits.cancelIdsMax}`);
  }
  return [...new Set(body.map(readOrderId))];
}

/** The filter of DELETE /cancel-market-orders; both absent = all orders. */
export interface CancelFilter {
  /** Condition id, lower case. */
  readonly market: string | undefined;
  /** Token id. */
  readonly assetId: string | undefined;
}

/** Parses a DELETE /cancel-market-orders body; absent, null and empty values mean no filter. @throws BadRequest */
export function parseCancelFilter(body: unknown): CancelFilter {
  if (body === undefined || body === null) return { market: undefined, assetId: undefined };
  if (!isFields(body)) throw new BadRequest('Invalid order payload: the body must be an object');
  const market = isAbsent(body.market) ? undefined : readConditionId(body.market);
  const assetId = isAbsent(body.asset_id) ? body.assetId : body.asset_id;
  if (!isAbsent(assetId) && (typeof assetId !== 'string' || !isUint256Decimal(assetId))) {
    throw new BadRequest('Invalid asset_id: a token id is a string of digits');
  }
  return { market, assetId: isAbsent(assetId) ? undefined : String(assetId) };
}

const REFUSALS: Readonly<Record<number, string>> = {
  [CancelRefusal.NOT_FOUND]: 'Order not found or already canceled',
  [CancelRefusal.DELAYED]: 'order is delayed',
};

/** For the caller's own order that has already ended. Production's wording, by which bots know that they were too late. */
const TOO_LATE = "order can't be found - already canceled or matched";

/** An order id that was not cancelled, its CancelRefusal, and whether it is known to be the caller's own, ended order. */
export interface RefusedCancel {
  readonly orderId: string;
  readonly reason: number;
  readonly hasEnded: boolean;
}

const refusalText = ({ reason, hasEnded }: RefusedCancel): string => (hasEnded ? TOO_LATE : (REFUSALS[reason] ?? ''));

/** The reply to every cancel request as JSON text. */
export function cancelReplyJson(canceled: readonly string[], refused: readonly RefusedCancel[]): string {
  const reasons = refused.map((one) => `"${one.orderId}":"${refusalText(one)}"`);
  const ids = canceled.map((id) => `"${id}"`);
  return `{"canceled":[${ids.join(',')}],"not_canceled":{${reasons.join(',')}}}`;
}
