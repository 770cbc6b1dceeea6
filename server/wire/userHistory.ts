// Rows and totals of user data as JSON text, in both dialects (interface.md 2.10–2.13, catalog-and-data.md 3.1). Called by the
// historian, nearly always on its thread, for pages of up to 10,000 rows: texts are concatenated without an object per row,
// and text that all rows of a market share is built once. Profiles do not exist here, so names, pictures and biographies
// are always ''.
import type {
  ActivityRow,
  HistoryRows,
  HolderRow,
  LiveVolumeQuery,
  MarketFacts,
  MarketFigure,
  OpenInterestQuery,
  PositionRow,
  TradedQuery,
  TradeRow,
  ValueQuery,
} from '../history/queries.ts';
import { polymarketDialect, rootDialect } from './dialect.ts';
import type { DialectName } from './dialectName.ts';
import type { Texts } from './longTexts.ts';
import { dateTimeText, microText, pipsText, unixSeconds } from './numbers.ts';
import { membersText } from './pieces.ts';
import type { ShownMarket, ShownOrder } from './trades.ts';

const PROFILE = '"name":"","pseudonym":"","bio":"","profileImage":"","profileImageOptimized":""';
/** The outcome index that official clients expect in a row about no outcome. */
const NO_OUTCOME = 999;
/** The market name for the open interest of all markets together. */
const ALL_MARKETS = 'GLOBAL';

const signedMicroText = (micro: number): string => (micro < 0 ? `-${microText(-micro)}` : microText(micro));

/** The name of an outcome's asset in a dialect. */
type AssetForm = (market: MarketFacts, outcome: 0 | 1) => string;
const pairAsset: AssetForm = ({ conditionId }, outcome) => `${conditionId}:${outcome}`;
const tokenAsset: AssetForm = ({ tokens }, outcome) => tokens[outcome];

/** Text that rows of a market share, by outcome; undefined stands for both tokens together. */
type Part = (market: MarketFacts, outcome: 0 | 1 | undefined) => string;

/** Caches a part by market object and outcome. A market that changes must come as a new object. */
function kept(make: Part): Part {
  const parts = new WeakMap<MarketFacts, [first?: string, second?: string, both?: string]>();
  let lastMarket: MarketFacts | undefined;
  let last: [first?: string, second?: string, both?: string] = [];
  return (market, outcome) => {
    if (market !== lastMarket) {
      const known = parts.get(market);
      last = known ?? [];
      if (known === undefined) parts.set(market, last);
      lastMarket = market;
    }
    const at = outcome ?? 2;
    const part = last[at];
    if (part !== undefined) return part;
    const made = make(market, outcome);
    last[at] = made;
    return made;
  };
}

/** Official clients reject an activity without an event slug: to them a market without an event is its own event. */
const eventSlugOrOwn = ({ eventSlug, slug }: MarketFacts): string => (eventSlug === '' ? slug : eventSlug);
const plainEventSlug = ({ eventSlug }: MarketFacts): string => eventSlug;
type EventSlugForm = typeof plainEventSlug;

/** A market's end as a date-time; null if it has none. */
function endTime({ endDate }: MarketFacts): string | null {
  if (Number.isNaN(Date.parse(endDate))) return null; // '' too
  return dateTimeText(endDate);
}

/** The UTC day of a market's end, `YYYY-MM-DD`; null if it has none. */
function endDay(market: MarketFacts): string | null {
  const time = endTime(market);
  return time === null ? null : new Date(time).toISOString().slice(0, 10);
}

const marketPart = (asset: AssetForm): Part =>
  kept((market, outcome = 0) => membersText({ asset: asset(market, outcome), conditionId: market.conditionId }));

const titlesPart = (eventSlug: EventSlugForm): Part =>
  kept((market, outcome = 0) => {
    const { title, slug, icon, outcomes } = market;
    const titles = { title, slug, icon, eventSlug: eventSlug(market) };
    return `${membersText({ ...titles, outcome: outcomes[outcome], outcomeIndex: outcome })},${PROFILE}`;
  });

function tradeRenderer(asset: AssetForm, eventSlug: EventSlugForm, hasCash: boolean): (row: TradeRow) => string {
  const ids = marketPart(asset);
  const titles = titlesPart(eventSlug);
  return (row) => {
    const { wallet, side, market, outcome, sizeMicro, pricePips, cashMicro, tMs, transactionHash } = row;
    const cash = hasCash ? `,"usdcSize":${microText(cashMicro)}` : '';
    return (
      `{"proxyWallet":"${wallet}","side":"${side}",${ids(market, outcome)},"size":${microText(sizeMicro)},` +
      `"price":${pipsText(pricePips)},"timestamp":${unixSeconds(tMs)}${cash},${titles(market, outcome)},` +
      `"transactionHash":"${transactionHash}"}`
    );
  };
}

/** A redemption names a token but has no side and no price; splits and merges name no token either. */
function activityRenderer(asset: AssetForm, eventSlug: EventSlugForm): (row: ActivityRow) => string {
  const texts = kept((market, outcome) => {
    const { conditionId, title, slug, icon, outcomes } = market;
    const token = outcome === undefined ? '' : asset(market, outcome);
    const place = { conditionId, asset: token, outcomeIndex: outcome ?? NO_OUTCOME, title, slug, icon };
    const name = outcome === undefined ? '' : outcomes[outcome];
    return `${membersText({ ...place, eventSlug: eventSlug(market), outcome: name })},${PROFILE}`;
  });
  return (row) => {
    const { wallet, type, market, outcome, isOfToken, sizeMicro, cashMicro, tMs, transactionHash } = row;
    const price = type === 'TRADE' ? `${pipsText(row.pricePips)},"side":"${row.side}"` : '0,"side":""';
    return (
      `{"proxyWallet":"${wallet}","timestamp":${unixSeconds(tMs)},"type":"${type}","size":${microText(sizeMicro)},` +
      `"usdcSize":${microText(cashMicro)},"transactionHash":"${transactionHash}","price":${price},` +
      `${texts(market, isOfToken ? outcome : undefined)}}`
    );
  };
}

/** The texts of a position, with those that only some forms have. */
const positionTexts = (asset: AssetForm, eventSlug: EventSlugForm, more: (market: MarketFacts) => object): Part =>
  kept((market, outcome = 0) => {
    const { conditionId, title, slug, icon, outcomes } = market;
    const other = outcome === 0 ? 1 : 0;
    return membersText({
      asset: asset(market, outcome),
      conditionId,
      title,
      slug,
      icon,
      eventSlug: eventSlug(market),
      outcome: outcomes[outcome],
      outcomeIndex: outcome,
      oppositeOutcome: outcomes[other],
      oppositeAsset: asset(market, other),
      ...more(market),
    });
  });

/** All figures of a position except those of briefPosition. */
const valueFigures = (row: PositionRow): string =>
  `"size":${microText(row.sizeMicro)},"initialValue":${signedMicroText(row.initialValueMicro)},` +
  `"currentValue":${signedMicroText(row.currentValueMicro)},"cashPnl":${signedMicroText(row.cashPnlMicro)},` +
  `"percentPnl":${row.percentPnl},"percentRealizedPnl":${row.percentRealizedPnl},` +
  `"redeemable":${row.redeemable},"mergeable":${row.mergeable},`;

/** The figures that even the shortest form of a position has. */
const briefPosition = (row: PositionRow): string =>
  `"proxyWallet":"${row.wallet}","avgPrice":${microText(row.avgPriceMicro)},` +
  `"totalBought":${microText(row.totalBoughtMicro)},"realizedPnl":${signedMicroText(row.realizedPnlMicro)},` +
  `"curPrice":${pipsText(row.curPricePips)},`;

interface PositionForm {
  readonly texts: Part;
  readonly hasValues: boolean;
  readonly hasTime: boolean;
}

function positionRenderer({ texts, hasValues, hasTime }: PositionForm): (row: PositionRow) => string {
  return (row) => {
    const values = hasValues ? valueFigures(row) : '';
    const time = hasTime ? `"timestamp":${unixSeconds(row.tMs)},` : '';
    return `{${briefPosition(row)}${values}${time}${texts(row.market, row.outcome)}}`;
  };
}

function holdersRenderer(asset: AssetForm): (group: HistoryRows['holders'][number]) => string {
  return ({ market, outcome, holders }) => {
    const token = JSON.stringify(asset(market, outcome));
    const shared = `"asset":${token},"displayUsernamePublic":false,"outcomeIndex":${outcome},${PROFILE}`;
    const row = ({ wallet, amountMicro }: HolderRow): string =>
      `{"proxyWallet":"${wallet}","amount":${microText(amountMicro)},${shared}}`;
    return `{"token":${token},"holders":[${holders.map(row).join(',')}]}`;
  };
}

const marketFigure = ({ conditionId, valueMicro }: MarketFigure): string =>
  `{"market":"${conditionId}","value":${microText(valueMicro)}}`;

/** The renderers of rows in one dialect; long pages are rendered in slices. */
export interface RowRenderers {
  readonly trades: (row: TradeRow) => string;
  readonly positions: (row: PositionRow) => string;
  readonly 'closed-positions': (row: PositionRow) => string;
  readonly activity: (row: ActivityRow) => string;
  readonly holders: (group: HistoryRows['holders'][number]) => string;
}

const negativeRisk = ({ negRisk }: MarketFacts): boolean => negRisk;

export const rowRenderers: Readonly<Record<DialectName, RowRenderers>> = {
  root: {
    trades: tradeRenderer(pairAsset, plainEventSlug, true),
    positions: positionRenderer({
      texts: positionTexts(pairAsset, plainEventSlug, (market) => ({
        endDate: endTime(market),
        negativeRisk: negativeRisk(market),
      })),
      hasValues: true,
      hasTime: true,
    }),
    'closed-positions': positionRenderer({
      texts: positionTexts(pairAsset, plainEventSlug, (market) => ({ endDate: endTime(market) })),
      hasValues: true,
      hasTime: true,
    }),
    activity: activityRenderer(pairAsset, plainEventSlug),
    holders: holdersRenderer(pairAsset),
  },
  polymarket: {
    trades: tradeRenderer(tokenAsset, eventSlugOrOwn, false),
    positions: positionRenderer({
      texts: positionTexts(tokenAsset, eventSlugOrOwn, (market) => ({
        endDate: endDay(market),
        negativeRisk: negativeRisk(market),
        eventId: market.eventNumber === 0 ? '' : String(market.eventNumber),
      })),
      hasValues: true,
      hasTime: false,
    }),
    'closed-positions': positionRenderer({
      texts: positionTexts(tokenAsset, eventSlugOrOwn, (market) => ({ endDate: endTime(market) })),
      hasValues: false,
      hasTime: true,
    }),
    activity: activityRenderer(tokenAsset, eventSlugOrOwn),
    holders: holdersRenderer(tokenAsset),
  },
};

const list = (figures: readonly MarketFigure[], render: (figure: MarketFigure) => string): string =>
  `[${figures.map(render).join(',')}]`;

/** Queries whose reply is figures instead of a list of rows. */
type TotalsQuery = ValueQuery | TradedQuery | OpenInterestQuery | LiveVolumeQuery;
type Totals = HistoryRows[TotalsQuery['kind']];

/** The result of a query, typed by its kind. One function runs the query and renders its result, so they match. */
const ofKind = <Kind extends TotalsQuery['kind']>(_kind: Kind, totals: Totals): HistoryRows[Kind] =>
  totals as HistoryRows[Kind];

/**
 * The reply to a query for totals, the same in both dialects, as JSON text.
 * @param totals the result, of the query's own kind
 */
export function renderTotals(query: TotalsQuery, totals: Totals): string {
  switch (query.kind) {
    case 'value':
      return `[{"user":"${query.user}","value":${microText(ofKind(query.kind, totals))}}]`;
    case 'traded':
      return `{"user":"${query.user}","traded":${ofKind(query.kind, totals)}}`;
    case 'oi': {
      const figures = ofKind(query.kind, totals);
      if (query.conditionIds !== undefined) return list(figures, marketFigure);
      return list(figures, ({ valueMicro }) => marketFigure({ conditionId: ALL_MARKETS, valueMicro }));
    }
    case 'live-volume': {
      const { totalMicro, markets } = ofKind(query.kind, totals);
      return `[{"total":${microText(totalMicro)},"markets":${list(markets, marketFigure)}}]`;
    }
    default: {
      const unknown: never = query;
      throw new Error(`unknown query: ${JSON.stringify(unknown)}`);
    }
  }
}

/** The reply of GET /data/order/{id}. */
export function renderOrder(dialect: DialectName, order: ShownOrder, market: ShownMarket): Texts {
  return (dialect === rootDialect.name ? rootDialect : polymarketDialect).orderReply(order, market);
}
