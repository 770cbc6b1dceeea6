// Stores markets in snapshots as columns: there may be hundreds of thousands, and plain objects would take ten times as long to
// load. Used by markets.ts alone. Fields that follow from a market's texts are not stored but derived from the texts again.
import { type MarketStatus, type Resolution, type Sections, type Side, visitTexts } from '../../engine/index.ts';
import type { Draft, Market, MarketTerms, MarketTexts } from './records.ts';

/** How many numbers a market has, in the order of writeNumbers; NaN stands for undefined. */
const NUMBERS = 21;
const orNone = (value: number | undefined): number => value ?? Number.NaN;
const orUndefined = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

function writeNumbers(market: Market, n: Float64Array): void {
  const { terms, lastTrade } = market;
  const at = market.index * NUMBERS;
  n[at] = market.eventNumber;
  n[at + 1] = terms.tickPips;
  n[at + 2] = terms.minOrderLots;
  n[at + 3] = terms.minMarketableBuyMicro;
  n[at + 4] = terms.feeRate;
  n[at + 5] = terms.feeExponent;
  n[at + 6] = terms.delaySeconds;
  n[at + 7] = terms.autoTick ? 1 : 0;
  n[at + 8] = market.negRisk ? 1 : 0;
  n[at + 9] = market.status;
  n[at + 10] = orNone(market.resolution);
  n[at + 11] = market.createdMs;
  n[at + 12] = market.updatedMs;
  n[at + 13] = orNone(market.closedMs);
  n[at + 14] = orNone(market.resolvedMs);
  n[at + 15] = orNone(lastTrade?.pricePips);
  n[at + 16] = orNone(lastTrade?.side);
  n[at + 17] = orNone(lastTrade?.tMs);
  n[at + 18] = market.bookChangedMs;
  n[at + 19] = market.tradeCount;
  n[at + 20] = market.version;
}

/** The text fields of a market that are stored as columns of their own. */
type MarketIds = Pick<Market, 'conditionId' | 'questionId' | 'slug' | 'tokens'>;

/** The fields derived from the texts alone. */
type TextFacts = Pick<Market, 'outcomes' | 'question'>;

/** A market's terms from its numbers; the previous market's object where the values are equal, as they mostly are. */
function termsAt(n: Float64Array, at: number, before: MarketTerms | undefined): MarketTerms {
  const autoTick = n[at + 7] === 1;
  if (
    before?.tickPips === n[at + 1] &&
    before.minOrderLots === n[at + 2] &&
    before.minMarketableBuyMicro === n[at + 3] &&
    before.feeRate === n[at + 4] &&
    before.feeExponent === n[at + 5] &&
    before.delaySeconds === n[at + 6] &&
    before.autoTick === autoTick
  )
    return before;
  return {
    tickPips: n[at + 1],
    minOrderLots: n[at + 2],
    minMarketableBuyMicro: n[at + 3],
    feeRate: n[at + 4],
    feeExponent: n[at + 5],
    delaySeconds: n[at + 6],
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
  const lastPips = orUndefined(n[at + 15]);
  return {
    index,
    marketId: index + 1,
    eventNumber: n[at],
    conditionId: ids.conditionId,
    questionId: ids.questionId,
    tokens: ids.tokens,
    outcomes: facts.outcomes,
    slug: ids.slug,
    question: facts.question,
    texts,
    terms,
    negRisk: n[at + 8] === 1,
    // writeNumbers wrote them, so status, resolution and side are within their types.
    status: n[at + 9] as MarketStatus,
    resolution: orUndefined(n[at + 10]) as Resolution | undefined,
    createdMs: n[at + 11],
    updatedMs: n[at + 12],
    closedMs: orUndefined(n[at + 13]),
    resolvedMs: orUndefined(n[at + 14]),
    lastTrade: lastPips === undefined ? undefined : { pricePips: lastPips, side: n[at + 16] as Side, tMs: n[at + 17] },
    bookChangedMs: n[at + 18],
    tradeCount: n[at + 19],
    version: n[at + 20],
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
