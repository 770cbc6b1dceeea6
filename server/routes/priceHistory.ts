// Histories of midpoints: GET /prices-history and POST /batch-prices-history (wire.md C.2, interface.md 2.6). Thin:
// wire/priceHistory.ts parses the request, points come from the view. A market that is over keeps its history.

import type { Endpoint, Handler } from '../http/endpoint.ts';
import { rowsReply } from '../http/rowsReply.ts';
import type { Services } from '../services.ts';
import { isListed, type TokenPlace, type Views } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { unixSeconds } from '../wire/numbers.ts';
import {
  type PriceHistoryRequest,
  priceHistoryJson,
  readPriceHistoryBody,
  readPriceHistoryQuery,
} from '../wire/priceHistory.ts';
import * as schemas from '../wire/schemas/marketData.ts';

/** The token with a token id, or the first token of a condition id; undefined if it is unknown or not public. */
function findToken({ markets }: Views, key: string): TokenPlace | undefined {
  const market = key.startsWith('0x') ? markets.byCondition(key.toLowerCase()) : undefined;
  const place = market === undefined ? markets.byToken(key) : ({ market, outcome: 0 } as const);
  return place !== undefined && isListed(place.market) ? place : undefined;
}

const oneHistory: Handler = (request, { services: { views, exchange } }) => {
  const { markets, range } = readPriceHistoryQuery(request.query);
  const place = findToken(views, markets[0]);
  if (place === undefined) throw new BadRequest('market not found', { status: 404 });
  const nowS = unixSeconds(exchange.now());
  return { body: `{"history":${priceHistoryJson(views.midpoints, place.market, place.outcome, range, nowS)}}` };
};

/** The histories under the requested keys, without those that do not exist. Each ends at the present. */
function* histories({ markets, range }: PriceHistoryRequest, { views, exchange }: Services): Generator<string> {
  for (const key of new Set(markets)) {
    const place = findToken(views, key);
    if (place === undefined) continue;
    const nowS = unixSeconds(exchange.now());
    yield `"${key}":${priceHistoryJson(views.midpoints, place.market, place.outcome, range, nowS)}`;
  }
}

const manyHistories: Handler = (request, { services }) =>
  rowsReply(histories(readPriceHistoryBody(request.json()), services), ['{"history":{', '}}']);

export const priceHistoryEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/prices-history',
    auth: 'none',
    throttle: 'GET /prices-history',
    section: 'wire C.2',
    summary: 'Midpoints of a token over time.',
    schema: schemas.pricesHistory,
    handler: oneHistory,
  },
  {
    method: 'POST',
    path: '/batch-prices-history',
    auth: 'none',
    throttle: 'POST /batch-prices-history',
    section: 'interface 4.4, wire C.2',
    summary: 'Midpoints of up to 20 tokens over time.',
    schema: schemas.batchPricesHistory,
    handler: manyHistories,
  },
];
