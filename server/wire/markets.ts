// Markets in the order-book style (interface.md 2.4, wire.md C.3): the full list item, the detail record, the simplified
// form, the compact record, and a token's condition. Called by the market routes. The interface fixes the key sets: a form
// has all of its keys and no others.
import { limits, MarketStatus, Resolution } from '../../engine/index.ts';
import { checksumAddress } from '../auth/checksum.ts';
import type { Catalog } from '../catalog/index.ts';
import { type EventRow, isListed, isOver, type Market } from '../views/index.ts';
import type { RewardRate } from '../views/records.ts';
import { initialPricePips, shownPricePips, textOf } from '../views/texts.ts';
import { KeptRows } from './keptRows.ts';
import { isoTime, lotsNumber, pipsNumber } from './numbers.ts';
import { bytesOf } from './pieces.ts';
import { marketStatusText } from './terms.ts';

const timeOrNull = (value: unknown): string | null =>
  typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : null;

/** The price shown for a token: its resolution if there is one, else the last trade, else the initial price in its texts. */
export function pricePipsOf(market: Market, outcome: number): number {
  const firstPips = market.lastTrade?.pricePips ?? initialPricePips(market.texts.lastPrice);
  return shownPricePips(market.resolution, firstPips, outcome);
}

const tokenRow = (market: Market, outcome: 0 | 1) => ({
  token_id: market.tokens[outcome],
  outcome: market.outcomes[outcome],
  price: pipsNumber(pricePipsOf(market, outcome)),
  winner: market.resolution === outcome,
});

/** The flags that every form carries. */
function flags(market: Market) {
  return {
    active: isListed(market),
    closed: isOver(market),
    archived: market.texts.archived === true,
    accepting_orders: market.status === MarketStatus.OPEN,
  };
}

const shownRate = ({ asset_address, rewards_daily_rate }: RewardRate) => ({
  asset_address: checksumAddress(asset_address),
  rewards_daily_rate,
});

/** The maker rewards of a market, in the form of its records. */
export function rewardsOf(market: Market) {
  const { rewards } = market.texts;
  return {
    rates: Array.isArray(rewards?.rates) ? rewards.rates.map(shownRate) : [],
    min_size: typeof rewards?.minSize === 'number' ? rewards.minSize : 0,
    max_spread: typeof rewards?.maxSpread === 'number' ? rewards.maxSpread : 0,
  };
}

/** Whether the market offers maker rewards: some daily rate is above 0. Says nothing about whether orders are accepted. */
export function hasRewards({ texts }: Market): boolean {
  const rates: unknown = texts.rewards?.rates;
  return Array.isArray(rates) && rates.some((rate) => rate?.rewards_daily_rate > 0);
}

/**
 * The number that clients call a base fee, for makers and takers alike, in basis points (1e-4): as in production, the cap
 * of a market's fee, 0 for one without a fee. It is not the charge, which the compact record and the fee schedule give.
 */
export function baseFee({ terms }: Market): number {
  return terms.feeRate > 0 ? limits.feeRateMax : 0;
}

/** The market's icon, or its event's; '' without either. */
export function iconOf(market: Market, event: EventRow | undefined): string {
  return textOf(market.texts.icon) || textOf(event?.texts.icon);
}

/** The market's image, or its event's, or the icon. */
export function imageOf(market: Market, event: EventRow | undefined): string {
  return textOf(market.texts.image) || textOf(event?.texts.image) || iconOf(market, event);
}

/** The market's description, or its event's; '' without either. */
export function descriptionOf({ texts }: Market, event: EventRow | undefined): string {
  return textOf(texts.description) || textOf(event?.texts.description);
}

const QUESTION_ID = /^0x[0-9a-f]{64}$/;

/**
 * The id that the markets of a neg-risk event share: the question id of the first of them with its last byte set to 0, as
 * the neg-risk adapter numbers an event's questions; '' if there is none.
 */
export function negRiskMarketId(markets: readonly Market[]): string {
  const first = markets.find(({ negRisk }) => negRisk);
  return first !== undefined && QUESTION_ID.test(first.questionId) ? `${first.questionId.slice(0, -2)}00` : '';
}

/** The neg-risk id of a market, which may have no event; '' for one without neg risk. */
export function negRiskMarketIdOf(market: Market, event: EventRow | undefined): string {
  return market.negRisk ? negRiskMarketId(event?.markets ?? [market]) : '';
}

/** The item of GET /markets in its cursor form, with the labels of its event's tags. */
export function fullRecord(market: Market, event: EventRow | undefined, tags: readonly string[]) {
  const { texts, terms } = market;
  return {
    enable_order_book: !isOver(market),
    ...flags(market),
    accepting_order_timestamp: isoTime(market.createdMs),
    minimum_order_size: lotsNumber(terms.minOrderLots),
    minimum_tick_size: pipsNumber(terms.tickPips),
    condition_id: market.conditionId,
    question_id: market.questionId,
    question: market.question,
    description: descriptionOf(market, event),
    market_slug: market.slug,
    end_date_iso: timeOrNull(texts.endDate) ?? timeOrNull(event?.texts.endDate),
    game_start_time: timeOrNull(texts.gameStartTime),
    seconds_delay: terms.delaySeconds,
    fpmm: '',
    maker_base_fee: baseFee(market),
    taker_base_fee: baseFee(market),
    notifications_enabled: false,
    neg_risk: market.negRisk,
    neg_risk_market_id: negRiskMarketIdOf(market, event),
    neg_risk_request_id: '',
    icon: iconOf(market, event),
    image: imageOf(market, event),
    rewards: rewardsOf(market),
    is_50_50_outcome: market.resolution === Resolution.SPLIT,
    tokens: [tokenRow(market, 0), tokenRow(market, 1)],
    tags,
  };
}

/** The further keys that the detail record and the simplified form share. */
function listKeys(market: Market) {
  return {
    status: marketStatusText(market.status),
    market_id: market.marketId,
    slug: market.slug,
    assets_ids: market.tokens,
    outcomes: market.outcomes,
  };
}

/** A market's event, as its record and its stream messages show it. */
export function eventOfMarket(event: EventRow | undefined) {
  const slug = textOf(event?.texts.slug);
  return {
    id: event === undefined ? '' : String(event.eventNumber),
    slug,
    title: textOf(event?.texts.title),
    ticker: textOf(event?.texts.ticker) || slug,
    description: textOf(event?.texts.description),
  };
}

/** The record of GET /markets/{condition_id} and of GET /sampling-markets. */
export function detailRecord(market: Market, event: EventRow | undefined, tags: readonly string[]) {
  return {
    ...fullRecord(market, event, tags),
    ...listKeys(market),
    event: eventOfMarket(event),
    raw_metadata: {},
  };
}

/** The record of GET /simplified-markets and of GET /sampling-simplified-markets. */
export function simplifiedRecord(market: Market) {
  return {
    condition_id: market.conditionId,
    neg_risk: market.negRisk,
    question: market.question,
    ...listKeys(market),
    ...flags(market),
    tokens: [tokenRow(market, 0), tokenRow(market, 1)],
    rewards: rewardsOf(market),
  };
}

type RowShape = (market: Market, event: EventRow | undefined, tags: readonly string[]) => object;

interface KeptRow {
  readonly version: number;
  readonly tags: readonly string[];
  readonly bytes: Uint8Array;
}

/** Renders a market's row, or finds the one that was kept. */
type MarketRow = (catalog: Pick<Catalog, 'eventOf' | 'tagNamesOf'>, market: Market) => Uint8Array;

/** A form of a market as JSON bytes, cached until the market or its list of tags changes (keptRows.ts). */
export function keptRows(shape: RowShape): MarketRow {
  const kept = new KeptRows<KeptRow>();
  return (catalog, market) => {
    const { index, version } = market;
    const event = catalog.eventOf(market);
    const tags = catalog.tagNamesOf(event);
    const known = kept.get(catalog, index);
    if (known?.version === version && known.tags === tags) return known.bytes;
    const bytes = bytesOf(JSON.stringify(shape(market, event, tags)));
    kept.set(catalog, index, { version, tags, bytes });
    return bytes;
  };
}

/** The maker rewards in the compact record: minimum size and maximum spread of orders that count; null for none. */
function compactRewards(market: Market) {
  if (!hasRewards(market)) return null;
  const { min_size, max_spread } = rewardsOf(market);
  return { mi: min_size, ma: max_spread, e: true };
}

/** The record of GET /clob-markets/{condition_id}; keys without a meaning here are omitted or false. */
export function compactRecord(market: Market) {
  const { terms } = market;
  const gameStart = timeOrNull(market.texts.gameStartTime);
  return {
    c: market.conditionId,
    t: [
      { t: market.tokens[0], o: market.outcomes[0] },
      { t: market.tokens[1], o: market.outcomes[1] },
    ],
    mts: pipsNumber(terms.tickPips),
    mos: lotsNumber(terms.minOrderLots),
    ...(market.negRisk ? { nr: true } : {}),
    mbf: baseFee(market),
    tbf: baseFee(market),
    ...(terms.feeRate === 0 ? {} : { fd: { r: pipsNumber(terms.feeRate), e: terms.feeExponent, to: true } }),
    r: compactRewards(market),
    ao: market.status === MarketStatus.OPEN,
    sd: terms.delaySeconds,
    ...(gameStart === null ? {} : { gst: gameStart }),
    cbos: false,
    aot: isoTime(market.createdMs),
    rfqe: false,
    itode: false,
    ibce: false,
    oas: 0,
  };
}

/** The reply of GET /markets-by-token/{token_id}. */
export function tokenConditionRecord(market: Market) {
  const [first, second] = market.tokens;
  return { condition_id: market.conditionId, primary_token_id: first, secondary_token_id: second };
}
