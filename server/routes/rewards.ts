// Rewards and rebates, which this exchange does not pay: every list is an empty last page, and no order scores (wire.md
// C.6). Thin: wire/ checks the parameters. Which markets offer rewards is in their own records, not here.

import type { Endpoint, Handler } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { readSignatureType } from '../wire/balances.ts';
import { END_CURSOR, pageJson, parseCursor } from '../wire/pages.ts';
import { readOrderId } from '../wire/readIds.ts';
import { readScoredOrderQuery, readScoredOrders, requireDate, requireMakerAddress } from '../wire/rewards.ts';
import * as schemas from '../wire/schemas/account.ts';
import type { EndpointSchema } from '../wire/schemas/endpointSchema.ts';
import { findMarket } from './markets.ts';

const PAGE_ROWS = 100;
const CURRENT_ROWS = 500;

const emptyPage = (rows: number) => ({ body: pageJson([], END_CURSOR, rows) });

const userRewards: Handler = (request) => {
  requireDate(request.query);
  readSignatureType(request.query);
  parseCursor(request.query.get('next_cursor'));
  return emptyPage(PAGE_ROWS);
};

const userTotal: Handler = (request) => {
  requireDate(request.query);
  readSignatureType(request.query);
  return { body: '[]' };
};

const userPercentages: Handler = (request) => {
  readSignatureType(request.query);
  return { body: '{}' };
};

const currentRewards: Handler = (request) => {
  parseCursor(request.query.get('next_cursor'));
  return emptyPage(CURRENT_ROWS);
};

const marketRewards: Handler = (request, { services: { views } }) => {
  findMarket(request, views);
  parseCursor(request.query.get('next_cursor'));
  return emptyPage(PAGE_ROWS);
};

const manyMarketsRewards: Handler = (request) => {
  parseCursor(request.query.get('next_cursor'));
  return emptyPage(PAGE_ROWS);
};

const rebates: Handler = (request) => {
  requireDate(request.query);
  requireMakerAddress(request.query);
  return { body: '[]' };
};

/** Whether the order is the owner's, no matter how long ago it ended. */
async function isOwn({ views, historian }: Services, id: string, owner: string): Promise<boolean> {
  const order = views.orders.byId(id);
  if (order !== undefined) return order.owner === owner;
  return (await historian.ask({ query: { kind: 'order', orderId: id, owner }, dialect: 'root' })) !== undefined;
}

const scoring: Handler = async (request, { services, caller }) => {
  const id = readOrderId(request.query.get('order_id') ?? undefined);
  if (!(await isOwn(services, id, caller().owner))) throw new BadRequest('Order not found', { status: 404 });
  return { body: '{"scoring":false}' };
};

/** Omits orders of other owners. */
async function scoringReply(ids: readonly string[], services: Services, owner: string) {
  const distinct = [...new Set(ids)];
  const areOwn = await Promise.all(distinct.map((id) => isOwn(services, id, owner)));
  const ownIds = distinct.filter((_, index) => areOwn[index]);
  return { body: `{${ownIds.map((id) => `"${id}":false`).join(',')}}` };
}

const manyScoring: Handler = (request, { services, caller }) =>
  scoringReply(readScoredOrders(request.json()), services, caller().owner);

const queriedScoring: Handler = (request, { services, caller }) =>
  scoringReply(readScoredOrderQuery(request.query), services, caller().owner);

const section = 'wire C.6';
const own = (
  method: 'GET' | 'POST',
  path: string,
  summary: string,
  schema: EndpointSchema,
  handler: Handler,
): Endpoint => ({
  method,
  path,
  auth: 'l2-read',
  throttle: 'general',
  section,
  summary,
  schema,
  handler,
});
const open = (path: string, summary: string, schema: EndpointSchema, handler: Handler): Endpoint => ({
  method: 'GET',
  path,
  auth: 'none',
  throttle: 'general',
  section,
  summary,
  schema,
  handler,
});

export const rewardsEndpoints: readonly Endpoint[] = [
  own(
    'GET',
    '/order-scoring',
    'Whether an order of the caller earns rewards: it never does.',
    schemas.orderScoring,
    scoring,
  ),
  own('POST', '/orders-scoring', 'The same for up to 500 orders.', schemas.ordersScoring, manyScoring),
  own('GET', '/orders-scoring', 'The same for up to 500 orders.', schemas.queriedOrdersScoring, queriedScoring),
  own('GET', '/rewards/user', 'Rewards of the caller on a day: an empty page.', schemas.userRewards, userRewards),
  own(
    'GET',
    '/rewards/user/total',
    'Total rewards of the caller on a day: an empty list.',
    schemas.userRewardsTotal,
    userTotal,
  ),
  own(
    'GET',
    '/rewards/user/percentages',
    'Reward percentages of the caller: none.',
    schemas.userRewardsPercentages,
    userPercentages,
  ),
  own(
    'GET',
    '/rewards/user/markets',
    'Rewards of the caller by market: an empty page.',
    schemas.userMarketRewards,
    userRewards,
  ),
  open('/rewards/markets/current', 'Current rewards: an empty page.', schemas.rewardsPage, currentRewards),
  open('/rewards/markets/multi', 'Rewards of several markets: an empty page.', schemas.rewardsPage, manyMarketsRewards),
  open('/rewards/markets/{condition_id}', 'Rewards of a market: an empty page.', schemas.marketRewards, marketRewards),
  open('/rebates/current', 'Rebates of a maker on a day: an empty list.', schemas.rebates, rebates),
];
