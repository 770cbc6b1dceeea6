// What a market's status implies: who sees it, whether it has books, whether trading is over. To order books, streams and
// user data a draft is unknown: routes check that here, and so does the historian for the markets named in a query. The
// catalog shows it by its number or slug, and in lists that ask for active=false. Orders, splits, merges and redemptions are
// refused with its status.
import { MarketStatus } from '../../engine/index.ts';
import type { MarketsView } from './markets.ts';
import type { Market } from './records.ts';

/** Whether traders may see the market. */
export const isListed = ({ status }: Pick<Market, 'status'>): boolean => status !== MarketStatus.DRAFT;

/** Whether the market's tokens have a book, as they do from its opening to its close. */
export const hasBook = ({ status }: Pick<Market, 'status'>): boolean =>
  status === MarketStatus.OPEN || status === MarketStatus.PAUSED;

/** Whether trading has ended for good. */
export const isOver = ({ status }: Pick<Market, 'status'>): boolean =>
  status === MarketStatus.CLOSED || status === MarketStatus.RESOLVED;

/** Lookups that find listed markets only. */
interface ListedMarkets {
  byCondition(conditionId: string): Market | undefined;
  ofEvent(eventNumber: number): readonly Market[];
}

export const listedMarkets = (markets: MarketsView): ListedMarkets => ({
  byCondition: (conditionId) => {
    const market = markets.byCondition(conditionId);
    return market !== undefined && isListed(market) ? market : undefined;
  },
  ofEvent: (eventNumber) => (markets.eventByNumber(eventNumber)?.markets ?? []).filter(isListed),
});
