// Markets in the order-book style: the lists with cursors, the detail record, the compact record, and a token's condition
// (interface.md 4.3, wire.md C.3). Thin: rows come from the views, shapes from wire/markets.ts. Draft markets are invisible
// here.

import { MarketStatus } from '../../engine/index.ts';
import { groupOfPath } from '../config/throttleTable.ts';
import type { Context, Endpoint, Handler, HttpRequest, ReplySteps } from '../http/endpoint.ts';
import { inSteps } from '../http/rowsReply.ts';
import { isListed, type Market, type TokenPlace, type Views } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import {
  compactRecord,
  detailRecord,
  fullRecord,
  hasRewards,
  keptRows,
  simplifiedRecord,
  tokenConditionRecord,
} from '../wire/markets.ts';
import { findPage, pagePieces, parseCursor, search } from '../wire/pages.ts';
import { readConditionId } from '../wire/readIds.ts';
import type { EndpointSchema } from '../wire/schemas/endpointSchema.ts';
import * as schemas from '../wire/schemas/marketData.ts';
import { readOneTokenId } from '../wire/tokens.ts';

/** Rows of one page of any market list. */
const PAGE_ROWS = 500;

/** Whether a market is in the sampling lists: it takes orders and offers rewards to makers. */
const isSampled = (market: Market): boolean => market.status === MarketStatus.OPEN && hasRewards(market);

/** The work of examining a market, as a share of that of a trade. */
const MARKET_WORK = 1 / 20;

/** The markets from the cursor on, without copying the list. */
function* marketsFrom(all: readonly Market[], after: number | undefined): Generator<Market> {
  for (let index = after === undefined ? 0 : after + 1; index < all.length; index += 1) yield all[index];
}

/** A page of the markets of a list, oldest first. Its steps may wait for long, so they hold no request. */
function listOf(isIn: (market: Market) => boolean, rowOf: ReturnType<typeof keptRows>): Handler {
  return ({ query }: HttpRequest, { services: { views, catalog } }: Context): ReplySteps => {
    const cursor = parseCursor(query.get('next_cursor'));
    function* reply(): ReplySteps {
      const found = search(marketsFrom(views.markets.list(), cursor.after), isIn, () => MARKET_WORK);
      const { rows, nextCursor } = yield* findPage(found, ({ index }) => index, false, cursor, PAGE_ROWS);
      const render = (market: Market): Uint8Array => rowOf(catalog, market);
      return { body: yield* inSteps(pagePieces(rows, render, nextCursor, PAGE_ROWS)) };
    }
    return reply();
  };
}

/** GET /markets in its cursor form; the path is shared with the catalog (catalog/bothForms.ts). */
export const cursorMarkets = listOf(isListed, keptRows(fullRecord));

/** The market of the condition id in the path. @throws BadRequest 400 for a malformed id, 404 for an unknown one */
export function findMarket({ params }: HttpRequest, { markets }: Views): Market {
  const market = markets.byCondition(readConditionId(params.condition_id));
  if (market === undefined || !isListed(market)) throw new BadRequest('market not found', { status: 404 });
  return market;
}

/** The token in the path or the query. @throws BadRequest 400 for a malformed id, 404 with `text` for an unknown one */
export function findToken({ params, query }: HttpRequest, { markets }: Views, text: string): TokenPlace {
  const place = markets.byToken(readOneTokenId(params.token_id, query));
  if (place === undefined || !isListed(place.market)) throw new BadRequest(text, { status: 404 });
  return place;
}

const compactMarket: Handler = (request, { services: { views } }) => ({
  body: JSON.stringify(compactRecord(findMarket(request, views))),
});

const marketOfToken: Handler = (request, { services: { views } }) => ({
  body: JSON.stringify(tokenConditionRecord(findToken(request, views, 'market not found').market)),
});

function endpoint(path: string, section: string, summary: string, schema: EndpointSchema, handler: Handler): Endpoint {
  return { method: 'GET', path, auth: 'none', throttle: groupOfPath('GET', path), section, summary, schema, handler };
}

const simplifiedRows = keptRows(simplifiedRecord);

export const marketsEndpoints: readonly Endpoint[] = [
  endpoint(
    '/simplified-markets',
    'interface 4.3',
    'All markets, in short form.',
    schemas.simplifiedMarkets,
    listOf(isListed, simplifiedRows),
  ),
  endpoint(
    '/sampling-markets',
    'interface 4.3',
    'Markets that accept orders and offer rewards.',
    schemas.samplingMarkets,
    listOf(isSampled, keptRows(detailRecord)),
  ),
  endpoint(
    '/sampling-simplified-markets',
    'interface 4.3',
    'Markets that accept orders and offer rewards, in short form.',
    schemas.samplingSimplifiedMarkets,
    listOf(isSampled, simplifiedRows),
  ),
  endpoint(
    '/clob-markets/{condition_id}',
    'wire C.3',
    'The data that a client needs to trade a market.',
    schemas.clobMarket,
    compactMarket,
  ),
  endpoint('/markets-by-token/{token_id}', 'wire C.3', 'The market of a token.', schemas.marketOfToken, marketOfToken),
];
