// Schemas of user data: trades, positions, activity, holders and totals (interface.md 2.10 to 2.13 and 4.1, and
// catalog-and-data.md 3). The root answers official clients, known by their headers, in their form too. Named by the table
// of routes/userHistory.ts.
import { z } from 'zod';
import type { EndpointSchema } from '../../http/schema.ts';
import type { AskedKind } from '../userHistoryQuery.ts';
import * as common from './common.ts';

const { address, bytes32, flag, text, tokenId, whole } = common;

const amount = z.number().min(0);
const number = z.number();
const price = z.number().min(0).max(1);
const seconds = whole.meta({ description: 'Unix seconds' });
const pairAsset = z
  .string()
  .regex(/^0x[0-9a-f]{64}:[01]$/)
  .meta({ id: 'PairAsset', description: 'A condition id and the index of its outcome' });
const dateTime = text.nullable().meta({ description: 'ISO 8601 date-time; null where nothing says when it ends' });
const day = z
  .string()
  .regex(/^[0-9+-]{4,7}-[0-9]{2}-[0-9]{2}$/)
  .nullable();

const profile = { name: text, pseudonym: text, bio: text, profileImage: text, profileImageOptimized: text };
const titles = { title: text, slug: text, icon: text, eventSlug: text };

function tradeOf(asset: z.ZodType, more: z.ZodRawShape) {
  return z.object({
    proxyWallet: address,
    side: common.side,
    asset,
    conditionId: bytes32,
    size: amount,
    price,
    timestamp: seconds,
    ...more,
    ...titles,
    outcome: text,
    outcomeIndex: z.literal([0, 1]),
    ...profile,
    transactionHash: bytes32,
  });
}

const positionTexts = (asset: z.ZodType) => ({
  asset,
  conditionId: bytes32,
  ...titles,
  outcome: text,
  outcomeIndex: z.literal([0, 1]),
  oppositeOutcome: text,
  oppositeAsset: asset,
});
const brief = { proxyWallet: address, avgPrice: amount, totalBought: amount, realizedPnl: number, curPrice: price };
const values = {
  size: amount,
  initialValue: amount,
  currentValue: amount,
  cashPnl: number,
  percentPnl: number,
  percentRealizedPnl: number,
  redeemable: flag,
  mergeable: flag,
};

const activityOf = (asset: z.ZodType) =>
  z.object({
    proxyWallet: address,
    timestamp: seconds,
    type: z.enum(['TRADE', 'SPLIT', 'MERGE', 'REDEEM']),
    size: amount,
    usdcSize: amount,
    transactionHash: bytes32,
    price,
    side: z.enum(['BUY', 'SELL', '']),
    conditionId: bytes32,
    asset: z.union([asset, z.literal('')]),
    outcomeIndex: z.literal([0, 1, 999]).meta({ description: '999 on rows about both outcomes' }),
    ...titles,
    outcome: text,
    ...profile,
  });

const holdersOf = (asset: z.ZodType) =>
  z.object({
    token: asset,
    holders: z.array(
      z.object({
        proxyWallet: address,
        amount,
        asset,
        displayUsernamePublic: flag,
        outcomeIndex: z.literal([0, 1]),
        ...profile,
      }),
    ),
  });

const marketFigure = z.object({ market: z.union([bytes32, z.literal('GLOBAL')]), value: amount });

/** Rows as the root has them, and as official clients have them. */
const rows = {
  trades: [
    tradeOf(pairAsset, { usdcSize: amount }).meta({ id: 'UserTrade', description: 'A fill of a wallet' }),
    tradeOf(tokenId, {}).meta({ id: 'OfficialUserTrade', description: 'A fill of a wallet, for official clients' }),
  ],
  positions: [
    z
      .object({
        ...brief,
        ...values,
        timestamp: seconds,
        ...positionTexts(pairAsset),
        endDate: dateTime,
        negativeRisk: flag,
      })
      .meta({ id: 'Position', description: 'What a wallet holds of a token' }),
    z
      .object({ ...brief, ...values, ...positionTexts(tokenId), endDate: day, negativeRisk: flag, eventId: text })
      .meta({ id: 'OfficialPosition', description: 'What a wallet holds of a token, for official clients' }),
  ],
  'closed-positions': [
    z
      .object({ ...brief, ...values, timestamp: seconds, ...positionTexts(pairAsset), endDate: dateTime })
      .meta({ id: 'ClosedPosition', description: 'What a wallet held of a token' }),
    z
      .object({ ...brief, timestamp: seconds, ...positionTexts(tokenId), endDate: dateTime })
      .meta({ id: 'OfficialClosedPosition', description: 'What a wallet held of a token, for official clients' }),
  ],
  activity: [
    activityOf(pairAsset).meta({ id: 'Activity', description: 'What a wallet did' }),
    activityOf(tokenId).meta({ id: 'OfficialActivity', description: 'What a wallet did, for official clients' }),
  ],
  holders: [
    holdersOf(pairAsset).meta({ id: 'Holders', description: 'The largest holders of a token' }),
    holdersOf(tokenId).meta({ id: 'OfficialHolders', description: 'The same, for official clients' }),
  ],
} as const;

const totals = {
  value: z.array(z.object({ user: address, value: amount })),
  traded: z.object({ user: address, traded: whole }),
  oi: z.array(marketFigure),
  'live-volume': z.array(z.object({ total: amount, markets: z.array(marketFigure) })),
} as const;

const count = whole.optional();
const user = common.givenAddress;
const flagQuery = flag.optional();
const amountQuery = amount.optional();
const sides = z.enum(['BUY', 'SELL']).optional();
const directions = z.enum(['ASC', 'DESC', 'ASCENDING', 'DESCENDING']).optional();
const ids = text.meta({ description: 'Condition ids, with commas' });
const market = ids.optional();
const page = { limit: count, offset: count };
const title = text.max(200).optional().meta({ description: 'Part of the title of a market, at most 100 characters' });
const positionSorts = z
  .enum(['CURRENT', 'INITIAL', 'TOKENS', 'CASHPNL', 'PERCENTPNL', 'TITLE', 'RESOLVING', 'PRICE', 'AVGPRICE'])
  .optional();
const closedSorts = z.enum(['REALIZEDPNL', 'TITLE', 'PRICE', 'AVGPRICE', 'TIMESTAMP']).optional();
const threshold = { filterType: z.enum(['CASH', 'TOKENS']).optional(), filterAmount: amountQuery };

const rootQueries = {
  trades: { ...page, takerOnly: flagQuery, ...threshold, market, user: user.optional(), side: sides },
  positions: {
    user,
    market,
    sizeThreshold: amountQuery,
    redeemable: flagQuery,
    mergeable: flagQuery,
    ...page,
    sortBy: positionSorts,
    sortDirection: directions,
    title,
  },
  'closed-positions': { user, market, title, ...page, sortBy: closedSorts, sortDirection: directions },
  activity: { user, ...page },
  holders: { market: ids, limit: count, minBalance: amountQuery },
  value: { user, market },
  traded: { user },
  oi: { market },
  'live-volume': { id: text.optional().meta({ description: 'Event ids, with commas' }), market },
} as const satisfies Readonly<Record<AskedKind, EndpointSchema['query']>>;

const eventId = text.optional().meta({ description: 'Event ids, with commas; not together with market' });
const range = { start: common.givenSeconds.optional(), end: common.givenSeconds.optional() };

/** What official clients may send besides. */
const officialQueries: Partial<Readonly<Record<AskedKind, EndpointSchema['query']>>> = {
  trades: { eventId, ...range },
  positions: { eventId, includeArchived: flagQuery },
  'closed-positions': { eventId },
  activity: {
    market,
    eventId,
    type: text.optional().meta({ description: 'Types of activity, with commas' }),
    excludeDepositsWithdrawals: flagQuery,
    ...range,
    sortBy: z.enum(['TIMESTAMP', 'TOKENS', 'CASH']).optional(),
    sortDirection: directions,
    side: sides,
  },
};

const isListed = (kind: AskedKind): kind is keyof typeof rows => Object.hasOwn(rows, kind);

function replyOf(kind: AskedKind, isMounted: boolean): z.ZodType {
  if (!isListed(kind)) return totals[kind];
  const [plain, official] = rows[kind];
  return isMounted ? z.array(official) : z.union([z.array(plain), z.array(official)]);
}

/** The schema of a question at the root, or below the mount of official clients. */
export function userHistorySchema(kind: AskedKind, isMounted: boolean): EndpointSchema {
  const query = { ...rootQueries[kind], ...(isMounted && officialQueries[kind]) };
  return { query, reply: replyOf(kind, isMounted) };
}

export const mountSchema: EndpointSchema = { reply: z.object({ data: z.literal('OK') }) };
