// Computes the live figures of markets and events from the views: volume, 24-hour volume, liquidity, states and times. Used by
// index.ts, which caches them and recomputes those that the log has touched.
import { PIPS_PER_UNIT } from '../../engine/index.ts';
import { type EventRow, isListed, isOver, type Market, type Views } from '../views/index.ts';
import { initialPricePips } from '../views/texts.ts';

/** Bits of a row's state. */
export const RowState = { ACTIVE: 1, CLOSED: 2, ARCHIVED: 4 } as const;

/** Whether a row's state, a set of RowState flags, has ACTIVE. */
export const isActive = (state: number): boolean => (state & RowState.ACTIVE) !== 0;

export interface MarketFigures {
  readonly volumeMicro: number;
  readonly volume24Micro: number;
  readonly liquidityMicro: number;
  /** Best prices of the first token; 0 and 10,000 for an empty side. */
  readonly bidPips: number;
  readonly askPips: number;
  /** From 0 to 1: how close the market's price is to one half; 0 once it is closed. */
  readonly competitive: number;
  readonly state: number;
}

export interface EventFigures {
  readonly volumeMicro: number;
  readonly volume24Micro: number;
  readonly liquidityMicro: number;
  /** The highest of its markets. */
  readonly competitive: number;
  readonly state: number;
  /** Times are NaN if unknown. */
  readonly startMs: number;
  readonly endMs: number;
  readonly closedMs: number;
  readonly updatedMs: number;
}

/** The figures that markets, events and series have in common. */
export type SeriesFigures = Pick<EventFigures, 'volumeMicro' | 'volume24Micro' | 'liquidityMicro' | 'state'>;

/** Size of the cache of parsed dates: many markets share a date, and every change of a market reads its own again. */
const KNOWN_DATES_MAX = 20_000;
const knownDates = new Map<string, number>();

/** Milliseconds of an ISO date-time in texts; NaN for anything else. */
function timeOf(value: unknown): number {
  if (typeof value !== 'string' || value === '') return Number.NaN;
  const known = knownDates.get(value);
  if (known !== undefined) return known;
  if (knownDates.size >= KNOWN_DATES_MAX) knownDates.clear();
  const ms = Date.parse(value);
  knownDates.set(value, ms);
  return ms;
}

/** The first of these times that is not NaN; NaN if none is. */
const firstTime = (...times: readonly number[]): number => times.find((time) => !Number.isNaN(time)) ?? Number.NaN;

/** The start when none is given: the creation, or the end if that is earlier. */
const impliedStartMs = (createdMs: number, endMs: number): number => (endMs < createdMs ? endMs : createdMs);

/** When a market starts, by its texts or its event's; if neither says, see impliedStartMs. */
export function marketStartMs(market: Market, event: EventRow | undefined): number {
  const implied = impliedStartMs(market.createdMs, marketEndMs(market, event));
  return firstTime(timeOf(market.texts.startDate), timeOf(event?.texts.startDate), implied);
}

/** When a market ends, by its texts or its event's; NaN if neither says. */
export function marketEndMs(market: Market, event: EventRow | undefined): number {
  return firstTime(timeOf(market.texts.endDate), timeOf(event?.texts.endDate));
}

/** When trading ended; NaN while it continues. */
export const marketClosedMs = ({ closedMs, resolvedMs }: Market): number => closedMs ?? resolvedMs ?? Number.NaN;

function marketState(market: Market): number {
  const active = isListed(market) ? RowState.ACTIVE : 0;
  const closed = isOver(market) ? RowState.CLOSED : 0;
  return active | closed | (market.texts.archived === true ? RowState.ARCHIVED : 0);
}

/** The current figures of a market. */
export function marketFigures({ books }: Views, market: Market, volumeMicro: number, volume24Micro: number) {
  const { index, lastTrade, texts } = market;
  const bidPips = books.bestBidPips(index, 0);
  const askPips = books.bestAskPips(index, 0);
  const state = marketState(market);
  const isTwoSided = bidPips > 0 && askPips < PIPS_PER_UNIT;
  const pricePips = isTwoSided ? (bidPips + askPips) / 2 : (lastTrade?.pricePips ?? initialPricePips(texts.lastPrice));
  const isClosed = (state & RowState.CLOSED) !== 0;
  const competitive = isClosed ? 0 : 1 / (1 + (pricePips / PIPS_PER_UNIT - 0.5) ** 2);
  const liquidityMicro = books.liquidityMicro(index);
  return { volumeMicro, volume24Micro, liquidityMicro, bidPips, askPips, competitive, state };
}

/**
 * The figures of markets or events taken together: sums, ACTIVE if any row is, CLOSED and ARCHIVED if all active rows are.
 * Drafts, and events with drafts alone, are invisible and thus do not count.
 */
export function combined(rows: readonly (SeriesFigures | undefined)[]): SeriesFigures {
  let volumeMicro = 0;
  let volume24Micro = 0;
  let liquidityMicro = 0;
  let state = 0;
  for (const row of rows) {
    if (row === undefined || !isActive(row.state)) continue;
    volumeMicro += row.volumeMicro;
    volume24Micro += row.volume24Micro;
    liquidityMicro += row.liquidityMicro;
    state = isActive(state) ? state & row.state : row.state;
  }
  return { volumeMicro, volume24Micro, liquidityMicro, state };
}

/** The figures of an event from those of its markets. */
export function eventFigures(event: EventRow, figuresOf: (market: Market) => MarketFigures): EventFigures {
  const { texts, markets, createdMs } = event;
  const rows = markets.map(figuresOf);
  const sums = combined(rows);
  let competitive = 0;
  let closedMs = 0;
  let updatedMs = createdMs;
  let latestEndMs = Number.NaN;
  for (const [at, market] of markets.entries()) {
    if (!isActive(rows[at].state)) continue;
    competitive = Math.max(competitive, rows[at].competitive);
    closedMs = Math.max(closedMs, marketClosedMs(market));
    updatedMs = Math.max(updatedMs, market.updatedMs);
    const endMs = timeOf(market.texts.endDate);
    if (endMs > latestEndMs || Number.isNaN(latestEndMs)) latestEndMs = endMs;
  }
  const endMs = firstTime(timeOf(texts.endDate), latestEndMs);
  return {
    ...sums,
    competitive,
    state: markets.length === 0 ? RowState.ACTIVE : sums.state,
    startMs: firstTime(timeOf(texts.startDate), impliedStartMs(createdMs, endMs)),
    endMs,
    closedMs: (sums.state & RowState.CLOSED) === 0 ? Number.NaN : closedMs,
    updatedMs,
  };
}
