// Schemas of keys, builders, balances, notifications and rewards, and of sets of shares that the caller splits, merges and
// redeems (wire.md A.2, C.3, C.5 and C.6, interface.md 4.5). Referenced by the routes' tables.
import { z } from 'zod';
import { EXAMPLE_BYTES32, EXAMPLE_UUID } from '../examples.ts';
import { redeemBody, setsBody } from '../operatorBodies.ts';
import { SCORING_ORDERS_MAX } from '../rewards.ts';
import * as common from './common.ts';
import type { EndpointSchema } from './endpointSchema.ts';
import { fullFields } from './marketData.ts';
import { plainTrade } from './orders.ts';

const {
  address,
  bytes32,
  decimal,
  digits,
  flag,
  isoTime,
  okReply,
  orEmpty,
  pageOf,
  secondsText,
  side,
  text,
  tokenId,
  uuid,
  whole,
} = common;

const base64 = z.string().regex(/^[A-Za-z0-9_-]+=*$/);
const credentials = z
  .object({ apiKey: uuid, secret: base64, passphrase: text })
  .meta({ id: 'Credentials', description: 'An API key with the secret and passphrase that sign its requests' });

export const createKey: EndpointSchema = { reply: credentials };
export const deriveKey: EndpointSchema = { reply: credentials };
export const deleteKey: EndpointSchema = { reply: okReply };
export const listKeys: EndpointSchema = { reply: z.object({ apiKeys: z.array(uuid) }) };
export const closedOnly: EndpointSchema = { reply: z.object({ closed_only: flag }) };
export const createReadonlyKey: EndpointSchema = { reply: z.object({ apiKey: uuid }) };
export const listReadonlyKeys: EndpointSchema = { reply: z.array(uuid) };
export const deleteReadonlyKey: EndpointSchema = {
  body: z.looseObject({ key: common.givenUuid }).meta({ examples: [{ key: EXAMPLE_UUID }] }),
  reply: z.literal(true),
};
export const validateReadonlyKey: EndpointSchema = {
  query: { address: common.givenAddress, key: common.givenUuid },
  reply: okReply,
  moreStatuses: [401],
};

export const createBuilderKey: EndpointSchema = {
  reply: z.object({ key: uuid, secret: base64, passphrase: text, builderCode: bytes32 }),
};
export const listBuilderKeys: EndpointSchema = {
  reply: z.array(z.object({ key: uuid, createdAt: isoTime, revokedAt: isoTime.optional() })),
};
export const revokeBuilderKeys: EndpointSchema = { reply: okReply };

const builderTrade = z
  .object({
    id: uuid,
    tradeType: common.tradeRole,
    takerOrderHash: bytes32,
    builder: common.checksumAddress,
    market: bytes32,
    assetId: tokenId,
    side,
    size: decimal,
    sizeUsdc: decimal,
    price: decimal,
    status: common.tradeStatus,
    outcome: text,
    outcomeIndex: whole,
    owner: uuid,
    maker: common.checksumAddress,
    transactionHash: bytes32,
    matchTime: secondsText,
    bucketIndex: whole,
    fee: decimal,
    feeUsdc: decimal,
    builderFee: decimal,
    builderCode: bytes32,
    err_msg: z.null(),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'BuilderTrade', description: 'A fill attributed to a builder code' });
export const builderTrades: EndpointSchema = {
  query: {
    builder_code: common.givenBytes32.optional().meta({ description: "Default: the code of the caller's own key" }),
    id: text.optional().meta({ description: 'A trade id' }),
    maker_address: common.givenAddress.optional(),
    market: common.givenBytes32.optional(),
    asset_id: common.givenTokenId.optional(),
    before: common.givenSeconds.optional(),
    after: common.givenSeconds.optional(),
    next_cursor: common.cursorQuery.next_cursor.meta({
      description:
        'next_cursor of the previous page; without a code, the number of trades already read, in base64 ("300" is MzAw)',
    }),
  },
  reply: z.union([z.array(plainTrade), pageOf(builderTrade)]),
};
export const builderFees: EndpointSchema = {
  path: { code: common.givenBytes32 },
  reply: z.object({ builder_maker_fee_rate_bps: z.number(), builder_taker_fee_rate_bps: z.number() }),
};

export const walletDeployed: EndpointSchema = {
  query: {
    address: common.givenAddress,
    type: text.optional().meta({ description: 'Ignored: the address alone tells what kind of wallet it is' }),
  },
  reply: z.object({ deployed: flag }),
};

const balanceQuery = {
  asset_type: z.enum(['COLLATERAL', 'CONDITIONAL']).optional(),
  token_id: text.optional().meta({ description: 'The token id, for CONDITIONAL' }),
  ...common.signatureTypeQuery,
};
export const balance: EndpointSchema = {
  query: balanceQuery,
  reply: z.object({
    balance: digits.meta({ description: 'An integer, in millionths of a unit' }),
    allowances: z.record(common.checksumAddress, digits),
  }),
};
export const balanceUpdate: EndpointSchema = { query: balanceQuery, reply: z.object({}) };

const noticeFields = {
  asset_id: tokenId,
  condition_id: bytes32,
  eventSlug: text,
  icon: text,
  image: text,
  market: bytes32,
  market_slug: text,
  outcome: text,
  outcome_index: whole,
  question: text,
  seriesSlug: text,
  order_id: orEmpty(bytes32),
  original_size: decimal,
  owner: uuid,
  side,
  type: common.orderType,
  matched_size: decimal,
  price: decimal,
  remaining_size: decimal,
  trade_id: orEmpty(uuid),
  transaction_hash: bytes32,
};
const orderPayload = z.object({
  ...noticeFields,
  reason: text.optional().meta({ description: 'Why the exchange cancelled the order (type 1)' }),
});
const marketPayload = z.object({
  ...fullFields,
  ...noticeFields,
  winner: flag.meta({ description: 'Whether the token won' }),
});
const received = { id: whole, owner: uuid, timestamp: common.milliseconds };
const notification = z
  .union([
    z.object({ ...received, type: z.literal([1, 2]), payload: orderPayload }),
    z.object({ ...received, type: z.literal(4), payload: marketPayload }),
  ])
  .meta({
    id: 'Notification',
    description:
      'Type 1: an order that the exchange cancelled; 2: a fill; 4: a resolved market, with the fields of its record too',
  });
export const notifications: EndpointSchema = {
  query: common.signatureTypeQuery,
  reply: z.array(notification),
};
export const dropNotifications: EndpointSchema = {
  query: {
    ids: text
      .regex(/^ *[0-9]{1,16} *(, *[0-9]{1,16} *)*$/)
      .meta({ description: 'Comma-separated notification ids, such as 1,2' }),
  },
  reply: okReply,
};

const dateQuery = { date: z.iso.date() };
const emptyPage = pageOf(z.never());
const orderIds = z
  .array(common.givenBytes32)
  .max(SCORING_ORDERS_MAX)
  .meta({ examples: [[EXAMPLE_BYTES32]] });
const scoringMap = z.record(bytes32, z.literal(false));
export const orderScoring: EndpointSchema = {
  query: { order_id: common.givenBytes32 },
  reply: z.object({ scoring: z.literal(false) }),
};
export const ordersScoring: EndpointSchema = { body: orderIds, reply: scoringMap };
export const queriedOrdersScoring: EndpointSchema = {
  query: { order_ids: text.meta({ description: 'Comma-separated order ids' }) },
  reply: scoringMap,
};
export const userRewards: EndpointSchema = {
  query: { ...dateQuery, ...common.signatureTypeQuery, ...common.cursorQuery },
  reply: emptyPage,
};
const withoutEffect = text.optional().meta({ description: 'Accepted without effect: there are no rewards' });
export const userMarketRewards: EndpointSchema = {
  ...userRewards,
  query: { ...userRewards.query, order_by: withoutEffect, position: withoutEffect, no_competition: withoutEffect },
};
export const userRewardsTotal: EndpointSchema = {
  query: { ...dateQuery, ...common.signatureTypeQuery },
  reply: z.array(z.never()),
};
export const userRewardsPercentages: EndpointSchema = { query: common.signatureTypeQuery, reply: z.object({}) };
export const rewardsPage: EndpointSchema = { query: common.cursorQuery, reply: emptyPage };
export const marketRewards: EndpointSchema = {
  path: common.conditionPath,
  query: common.cursorQuery,
  reply: emptyPage,
};
export const rebates: EndpointSchema = {
  query: { ...dateQuery, maker_address: common.givenAddress.optional() },
  reply: z.array(z.never()),
};

export const tokenBalances = z.array(z.object({ token_id: tokenId, outcome: text, balance: decimal }));
const holdings = { collateral: decimal, tokens: tokenBalances };
const setsReply = z.object({ condition_id: bytes32, wallet: address, amount: decimal, ...holdings });
export const sets: EndpointSchema = { body: setsBody, reply: setsReply };
export const redeem: EndpointSchema = {
  body: redeemBody,
  reply: z.object({ condition_id: bytes32, wallet: address, payout: decimal, ...holdings }),
};
