// Stores markets in snapshots as columns: there may be hundreds of thousands, and plain objects would take ten times as long to
// load. Used by markets.ts alone. Fields that follow from a market's texts are not stored but derived from the texts again.
import { type MarketStatus, type Resolution, type Sections, type Side, visitTexts } from '../../engine/index.ts';
import type { Draft, Market, MarketTerms, MarketTexts } from './records.ts';

/** Where a market's numbers lie; NaN stands for undefined. */
const AT = {
  eventNumber: 0,
  tickPips: 1,
  minOrderLots: 2,
  minMarketableBuyMicro: 3,
  feeRate: 4,
  feeExponent: 5,
  delaySeconds: 6,
  autoTick: 7,
  negRisk: 8,
  status: 9,
  resolution: 10,
  createdMs: 11,
  updatedMs: 12,
  closedMs: 13,
  resolvedMs: 14,
  lastPips: 15,
  lastSide: 16,
  lastMs: 17,
  bookChangedMs: 18,
  tradeCount: 19,
  version: 20,
} as const;
const NUMBERS = AT.version + 1;
const orNone = (value: number | undefined): number => value ?? Number.NaN;
const orUndefined = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

function writeNumbers(market: Market, n: Float64Array): void {
  const { terms, lastTrade } = market;
  const at = market.index * NUMBERS;
  n[at + AT.eventNumber] = market.eventNumber;
  n[at + AT.tickPips] = terms.tickPips;
  n[at + AT.minOrderLots] = terms.minOrderLots;
  n[at + AT.minMarketableBuyMicro] = terms.minMarketableBuyMicro;
  n[at + AT.feeRate] = terms.feeRate;
  n[at + AT.feeExponent] = terms.feeExponent;
  n[at + AT.delaySeconds] = terms.delaySeconds;
  n[at + AT.autoTick] = terms.autoTick ? 1 : 0;
  n[at + AT.negRisk] = market.negRisk ? 1 : 0;
  n[at + AT.status] = market.status;
  n[at + AT.resolution] = orNone(market.resolution);
  n[at + AT.createdMs] = market.createdMs;
  n[at + AT.updatedMs] = market.updatedMs;
  n[at + AT.closedMs] = orNone(market.closedMs);
  n[at + AT.resolvedMs] = orNone(market.resolvedMs);
  n[at + AT.lastPips] = orNone(lastTrade?.pricePips);
  n[at + AT.lastSide] = orNone(lastTrade?.side);
  n[at + AT.lastMs] = orNone(lastTrade?.tMs);
  n[at + AT.bookChangedMs] = market.bookChangedMs;
  n[at + AT.tradeCount] = market.tradeCount;
  n[at + AT.version] = market.version;
}

/** The text fields of a market that are stored as columns of their own. */
type MarketIds = Pick<Market, 'conditionId' | 'questionId' | 'slug' | 'tokens'>;

/** The fields derived from the texts alone. */
type TextFacts = Pick<Market, 'outcomes' | 'question'>;

/** A market's terms from its numbers; the previous market's object where the values are equal, as they mostly are. */
function termsAt(n: Float64Array, at: number, before: MarketTerms | undefined): MarketTerms {
  const autoTick = n[at + AT.autoTick] === 1;
  if (
    before?.tickPips === n[at + AT.tickPips] &&
    before.minOrderLots === n[at + AT.minOrderLots] &&
    before.minMarketableBuyMicro === n[at + AT.minMarketableBuyMicro] &&
    before.feeRate === n[at + AT.feeRate] &&
    before.feeExponent === n[at + AT.feeExponent] &&
    before.delaySeconds === n[at + AT.delaySeconds] &&
    before.autoTick === autoTick
  )
    return before;
  return {
    tickPips: n[at + AT.tickPips],
    minOrderLots: n[at + AT.minOrderLots],
    minMarketableBuyMicro: n[at + AT.minMarketableBuyMicro],
    feeRate: n[at + AT.feeRate],
    feeExponent: n[at + AT.feeExponent],
    delaySeconds: n[at + AT.delaySeconds],
    autoTick,
  };
}

function marketOf(
  index: number,
  n: Float64Array,
  ids: MarketIds,
  texts: MarketTexts,
  facts: TextFacts,
  termsBefore: MarketTerms | undefined,
): Draft<Market> {
  const at = index * NUMBERS;
  const terms = termsAt(n, at, termsBefore);
  const lastPips = orUndefined(n[at + AT.lastPips]);
  return {
    index,
    marketId: index + 1,
    eventNumber: n[at + AT.eventNumber],
    conditionId: ids.conditionId,
    questionId: ids.questionId,
    tokens: ids.tokens,
    outcomes: facts.outcomes,
    slug: ids.slug,
    question: facts.question,
    texts,
    terms,
    negRisk: n[at + AT.negRisk] === 1,
    // writeNumbers wrote them, so status, resolution and side are within their types.
    status: n[at + AT.status] as MarketStatus,
    resolution: orUndefined(n[at + AT.resolution]) as Resolution | undefined,
    createdMs: n[at + AT.createdMs],
    updatedMs: n[at + AT.updatedMs],
    closedMs: orUndefined(n[at + AT.closedMs]),
    resolvedMs: orUndefined(n[at + AT.resolvedMs]),
    lastTrade:
      lastPips === undefined
        ? undefined
        : { pricePips: lastPips, side: n[at + AT.lastSide] as Side, tMs: n[at + AT.lastMs] },
    bookChangedMs: n[at + AT.bookChangedMs],
    tradeCount: n[at + AT.tradeCount],
    version: n[at + AT.version],
  };
}

/** Saves or loads the markets of a snapshot; returns those that the snapshot holds. */
export function visitMarkets(
  sections: Sections,
  markets: Draft<Market>[],
  factsOf: (texts: MarketTexts) => TextFacts,
): Draft<Market>[] {
  const written = new Float64Array(markets.length * NUMBERS);
  for (const market of markets) writeNumbers(market, written);
  const numbers = sections.float64('numbers', written);
  const column = (name: string, of: (market: Market) => string): readonly string[] =>
    visitTexts(sections, name, markets.map(of));
  const conditionIds = column('conditionId', ({ conditionId }) => conditionId);
  const questionIds = column('questionId', ({ questionId }) => questionId);
  const slugs = column('slug', ({ slug }) => slug);
  const firstTokens = column('firstToken', ({ tokens }) => tokens[0]);
  const secondTokens = column('secondToken', ({ tokens }) => tokens[1]);
  const json = column('texts', ({ texts }) => JSON.stringify(texts));
  if (!sections.isLoading) return markets;
  let terms: MarketTerms | undefined;
  return conditionIds.map((conditionId, index) => {
    const texts: MarketTexts = JSON.parse(json[index]);
    const tokens = [firstTokens[index], secondTokens[index]] as const;
    const ids = { conditionId, questionId: questionIds[index], slug: slugs[index], tokens };
    const market = marketOf(index, numbers, ids, texts, factsOf(texts), terms);
    terms = market.terms;
    return market;
  });
}
