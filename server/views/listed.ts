// Which markets those who trade may see: every market but a draft, which is not there for anybody who asks. Used by the
// routes, and by the historian for the markets that a question names. Never asked by the operator's own endpoints.
import { MarketStatus } from '../../engine/index.ts';
import type { MarketsView } from './markets.ts';
import type { Market } from './records.ts';

/** Whether those who trade may see the market. */
export const isListed = ({ status }: Market): boolean => status !== MarketStatus.DRAFT;

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
