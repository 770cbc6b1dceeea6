// Schemas of public market data: books, prices, histories, and markets in the order-book style (interface.md 2.4 to 2.6,
// wire.md C.2, C.3 and D). Referenced by the routes' tables, and by streams.ts.
import { z } from 'zod';
import { MARKETS_PER_REQUEST_MAX } from '../activity.ts';
import { EXAMPLE_BYTES32, EXAMPLE_TOKEN_ID } from '../examples.ts';
import {
  FIDELITY_MINUTES_MAX,
  PRICE_HISTORIES_MAX,
  PRICE_HISTORY_INTERVALS,
  PRICE_HISTORY_TIME_S_MAX,
} from '../priceHistory.ts';
import { marketStatusWords } from '../terms.ts';
import { TOKENS_PER_REQUEST_MAX } from '../tokens.ts';
import * as common from './common.ts';
import type { EndpointSchema } from './endpointSchema.ts';

const {
  address,
  bytes32,
  conditionPath,
  decimal,
  flag,
  isoTime,
  orEmpty,
  pageOf,
  secondsText,
  side,
  text,
  tokenId,
  whole,
} = common;

const levels = z.array(z.object({ price: decimal, size: decimal }));
export const book = z
  .object({
    market: bytes32,
    asset_id: tokenId,
    timestamp: common.millisecondsText.meta({ description: 'Time of the last change of the book' }),
    hash: z.string().regex(/^[0-9a-f]{40}$/),
    bids: levels,
    asks: levels,
    min_order_size: decimal,
    tick_size: common.tickText,
    neg_risk: flag,
    last_trade_price: orEmpty(decimal),
  })
  .meta({ id: 'Book', description: 'The order book of a token. The last price level of each side is the best' });

const oneToken = { token_id: common.givenTokenId };
const tokenList = z
  .array(z.looseObject({ token_id: common.givenTokenId, side: orEmpty(common.givenSide).nullish() }))
  .max(TOKENS_PER_REQUEST_MAX)
  .meta({ examples: [[{ token_id: EXAMPLE_TOKEN_ID, side: 'BUY' }]] });
const commaList = text.meta({ description: `Up to ${TOKENS_PER_REQUEST_MAX} comma-separated values` });
const listQuery = { token_ids: commaList.optional(), sides: commaList.optional() };
const mapOf = <Value extends z.ZodType>(value: Value) => z.record(tokenId, value);

/** The three forms of a market-data request: one token, a list in the body, a list in the query. */
const threeWays = (one: z.ZodType, many: z.ZodType) => ({
  one: { query: oneToken, reply: one } satisfies EndpointSchema,
  posted: { body: tokenList, reply: many } satisfies EndpointSchema,
  queried: { query: listQuery, reply: many } satisfies EndpointSchema,
});

export const books = threeWays(book, z.array(book));
const prices = z.object({ BUY: decimal.optional(), SELL: decimal.optional() });
export const pricesOf = {
  ...threeWays(prices, mapOf(prices)),
  /** Without tokens in the query it covers all of them; a body is ignored. */
  queried: { query: listQuery, reply: mapOf(prices) } satisfies EndpointSchema,
};
export const price: EndpointSchema = {
  query: { ...oneToken, side: common.givenSide },
  reply: z.object({ price: decimal }),
};
export const midpoints = threeWays(z.object({ mid: decimal }), mapOf(decimal));
export const spreads = threeWays(z.object({ spread: decimal }), mapOf(decimal));
const sideOrNone = orEmpty(side);
export const lastTrades = threeWays(
  z.object({ price: decimal, side: sideOrNone }),
  z.array(z.object({ token_id: tokenId, price: decimal, side: sideOrNone })),
);

/** A property of a token, with the token in the query or in the path. */
const property = (reply: z.ZodType) => ({
  queried: { query: oneToken, reply } satisfies EndpointSchema,
  inPath: { path: oneToken, reply } satisfies EndpointSchema,
});
export const tickSize = property(z.object({ minimum_tick_size: common.tickNumber }));
export const negRisk = property(z.object({ neg_risk: flag }));
export const feeRate = property(z.object({ base_fee: common.baseFee }));

const point = z.object({ t: common.seconds, p: common.priceNumber });
const interval = z
  .enum(PRICE_HISTORY_INTERVALS)
  .meta({ description: 'How far back from the end: 1m is a month of 30 days, 5m and 15m are minutes' });
const fidelity = z.int().min(1).max(FIDELITY_MINUTES_MAX).meta({ description: 'Minutes between points' });
const marketKey = z
  .string()
  .regex(/^([0-9]{1,78}|0x[0-9a-fA-F]{64})$/)
  .meta({ description: 'A token id, or a condition id for the first token of the market' });
const historyTime = common.givenSeconds.max(PRICE_HISTORY_TIME_S_MAX);
const range = {
  startTs: historyTime.optional(),
  start_ts: historyTime.optional(),
  endTs: historyTime.optional(),
  end_ts: historyTime.optional(),
  interval: interval.optional(),
  fidelity: fidelity.optional(),
};
export const pricesHistory: EndpointSchema = {
  query: { market: marketKey.optional(), token_id: marketKey.optional(), ...range },
  reply: z.object({ history: z.array(point) }),
};
/** Numbers in a body may be texts; an empty text counts as absent. */
const figureOf = (number: z.ZodType) => z.union([number, common.wholeText, z.literal('')]).nullish();
export const batchPricesHistory: EndpointSchema = {
  body: z
    .looseObject({
      markets: z.array(marketKey).max(PRICE_HISTORIES_MAX),
      startTs: figureOf(historyTime),
      start_ts: figureOf(historyTime),
      endTs: figureOf(historyTime),
      end_ts: figureOf(historyTime),
      interval: orEmpty(interval).nullish(),
      fidelity: figureOf(fidelity),
    })
    .meta({ examples: [{ markets: [EXAMPLE_TOKEN_ID], interval: '1d', fidelity: 60 }] }),
  reply: z.object({ history: z.record(marketKey, z.array(point)) }),
};

const everyForm = {
  active: flag,
  closed: flag,
  archived: flag,
  accepting_orders: flag,
  condition_id: bytes32,
  neg_risk: flag,
  question: text,
  tokens: z.array(z.object({ token_id: tokenId, outcome: text, price: common.priceNumber, winner: flag })).length(2),
  rewards: common.marketRewards,
};
export const fullFields = {
  ...everyForm,
  enable_order_book: flag,
  accepting_order_timestamp: isoTime,
  minimum_order_size: z.number(),
  minimum_tick_size: common.tickNumber,
  question_id: bytes32,
  description: text,
  market_slug: text,
  end_date_iso: common.operatorTime.nullable(),
  game_start_time: common.operatorTime.nullable(),
  seconds_delay: whole,
  fpmm: text,
  maker_base_fee: common.baseFee,
  taker_base_fee: common.baseFee,
  notifications_enabled: flag,
  neg_risk_market_id: orEmpty(bytes32).meta({
    description: 'The id that all markets of a neg-risk event share; empty for other markets',
  }),
  neg_risk_request_id: text,
  icon: text,
  image: text,
  is_50_50_outcome: flag,
  tags: z.array(text),
};
const listFields = {
  status: z.enum(marketStatusWords).exclude(['draft']),
  market_id: whole,
  slug: text,
  assets_ids: z.array(tokenId).length(2),
  outcomes: z.array(text).length(2),
};
const fullMarket = z
  .object(fullFields)
  .meta({ id: 'FullMarket', description: 'A market in the list of GET /markets with a cursor' });
export const detailFields = {
  ...fullFields,
  ...listFields,
  event: z.object({ id: z.string().regex(/^[0-9]*$/), slug: text, title: text, ticker: text, description: text }),
  raw_metadata: z.looseObject({}),
};
const detailMarket = z
  .object(detailFields)
  .meta({ id: 'DetailMarket', description: 'A full market record, in the order-book format' });
const simplifiedMarket = z
  .object({ ...everyForm, ...listFields })
  .meta({ id: 'SimplifiedMarket', description: 'A short market record, in the order-book format' });

export const markets: EndpointSchema = { query: common.cursorQuery, reply: pageOf(fullMarket) };
export const simplifiedMarkets: EndpointSchema = { query: common.cursorQuery, reply: pageOf(simplifiedMarket) };
export const samplingMarkets: EndpointSchema = { query: common.cursorQuery, reply: pageOf(detailMarket) };
export const samplingSimplifiedMarkets: EndpointSchema = {
  query: common.cursorQuery,
  reply: pageOf(simplifiedMarket),
};

const compactMarket = z
  .object({
    c: bytes32,
    t: z.array(z.object({ t: tokenId, o: text })).length(2),
    mts: common.tickNumber,
    mos: z.number(),
    nr: z.literal(true).optional(),
    mbf: common.baseFee,
    tbf: common.baseFee,
    fd: z.object({ r: z.number(), e: whole, to: flag }).optional(),
    r: z
      .object({ mi: z.number(), ma: z.number(), e: z.literal(true) })
      .nullable()
      .meta({
        description: 'Rewards: minimum size, maximum spread, and that rewards are offered; null if there are none',
      }),
    ao: flag,
    sd: whole,
    gst: common.operatorTime.optional(),
    cbos: flag,
    aot: isoTime,
    rfqe: flag,
    itode: flag,
    ibce: flag,
    oas: whole,
  })
  .meta({ id: 'CompactMarket', description: 'The data that a client needs to trade a market' });
export const clobMarket: EndpointSchema = { path: conditionPath, reply: compactMarket };
export const marketOfToken: EndpointSchema = {
  path: oneToken,
  reply: z.object({ condition_id: bytes32, primary_token_id: tokenId, secondary_token_id: tokenId }),
};

const tradeEvents = z.array(
  z
    .object({
      event_type: z.literal('trade'),
      market: z.object({ condition_id: bytes32, asset_id: tokenId, question: text, icon: text, slug: text }),
      user: z.object({
        address,
        username: text,
        profile_picture: text,
        optimized_profile_picture: text,
        pseudonym: text,
      }),
      side,
      size: decimal,
      fee_rate_bps: decimal,
      price: decimal,
      outcome: text,
      outcome_index: whole,
      transaction_hash: bytes32,
      timestamp: secondsText,
    })
    .meta({ id: 'TradeEvent', description: 'A trade, from the perspective of its taker' }),
);
export const liveActivity: EndpointSchema = { path: conditionPath, reply: tradeEvents };
export const manyLiveActivity: EndpointSchema = {
  body: z
    .array(common.givenBytes32)
    .max(MARKETS_PER_REQUEST_MAX)
    .meta({ examples: [[EXAMPLE_BYTES32]] }),
  reply: tradeEvents,
};
