// Schemas of user data: trades, positions, activity, holders and their totals (interface.md 2.10 to 2.13 and 4.1,
// catalog-and-data.md 3). On the root a request takes only the documented parameters, and the reply follows its headers;
// below /data-api the parameters of official clients are accepted too. Referenced by routes/userDataQueries.ts.
import { z } from 'zod';
import {
  ACTIVITY_SORTS,
  ACTIVITY_TYPES,
  CLOSED_POSITION_SORTS,
  POSITION_SORTS,
  THRESHOLD_UNITS,
} from '../historyQueries.ts';
import { sideWords } from '../terms.ts';
import {
  type AskedKind,
  BOUNDS,
  DEFAULTS,
  DIRECTIONS,
  officialRules,
  TITLE_CHARACTERS_MAX,
} from '../userDataParameters.ts';
import * as common from './common.ts';
import type { EndpointSchema, ParameterSchemas } from './endpointSchema.ts';

const { address, bytes32, flag, named, number, orEmpty, side, text, tokenId, whole } = common;

const price = common.priceNumber;
const pairAsset = z.string().regex(/^0x[0-9a-f]{64}:[01]$/);
const none = z.literal('');
const profile = { name: none, pseudonym: none, bio: none, profileImage: none, profileImageOptimized: none };
const outcomeIndex = z.literal([0, 1]);
const titles = { title: text, slug: text, icon: text, eventSlug: text, outcome: text };

const tradeFields = (asset: z.ZodType) => ({
  proxyWallet: address,
  side,
  asset,
  conditionId: bytes32,
  size: number,
  price,
  timestamp: common.seconds,
  ...titles,
  outcomeIndex,
  ...profile,
  transactionHash: bytes32,
});
const activityFields = (asset: z.ZodType) => ({
  proxyWallet: address,
  timestamp: common.seconds,
  type: z.enum(ACTIVITY_TYPES),
  size: number,
  usdcSize: number,
  transactionHash: bytes32,
  price,
  side: orEmpty(side),
  conditionId: bytes32,
  asset: orEmpty(asset),
  outcomeIndex: z.literal([0, 1, 999]).meta({ description: '999 if the row does not concern an outcome' }),
  ...titles,
  ...profile,
});
const briefFields = (asset: z.ZodType) => ({
  proxyWallet: address,
  avgPrice: number,
  totalBought: number,
  realizedPnl: number,
  curPrice: price,
  asset,
  conditionId: bytes32,
  ...titles,
  outcomeIndex,
  oppositeOutcome: text,
  oppositeAsset: asset,
});
const valueFields = {
  size: number,
  initialValue: number,
  currentValue: number,
  cashPnl: number,
  percentPnl: number,
  percentRealizedPnl: number,
  redeemable: flag,
  mergeable: flag,
};
const endTimeOrNull = common.operatorTime.nullable();
const endTime = orEmpty(common.operatorTime);
const endDay = orEmpty(z.iso.date());

const holdersOf = (asset: z.ZodType) =>
  z.object({
    token: asset,
    holders: z.array(
      z.object({
        proxyWallet: address,
        amount: number,
        asset,
        displayUsernamePublic: flag,
        outcomeIndex,
        ...profile,
      }),
    ),
  });

const plain = {
  trades: named('Trade', 'A fill of a wallet', z.object({ ...tradeFields(pairAsset), usdcSize: number })),
  positions: named(
    'Position',
    'What a wallet holds of a token',
    z.object({
      ...briefFields(pairAsset),
      ...valueFields,
      timestamp: common.seconds,
      endDate: endTimeOrNull,
      negativeRisk: flag,
    }),
  ),
  'closed-positions': named(
    'ClosedPosition',
    'What a wallet held of a token',
    z.object({ ...briefFields(pairAsset), ...valueFields, timestamp: common.seconds, endDate: endTimeOrNull }),
  ),
  activity: named('Activity', 'What a wallet did', z.object(activityFields(pairAsset))),
  holders: named('Holders', 'The largest holders of a token', holdersOf(pairAsset)),
};
const official = {
  trades: named('DataApiTrade', 'A fill of a wallet, for official clients', z.object(tradeFields(tokenId))),
  positions: named(
    'DataApiPosition',
    'What a wallet holds of a token, for official clients',
    z.object({
      ...briefFields(tokenId),
      ...valueFields,
      endDate: endDay,
      negativeRisk: flag,
      eventId: z.string().regex(/^[0-9]*$/),
    }),
  ),
  'closed-positions': named(
    'DataApiClosedPosition',
    'What a wallet held of a token, for official clients',
    z.object({ ...briefFields(tokenId), timestamp: common.seconds, endDate: endTime }),
  ),
  activity: named('DataApiActivity', 'What a wallet did, for official clients', z.object(activityFields(tokenId))),
  holders: named('DataApiHolders', 'The largest holders of a token, for official clients', holdersOf(tokenId)),
};

const figures = z.array(z.object({ market: z.union([bytes32, z.literal('GLOBAL')]), value: number }));
const totals = {
  value: z.array(z.object({ user: address, value: number })),
  traded: z.object({ user: address, traded: whole }),
  oi: figures,
  'live-volume': z.array(z.object({ total: number, markets: figures })),
};

const user = common.givenAddress;
const market = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}(,0x[0-9a-fA-F]{64})*$/)
  .meta({ description: 'Comma-separated condition ids' });
const events = z
  .string()
  .regex(/^[0-9]+(,[0-9]+)*$/)
  .meta({ description: 'Comma-separated event ids' })
  .optional();
const event = common.digits.meta({ description: 'An event id' }).optional();
const title = z.string().max(TITLE_CHARACTERS_MAX).optional().meta({ description: 'Text contained in the title' });
const anyCase = <Word extends string>(words: readonly [Word, ...Word[]], otherwise?: Word) =>
  z
    .enum(words)
    .optional()
    .meta({ description: `Case-insensitive${otherwise === undefined ? '' : `. Default ${otherwise}`}` });
const direction = anyCase(DIRECTIONS, 'DESC');
const positionSort = anyCase(POSITION_SORTS, DEFAULTS.positionSort);
const closedSort = anyCase(CLOSED_POSITION_SORTS, DEFAULTS.closedPositionSort);
const amount = number.min(0).optional();
const amountOr = (otherwise: number) => amount.meta({ description: `Default ${otherwise}` });
const seconds = common.givenSeconds.optional();
const flagOr = (otherwise: boolean) => flag.optional().meta({ description: `Default ${otherwise}` });
type Bounds = (typeof BOUNDS)[keyof typeof BOUNDS];
/** For official clients, a limit past the maximum is cut to it, however large: larger than z.int() accepts. */
const limitOf = ({ limitDefault, limitMax }: Bounds) =>
  z
    .number()
    .min(0)
    .multipleOf(1)
    .optional()
    .meta({
      description:
        `Default ${limitDefault}, maximum ${limitMax}; a larger value is reduced to the maximum below /data-api and for ` +
        'requests with POLY_* headers, and refused with 400 otherwise',
    });
const page = (bounds: Bounds) => ({
  limit: limitOf(bounds),
  offset: z.int().min(0).max(bounds.offsetMax).optional(),
});

const documented: Readonly<Record<AskedKind, ParameterSchemas>> = {
  trades: {
    ...page(BOUNDS.trades),
    takerOnly: flagOr(DEFAULTS.takerOnly),
    filterType: anyCase(THRESHOLD_UNITS),
    filterAmount: amount,
    market: market.optional(),
    user: user.optional(),
    side: anyCase(sideWords),
  },
  positions: {
    user,
    market: market.optional(),
    sizeThreshold: amountOr(DEFAULTS.sizeThreshold),
    redeemable: flagOr(DEFAULTS.redeemable),
    mergeable: flagOr(DEFAULTS.mergeable),
    ...page(BOUNDS.positions),
    sortBy: positionSort,
    sortDirection: direction,
    title,
  },
  'closed-positions': {
    user,
    market: market.optional(),
    title,
    ...page(BOUNDS['closed-positions']),
    sortBy: closedSort,
    sortDirection: direction,
  },
  activity: { user, ...page(BOUNDS.activity) },
  holders: { market, limit: limitOf(BOUNDS.holders), minBalance: amountOr(DEFAULTS.minBalance) },
  value: { user, market: market.optional() },
  traded: { user },
  oi: { market: market.optional() },
  'live-volume': { id: event, market: market.optional() },
};
const more: Partial<Readonly<Record<AskedKind, ParameterSchemas>>> = {
  trades: { eventId: events, start: seconds, end: seconds },
  positions: { eventId: events, includeArchived: flagOr(officialRules.includesArchived) },
  'closed-positions': { eventId: events },
  activity: {
    market: market.optional(),
    eventId: events,
    type: text.optional().meta({ description: `Comma-separated: ${ACTIVITY_TYPES.join(', ')}` }),
    excludeDepositsWithdrawals: flag
      .optional()
      .meta({ description: 'Accepted without effect: there are no such rows' }),
    start: seconds,
    end: seconds,
    sortBy: anyCase(ACTIVITY_SORTS, DEFAULTS.activitySort),
    sortDirection: direction,
    side: anyCase(sideWords),
  },
};

const isTotal = (kind: AskedKind): kind is keyof typeof totals => Object.hasOwn(totals, kind);

/** The schema of a user-data query on the root, or below the mount for official clients. */
export function userDataSchema(kind: AskedKind, isMounted: boolean): EndpointSchema {
  const moreStatuses = [401]; // sent if there is an allowlist
  const query = isMounted ? { ...documented[kind], ...more[kind] } : documented[kind];
  if (isTotal(kind)) return { query, reply: totals[kind], moreStatuses };
  const officialRows = z.array(official[kind]);
  const reply = isMounted ? officialRows : z.union([z.array(plain[kind]), officialRows]);
  return { query, reply, moreStatuses };
}

export const mountRoot: EndpointSchema = { reply: z.object({ data: z.literal('OK') }) };
