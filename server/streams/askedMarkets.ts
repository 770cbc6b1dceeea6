// Resolves a request of the market channel: which tokens of which markets it names, and where its client stands in their
// streams. Read by marketChannel.ts, which acts on it. Nothing is changed here.
import { isListed, type Views } from '../views/index.ts';
import { type Form, isCatalogStream, parseMarketStreamId, tokensOfForm } from '../wire/streamIds.ts';
import type { StreamRequest } from '../wire/streamRequests.ts';
import type { StreamFeed } from './feed.ts';

/** A client's resume point in one of a market's streams, as the client states it. */
export interface MarketResumePoint {
  readonly form: Form;
  readonly sequence: number;
  readonly isOfThisLog: boolean;
}

interface AskedTokens {
  /** By market index, the tokens as bits: 1 the first, 2 the second. */
  readonly tokens: Map<number, number>;
  /** Ids that belong to no listed market. */
  readonly unknownTokens: readonly string[];
}

interface AskedStreams extends AskedTokens {
  /** By market index. */
  readonly resumePoints: ReadonlyMap<number, readonly MarketResumePoint[]>;
  /** Names of streams that cannot be resumed. */
  readonly unknownStreams: readonly string[];
}

/** The listed tokens among the ids. Drafts count as unknown. */
export function askedTokens(views: Views, assetIds: readonly string[]): AskedTokens {
  const tokens = new Map<number, number>();
  const unknownTokens: string[] = [];
  for (const assetId of assetIds) {
    const place = views.markets.byToken(assetId);
    if (place === undefined || !isListed(place.market)) unknownTokens.push(assetId);
    else tokens.set(place.market.index, (tokens.get(place.market.index) ?? 0) | (place.outcome + 1));
  }
  return { tokens, unknownTokens };
}

/**
 * The streams that a request asks for, by tokens and by resume points: one that is resumed counts as asked for even if none of its
 * market's tokens is named, unless it is unknown.
 */
export function askedStreams({ views, log }: StreamFeed, { assetIds, resume }: StreamRequest): AskedStreams {
  const { tokens, unknownTokens } = askedTokens(views, assetIds);
  const resumePoints = new Map<number, MarketResumePoint[]>();
  const unknownStreams: string[] = [];
  const ofTokens = new Set(tokens.keys());
  for (const { streamId, sequence } of resume) {
    const name = parseMarketStreamId(streamId);
    if (name === undefined) {
      if (!isCatalogStream(streamId)) unknownStreams.push(streamId);
      continue;
    }
    const { marketIndex, form } = name;
    const market = views.markets.byIndex(marketIndex);
    const isOfThisLog = name.log === log && market !== undefined && isListed(market);
    if (!ofTokens.has(marketIndex)) {
      if (!isOfThisLog) {
        unknownStreams.push(streamId);
        continue;
      }
      tokens.set(marketIndex, (tokens.get(marketIndex) ?? 0) | tokensOfForm(form));
    }
    const ofMarket = resumePoints.get(marketIndex) ?? [];
    ofMarket.push({ form, sequence, isOfThisLog });
    resumePoints.set(marketIndex, ofMarket);
  }
  return { tokens, unknownTokens, resumePoints, unknownStreams };
}
