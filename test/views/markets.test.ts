// What a change of a market changes in its record, and what it leaves: the time of its book, of its end, and its question's id.
// What the engine allows to change is tested in test/core.
import { expect, test } from 'vitest';
import { type EventOf, MarketStatus } from '../../engine/index.ts';
import { MarketsView } from '../../server/views/markets.ts';
import { initialPricePips } from '../../server/views/texts.ts';
import { tailOf } from '../support/commandParts.ts';
import { wordOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';

/** A view of one market, which has just been created. */
function oneMarket() {
  const markets = new MarketsView();
  const ids = { conditionId: wordOf(1), firstToken: wordOf(2), secondToken: wordOf(3) };
  const created = { type: 'MarketCreated', marketIndex: 0, eventNumber: 0, ...PLAIN_TERMS, ...ids } as const;
  markets.created(created, { type: 'Tick' }, 1_000);
  const update = (change: Partial<EventOf<'MarketUpdated'>>, tMs: number) =>
    markets.updated({ ...PLAIN_TERMS, type: 'MarketUpdated', marketIndex: 0, ...change }, tMs);
  return { markets, update, market: () => markets.byIndex(0) };
}

test('another tick or minimum changes the book, and other terms do not', () => {
  const { update, market } = oneMarket();
  const { tickPips, minOrderLots } = PLAIN_TERMS;
  update({ feeRate: 100 }, 2_000);
  expect(market()?.bookChangedMs).toBe(1_000);
  update({ minOrderLots: minOrderLots + 1 }, 3_000);
  expect(market()?.bookChangedMs).toBe(3_000);
  update({ minOrderLots: minOrderLots + 1, tickPips: tickPips / 10 }, 4_000);
  expect(market()?.bookChangedMs).toBe(4_000);
});

test('a market that is changed after its end keeps the time of its end', () => {
  const { update, market } = oneMarket();
  for (const tMs of [2_000, 3_000]) update({ status: MarketStatus.CLOSED }, tMs);
  expect([market()?.closedMs, market()?.updatedMs]).toEqual([2_000, 3_000]);
});

test("a question's id, once given, stays", () => {
  const { markets, market } = oneMarket();
  for (const number of [7, 8]) {
    const terms = { ...PLAIN_TERMS, marketIndex: 0, mask: 0, tail: tailOf({ questionId: wordOf(number) }) };
    markets.textsChanged({ type: 'UpdateMarket', ...terms });
    expect(market()?.questionId).toBe(wordOf(7));
  }
});

test('the price before any trade is at most 1, and one half unless given', () => {
  expect(['0.25', '1', '1.5', '', undefined].map(initialPricePips)).toEqual([2_500, 10_000, 10_000, 5_000, 5_000]);
});
