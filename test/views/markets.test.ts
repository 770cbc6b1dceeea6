// What a change of a market changes in its record, and what it leaves: the time of its book, of its end, and its question's id;
// and that a snapshot keeps what events are found by. What the engine allows to change is tested in test/core.
import { expect, test } from 'vitest';
import { type EventOf, MarketStatus } from '../../engine/index.ts';
import { MarketsView } from '../../server/views/markets.ts';
import { initialPricePips } from '../../server/views/texts.ts';
import { tailOf } from '../support/commandParts.ts';
import { wordOf } from '../support/hex.ts';
import { KeptSections } from '../support/keptSections.ts';
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

test('after a snapshot an event is found by its slug, with its markets', () => {
  const markets = new MarketsView();
  const tail = tailOf({ slug: 'weather', title: 'Weather' });
  for (const eventNumber of [1, 2]) {
    const command = { type: 'CreateEvent', negRisk: 1, tail: eventNumber === 2 ? tail : tailOf({}) } as const;
    markets.eventCreated({ type: 'EventCreated', eventNumber }, command, 1_000);
  }
  for (const [marketIndex, eventNumber] of [0, 2, 1, 2].entries()) {
    const [conditionId, firstToken, secondToken] = [1, 2, 3].map((id) => wordOf(10 * marketIndex + id));
    const ids = { marketIndex, eventNumber, conditionId, firstToken, secondToken };
    markets.created({ type: 'MarketCreated', ...PLAIN_TERMS, ...ids }, { type: 'Tick' }, 2_000);
  }
  const kept = new Map<string, unknown>();
  markets.visit(new KeptSections(kept, false));
  const loaded = new MarketsView();
  loaded.visit(new KeptSections(kept, true));
  for (const view of [markets, loaded]) {
    const event = view.eventBySlug('weather');
    expect(event).toMatchObject({ eventNumber: 2, negRisk: true, createdMs: 1_000, texts: { title: 'Weather' } });
    expect(event).toBe(view.eventByNumber(2));
    expect(event?.markets).toEqual([view.byIndex(1), view.byIndex(3)]);
    expect(view.eventBySlug('')).toBeUndefined();
  }
});

test('the price before any trade is at most 1, and one half unless given', () => {
  expect(['0.25', '1', '1.5', '', undefined].map(initialPricePips)).toEqual([2_500, 10_000, 10_000, 5_000, 5_000]);
});
