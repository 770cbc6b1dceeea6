// Public market data of tokens: books, prices, midpoints, spreads, last trades, tick, neg-risk and fee (wire.md C.2,
// interface.md 4.4). Thin: wire/tokens.ts parses the tokens, views hold them, wire/ renders them. Lists omit tokens that
// have no book; a request for one such token is a 404.

import { groupOfPath } from '../config/throttleTable.ts';
import type { Endpoint, Handler, HttpRequest, ReplySteps } from '../http/endpoint.ts';
import { rowsReply } from '../http/rowsReply.ts';
import { hasBook, type TokenPlace, type Views } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { bookJson } from '../wire/books.ts';
import { baseFee } from '../wire/markets.ts';
import { pipsText } from '../wire/numbers.ts';
import { lastTradeOf, midpointText, NO_LAST_TRADE, pricesJson, priceText, spreadText } from '../wire/prices.ts';
import type { EndpointSchema } from '../wire/schemas/endpointSchema.ts';
import * as schemas from '../wire/schemas/marketData.ts';
import { parseTokenList, queryTokenList, readSide, type TokenQuery } from '../wire/tokens.ts';
import { findToken } from './markets.ts';

const NO_BOOK = 'No orderbook exists for the requested token id';

/** The token of a request for data that only a token with a book has. */
function findBook(request: HttpRequest, views: Views): TokenPlace {
  const place = findToken(request, views, NO_BOOK);
  if (!hasBook(place.market)) throw new BadRequest(NO_BOOK, { status: 404 });
  return place;
}

interface Found {
  readonly query: TokenQuery;
  readonly place: TokenPlace;
}

/** The known tokens of a list in the requested order, without duplicates. */
function findTokens(queries: readonly TokenQuery[], views: Views): readonly Found[] {
  const found = new Map<string, Found>();
  for (const query of queries) {
    const place = views.markets.byToken(query.tokenId);
    if (place === undefined) continue;
    const before = found.get(query.tokenId);
    // A token requested with both sides gets both prices.
    const isOther = before !== undefined && before.query.side !== query.side;
    found.set(query.tokenId, { query: isOther ? { ...query, side: undefined } : query, place });
  }
  return [...found.values()];
}

/** The tokens of the body, or else of the query. @throws BadRequest if there are neither */
function listOf(request: HttpRequest): readonly TokenQuery[] {
  const body = request.json();
  if (body !== undefined) return parseTokenList(body);
  const fromQuery = queryTokenList(request.query);
  if (fromQuery === undefined) throw new BadRequest('Invalid payload');
  return fromQuery;
}

/** The rows of the tokens that have a book when they are rendered. */
function* rowsOf(found: readonly Found[], textOf: (one: Found) => string): Generator<string> {
  for (const one of found) if (hasBook(one.place.market)) yield textOf(one);
}

/** A reply that maps token ids to values. */
const mapReply = (found: readonly Found[], textOf: (one: Found) => string): ReplySteps =>
  rowsReply(
    rowsOf(found, (one) => `"${one.query.tokenId}":${textOf(one)}`),
    ['{', '}'],
  );

const book: Handler = (request, { services: { views } }) => {
  const { market, outcome } = findBook(request, views);
  return { body: bookJson(views, market, outcome) };
};

const books: Handler = (request, { services: { views } }) => {
  const found = findTokens(listOf(request), views);
  return rowsReply(
    rowsOf(found, ({ place }) => bookJson(views, place.market, place.outcome)),
    ['[', ']'],
  );
};

const price: Handler = (request, { services: { views } }) => {
  const place = findBook(request, views);
  return { body: `{"price":"${priceText(views, place, readSide(request.query.get('side')))}"}` };
};

const pricesReply = (queries: readonly TokenQuery[], views: Views): ReplySteps =>
  mapReply(findTokens(queries, views), ({ query, place }) => pricesJson(views, place, query.side));

const prices: Handler = (request, { services: { views } }) => pricesReply(listOf(request), views);

/** Both prices of both tokens of every market that has a book. */
function* allPrices(views: Views): Generator<string> {
  for (const market of views.markets.list()) {
    if (!hasBook(market)) continue;
    for (const outcome of [0, 1] as const) {
      yield `"${market.tokens[outcome]}":${pricesJson(views, { market, outcome }, undefined)}`;
    }
  }
}

/** Without tokens in the query: the prices of all. */
const queriedPrices: Handler = (request, { services: { views } }) => {
  const queries = queryTokenList(request.query);
  return queries === undefined ? rowsReply(allPrices(views), ['{', '}']) : pricesReply(queries, views);
};

const midpoint: Handler = (request, { services: { views } }) => ({
  body: `{"mid":"${midpointText(views, findBook(request, views))}"}`,
});

const midpoints: Handler = (request, { services: { views } }) =>
  mapReply(findTokens(listOf(request), views), ({ place }) => `"${midpointText(views, place)}"`);

const spread: Handler = (request, { services: { views } }) => ({
  body: `{"spread":"${spreadText(views, findBook(request, views))}"}`,
});

const spreads: Handler = (request, { services: { views } }) =>
  mapReply(findTokens(listOf(request), views), ({ place }) => `"${spreadText(views, place)}"`);

const lastTradePrice: Handler = (request, { services: { views } }) => ({
  body: JSON.stringify(lastTradeOf(findToken(request, views, NO_BOOK)) ?? NO_LAST_TRADE),
});

/** Tokens without trades are left out. */
const lastTradesPrices: Handler = (request, { services: { views } }) => {
  const rows = new Map<string, object>();
  for (const { tokenId } of listOf(request)) {
    const place = views.markets.byToken(tokenId);
    const last = place === undefined ? undefined : lastTradeOf(place);
    if (last !== undefined) rows.set(tokenId, { token_id: tokenId, ...last });
  }
  return { body: JSON.stringify([...rows.values()]) };
};

/** The text of a price equals its JSON number. */
const tickSize: Handler = (request, { services: { views } }) => {
  const { market } = findToken(request, views, 'market not found');
  return { body: `{"minimum_tick_size":${pipsText(market.terms.tickPips)}}` };
};

const BASE_FEE_SUMMARY =
  'The cap of the fees of a token in basis points: 1000, or 0 without a fee. GET /clob-markets/{condition_id} has the rate.';

const negRisk: Handler = (request, { services: { views } }) => ({
  body: `{"neg_risk":${findToken(request, views, 'market not found').market.negRisk}}`,
});

const feeRate: Handler = (request, { services: { views } }) => ({
  body: `{"base_fee":${baseFee(findToken(request, views, 'fee rate not found for market').market)}}`,
});

function endpoint(
  method: 'GET' | 'POST',
  path: string,
  summary: string,
  schema: EndpointSchema,
  handler: Handler,
): Endpoint {
  const section = method === 'POST' ? 'interface 4.4, wire C.2' : 'wire C.2';
  const throttle = groupOfPath(method, path);
  return { method, path, auth: 'none', throttle, section, summary, schema, handler, badBodyText: 'Invalid payload' };
}

export const marketDataEndpoints: readonly Endpoint[] = [
  endpoint('GET', '/book', 'The order book of a token.', schemas.books.one, book),
  endpoint('POST', '/books', 'The order books of up to 500 tokens.', schemas.books.posted, books),
  endpoint('GET', '/books', 'The order books of up to 500 tokens.', schemas.books.queried, books),
  endpoint('GET', '/price', "The best price on one side of a token's book.", schemas.price, price),
  endpoint('POST', '/prices', 'The best prices of up to 500 tokens.', schemas.pricesOf.posted, prices),
  endpoint(
    'GET',
    '/prices',
    'The best prices of the given tokens, or of all tokens.',
    schemas.pricesOf.queried,
    queriedPrices,
  ),
  endpoint('GET', '/midpoint', 'The midpoint of a token.', schemas.midpoints.one, midpoint),
  endpoint('POST', '/midpoints', 'The midpoints of up to 500 tokens.', schemas.midpoints.posted, midpoints),
  endpoint('GET', '/midpoints', 'The midpoints of up to 500 tokens.', schemas.midpoints.queried, midpoints),
  endpoint('GET', '/spread', 'The spread of a token.', schemas.spreads.one, spread),
  endpoint('POST', '/spreads', 'The spreads of up to 500 tokens.', schemas.spreads.posted, spreads),
  endpoint('GET', '/spreads', 'The spreads of up to 500 tokens.', schemas.spreads.queried, spreads),
  endpoint(
    'GET',
    '/last-trade-price',
    'Price and side of the last trade of a token.',
    schemas.lastTrades.one,
    lastTradePrice,
  ),
  endpoint(
    'POST',
    '/last-trades-prices',
    'Last trades of up to 500 tokens.',
    schemas.lastTrades.posted,
    lastTradesPrices,
  ),
  endpoint(
    'GET',
    '/last-trades-prices',
    'Last trades of up to 500 tokens, given in the query or, as for POST, in the body.',
    schemas.lastTrades.queried,
    lastTradesPrices,
  ),
  endpoint('GET', '/tick-size', 'The tick size of a token.', schemas.tickSize.queried, tickSize),
  endpoint('GET', '/tick-size/{token_id}', 'The tick size of a token.', schemas.tickSize.inPath, tickSize),
  endpoint(
    'GET',
    '/neg-risk',
    'Whether the market of a token has the neg-risk flag.',
    schemas.negRisk.queried,
    negRisk,
  ),
  endpoint(
    'GET',
    '/neg-risk/{token_id}',
    'Whether the market of a token has the neg-risk flag.',
    schemas.negRisk.inPath,
    negRisk,
  ),
  endpoint('GET', '/fee-rate', BASE_FEE_SUMMARY, schemas.feeRate.queried, feeRate),
  endpoint('GET', '/fee-rate/{token_id}', BASE_FEE_SUMMARY, schemas.feeRate.inPath, feeRate),
];
