// Schemas of placing and cancelling orders, of heartbeats, and of the caller's own orders and trades (interface.md 2.7 to
// 2.9, wire.md B and C.4 to C.6). Referenced by the routes' tables, and by streams.ts.
import { z } from 'zod';
import { limits } from '../../../engine/index.ts';
import { ZERO_BYTES32 } from '../../auth/hex.ts';
import { orderStatuses } from '../../views/records.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_BYTES32, EXAMPLE_TOKEN_ID, EXAMPLE_UUID } from '../examples.ts';
import { ORDERS_PER_BATCH_MAX, SIGNATURE_CHARACTERS_MAX } from '../orderRequests.ts';
import { LISTED_TRADES_MAX } from '../orders.ts';
import * as common from './common.ts';
import type { EndpointSchema } from './endpointSchema.ts';

const { bytes32, checksumAddress, decimal, flag, isoTime, orderType, orEmpty, pageOf, refusal, secondsText, side } =
  common;
const { text, tokenId, tradeRole, tradeStatus, uuid, whole, wholeText } = common;

const hashOrNone = orEmpty(common.givenBytes32).nullish();

const EXAMPLE_SIGNATURE = `0x${'5a'.repeat(64)}1b`;

const signedOrder = z.looseObject({
  salt: z
    .union([whole, common.givenTokenId])
    .meta({ description: 'An integer up to 2^53 - 1, or a decimal uint256 as a string', examples: [1_234_567_890] }),
  maker: common.givenAddress.meta({ description: 'The wallet that pays' }),
  signer: common.givenAddress.meta({ description: 'The address that signs for the maker' }),
  tokenId: common.givenTokenId,
  makerAmount: wholeText.meta({
    description: 'The most that the maker gives, in millionths of a unit',
    examples: ['5500000'],
  }),
  takerAmount: wholeText.meta({
    description: 'The least that the maker receives in return, in millionths of a unit',
    examples: ['10000000'],
  }),
  side,
  signatureType: common.signatureType,
  timestamp: wholeText.meta({
    description: 'Unix milliseconds. Signed, and part of the order id',
    examples: ['1900000000000'],
  }),
  expiration: orEmpty(wholeText)
    .nullish()
    .meta({
      description: 'Unix seconds for GTD, 0 for other order types. Not signed',
      examples: ['0'],
    }),
  metadata: hashOrNone,
  builder: hashOrNone,
  signature: z
    .string()
    .max(SIGNATURE_CHARACTERS_MAX)
    .regex(/^0x([0-9a-fA-F]{2})+$/)
    .meta({ examples: [EXAMPLE_SIGNATURE] }),
  conditionId: hashOrNone.meta({
    description: 'If given, must be the market of the token; otherwise the order is refused',
  }),
});

/** A BUY of ten shares at 0.55, with a made-up signature and token. */
const EXAMPLE_ORDER = {
  order: {
    salt: 1_234_567_890,
    maker: EXAMPLE_ADDRESS,
    signer: EXAMPLE_ADDRESS,
    tokenId: EXAMPLE_TOKEN_ID,
    makerAmount: '5500000',
    takerAmount: '10000000',
    side: 'BUY',
    signatureType: 0,
    timestamp: '1900000000000',
    expiration: '0',
    metadata: ZERO_BYTES32,
    builder: ZERO_BYTES32,
    signature: EXAMPLE_SIGNATURE,
  },
  owner: EXAMPLE_UUID,
  orderType: 'GTC',
  postOnly: false,
};

const postedOrder = z
  .looseObject({
    order: signedOrder,
    owner: common.givenUuid.meta({ description: 'The API key that posts the order' }),
    orderType: orderType.nullish(),
    postOnly: flag.nullish(),
    deferExec: flag.nullish().meta({ description: 'Accepted without effect' }),
  })
  .meta({
    id: 'PostedOrder',
    description: 'A signed order. Unknown keys are ignored',
    examples: [EXAMPLE_ORDER],
  });

const orderStatus = z.enum(orderStatuses);
export const officialOrder = z
  .object({
    id: bytes32,
    status: orderStatus,
    owner: uuid,
    maker_address: checksumAddress,
    market: bytes32,
    asset_id: tokenId,
    side,
    original_size: decimal,
    size_matched: decimal,
    price: decimal,
    associate_trades: z.array(uuid),
    outcome: text,
    created_at: common.seconds,
    expiration: wholeText.meta({ description: 'Unix seconds; 0 if the order does not expire', examples: ['0'] }),
    order_type: orderType,
  })
  .meta({ id: 'OfficialOrder', description: 'An order of the caller, in lists and for requests with POLY_* headers' });

const duplicateDetail = z.object({ original: officialOrder }).meta({
  id: 'DuplicateDetail',
  description: `The current state of the order that was sent before, with its newest ${LISTED_TRADES_MAX} trades`,
});

const placedOrder = z
  .object({
    success: z.literal(true),
    errorMsg: text,
    orderID: orEmpty(bytes32),
    takingAmount: orEmpty(decimal),
    makingAmount: orEmpty(decimal),
    status: z.enum(['live', 'matched', 'delayed', '']),
    transactionsHashes: z.array(bytes32),
    tradeIDs: z.array(uuid),
    detail: duplicateDetail.optional(),
  })
  .meta({
    id: 'PlacedOrder',
    description: 'The immediate result of an order. In a batch, errorMsg states why an order was refused',
  });

const orderRefusal = refusal
  .extend({
    orderID: orEmpty(bytes32).optional(),
    available_size: decimal.optional(),
    market_status: text.optional(),
    best_price: decimal.optional(),
    code: text.optional(),
    retry_after_seconds: whole.optional(),
    valid_until_ms: common.milliseconds.optional(),
    server_ts_ms: common.milliseconds.optional(),
    detail: duplicateDetail.optional(),
  })
  .meta({ id: 'OrderRefusal', description: 'Why an order was refused, with the relevant figures' });

const retryHeaders = {
  Idempotent: z.literal([0, 1]).optional().meta({
    description:
      'If 1, a duplicate gets the reply of the first copy, even if it would be refused by now. Idempotent-Replayed: true marks a reply in which every order is answered so',
  }),
  'X-Valid-Until-Ms': whole.optional().meta({
    description: "Unix milliseconds of the exchange's clock: an order that would be accepted later is refused",
    examples: [1_900_000_000_000],
  }),
};

export const postOrder: EndpointSchema = {
  headers: retryHeaders,
  body: postedOrder,
  reply: placedOrder,
  refusal: orderRefusal,
};
export const postOrders: EndpointSchema = {
  headers: retryHeaders,
  body: z
    .array(z.unknown())
    .min(1)
    .max(ORDERS_PER_BATCH_MAX)
    .meta({
      description: 'Bodies of POST /order. Each order is parsed and accepted or refused independently',
      examples: [[EXAMPLE_ORDER]],
    }),
  reply: z.array(placedOrder).min(1).max(ORDERS_PER_BATCH_MAX),
  refusal: orderRefusal,
};

const cancelReply = z
  .object({ canceled: z.array(bytes32), not_canceled: z.record(bytes32, text) })
  .meta({ id: 'CancelReply', description: 'The cancelled orders, and why the others were not cancelled' });

const orderIdBody = z
  .union([z.looseObject({ orderID: common.givenBytes32 }), z.looseObject({ orderId: common.givenBytes32 })])
  .meta({ examples: [{ orderID: EXAMPLE_BYTES32 }] });
export const cancelOrder: EndpointSchema = { body: orderIdBody, reply: cancelReply };
export const cancelOrders: EndpointSchema = {
  body: z
    .array(common.givenBytes32)
    .max(limits.cancelIdsMax)
    .meta({ examples: [[EXAMPLE_BYTES32]] }),
  reply: cancelReply,
};
export const cancelAll: EndpointSchema = { reply: cancelReply };
const assetOrNone = orEmpty(common.givenTokenId).nullish();
export const cancelMarketOrders: EndpointSchema = {
  body: z
    .looseObject({ market: hashOrNone, asset_id: assetOrNone, assetId: assetOrNone })
    .nullish()
    .meta({ examples: [{ market: EXAMPLE_BYTES32 }] }),
  reply: cancelReply,
};

const heartbeatRefusal = refusal.extend({ error_msg: text.optional(), heartbeat_id: text.optional() });
export const heartbeat: EndpointSchema = {
  body: z
    .looseObject({ heartbeat_id: orEmpty(common.givenUuid).nullish() })
    .nullish()
    .meta({ examples: [{ heartbeat_id: EXAMPLE_UUID }] }),
  reply: z.object({ heartbeat_id: uuid }),
  refusal: heartbeatRefusal,
};
export const heartbeats: EndpointSchema = { reply: z.object({ status: z.literal('ok') }) };

const plainOrder = z
  .object({
    associateTrades: z.array(uuid),
    id: bytes32,
    status: orderStatus,
    market: bytes32,
    originalSize: decimal,
    outcome: text,
    makerAddress: checksumAddress,
    owner: uuid,
    price: decimal,
    sizeMatched: decimal,
    assetId: tokenId,
    side,
    type: orderType,
    createdAt: isoTime,
  })
  .meta({ id: 'OrderRecord', description: 'An order of the caller, at the root without POLY_* headers' });
export const makerOrder = z
  .object({
    order_id: bytes32,
    owner: uuid,
    maker_address: checksumAddress,
    matched_amount: decimal,
    price: decimal,
    fee_rate_bps: decimal,
    asset_id: tokenId,
    outcome: text,
    side,
  })
  .meta({ id: 'MakerOrder', description: "A maker order's part in a trade" });
export const tradeFields = {
  id: uuid,
  taker_order_id: bytes32,
  market: bytes32,
  asset_id: tokenId,
  side,
  size: decimal,
  fee_rate_bps: decimal,
  price: decimal,
  status: tradeStatus,
  outcome: text,
  bucket_index: whole,
  owner: uuid,
  maker_address: checksumAddress,
  transaction_hash: bytes32,
  maker_orders: z.array(makerOrder),
};
export const plainTrade = z
  .object({ ...tradeFields, match_time: isoTime, last_update: isoTime, type: tradeRole })
  .meta({ id: 'TradeRecord', description: 'A trade of the caller, at the root without POLY_* headers' });
const officialTrade = z
  .object({ ...tradeFields, match_time: secondsText, last_update: secondsText, trader_side: tradeRole })
  .meta({ id: 'OfficialTrade', description: 'A trade of the caller, for requests with POLY_* headers' });

export const oneOrder: EndpointSchema = {
  path: { id: common.givenBytes32 },
  reply: z.union([z.object({ order: plainOrder }), officialOrder]),
};
export const openOrders: EndpointSchema = {
  query: {
    id: common.givenBytes32.optional(),
    market: common.givenBytes32.optional(),
    asset_id: common.givenTokenId.optional(),
    ...common.cursorQuery,
  },
  reply: pageOf(officialOrder),
};
export const preMigrationOrders: EndpointSchema = {
  query: common.cursorQuery,
  reply: pageOf(officialOrder),
};
export const ownTrades: EndpointSchema = {
  query: {
    id: text.optional().meta({ description: 'A trade id' }),
    taker: common.givenAddress.optional(),
    maker: common.givenAddress.optional(),
    maker_address: common.givenAddress.optional().meta({ description: 'A wallet on either side' }),
    market: common.givenBytes32.optional(),
    asset_id: common.givenTokenId.optional(),
    before: common.givenSeconds.optional(),
    after: common.givenSeconds.optional(),
    ...common.cursorQuery,
  },
  reply: z.union([pageOf(plainTrade), pageOf(officialTrade)]),
};
