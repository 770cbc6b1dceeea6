// The newest trades of markets as a public feed: GET and POST /markets/live-activity (wire.md C.3). Thin: trades come from
// the views, their shape from wire/activity.ts. Draft markets are invisible here.

import type { Endpoint, Handler } from '../http/endpoint.ts';
import { isListed, type Market, type NumberList, type Views } from '../views/index.ts';
import { readMarketIds, tradeEvent } from '../wire/activity.ts';
import * as schemas from '../wire/schemas/marketData.ts';
import { findMarket } from './markets.ts';

/** Most trades in one reply. */
const EVENTS_MAX = 100;

/**
 * The greatest numbers of all lists, in descending order. Of each list it reads one number more than it takes.
 * @param lists rising numbers; no number is in two lists
 */
export function greatestOf(lists: readonly NumberList[], countMax: number): number[] {
  const valueAt = (list: NumberList, at: number): number | undefined => (at < 0 ? undefined : list.at(at));
  const heads = lists.map((list) => ({ list, at: list.length - 1, value: valueAt(list, list.length - 1) }));
  const greatest: number[] = [];
  while (greatest.length < countMax) {
    let best: (typeof heads)[number] | undefined;
    let value = -1;
    for (const head of heads) {
      if (head.value === undefined || head.value <= value) continue;
      best = head;
      value = head.value;
    }
    if (best === undefined) break;
    greatest.push(value);
    best.at -= 1;
    best.value = valueAt(best.list, best.at);
  }
  return greatest;
}

/** The newest trades of all the given markets, newest first. */
function reply({ trades, markets }: Views, requested: readonly Market[]) {
  const lists = requested.map(({ index }) => trades.ofMarket(index));
  const events = greatestOf(lists, EVENTS_MAX).map((ordinal) => {
    const trade = trades.byOrdinal(ordinal);
    const market = markets.of(trade);
    return tradeEvent(trade, market, markets.eventByNumber(market.eventNumber));
  });
  return { body: JSON.stringify(events) };
}

const oneMarket: Handler = (request, { services: { views } }) => reply(views, [findMarket(request, views)]);

/** Markets that do not exist are left out. */
const manyMarkets: Handler = (request, { services: { views } }) => {
  const requested = new Set<Market>();
  for (const conditionId of readMarketIds(request.json())) {
    const market = views.markets.byCondition(conditionId);
    if (market !== undefined && isListed(market)) requested.add(market);
  }
  return reply(views, [...requested]);
};

const row = { auth: 'none', throttle: 'general', section: 'wire C.3' } as const;

export const activityEndpoints: readonly Endpoint[] = [
  {
    ...row,
    method: 'GET',
    path: '/markets/live-activity/{condition_id}',
    summary: 'The newest 100 trades of a market, newest first.',
    schema: schemas.liveActivity,
    handler: oneMarket,
  },
  {
    ...row,
    method: 'POST',
    path: '/markets/live-activity',
    summary: 'The newest 100 trades across up to 500 markets.',
    schema: schemas.manyLiveActivity,
    handler: manyMarkets,
  },
];
