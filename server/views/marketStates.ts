// What the status of a market means: who sees it, whether it has books, whether it is over. A draft is not there for anybody
// but its operator: routes ask here, and the historian for the markets that a question names.
import { MarketStatus } from '../../engine/index.ts';
import type { MarketsView } from './markets.ts';
import type { Market } from './records.ts';

/** Whether those who trade may see the market. */
export const isListed = ({ status }: Pick<Market, 'status'>): boolean => status !== MarketStatus.DRAFT;

/** Whether the market's tokens have a book: from its opening to its close. */
export const hasBook = ({ status }: Pick<Market, 'status'>): boolean =>
  status === MarketStatus.OPEN || status === MarketStatus.PAUSED;

/** Whether trading has ended for good. */
export const isOver = ({ status }: Pick<Market, 'status'>): boolean =>
  status === MarketStatus.CLOSED || status === MarketStatus.RESOLVED;

/** Listed markets by their names. */
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
