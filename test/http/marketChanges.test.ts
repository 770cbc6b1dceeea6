// Changes of one market that arrive together, before the first is durable: each keeps what the others have set, and is
// checked against it. Handlers are called without sockets, which could deliver the requests apart.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changedTexts } from '../../server/commands/creation.ts';
import { callHandler } from './handlerTurns.ts';
import { admin, closeOperatorWorld, newMarket, openOperatorWorld, server } from './operatorWorld.ts';

beforeAll(openOperatorWorld);
afterAll(closeOperatorWorld);

interface Asked {
  readonly condition_id: string;
}

const change = ({ condition_id }: Asked, body: object) =>
  Promise.resolve(
    callHandler(
      'PATCH',
      '/admin/markets/{condition_id}',
      { params: { condition_id }, json: () => body },
      { services: server.services },
    ),
  );
const textsOf = ({ condition_id }: Asked) => server.services.views.markets.byCondition(condition_id)?.texts;

test('changes of different flags and rewards that arrive together are all kept', async () => {
  const market = await newMarket({ flags: { featured: true }, rewards: { min_size: 10 } });
  await Promise.all([
    change(market, { flags: { fresh: true } }),
    change(market, { flags: { funded: true }, rewards: { min_size: 50 } }),
    change(market, { flags: { featured: false }, rewards: { max_spread: 3 } }),
  ]);
  const { json } = await admin(`/admin/markets/${market.condition_id}`, undefined, 'GET');
  expect(json).toMatchObject({
    flags: { featured: false, fresh: true, funded: true },
    rewards: { min_size: 50, max_spread: 3 },
  });
});

test('a date is checked against one that arrived just before it, and a refused change does not hinder the next', async () => {
  const market = await newMarket();
  const [early, late] = ['2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'];
  const changes = await Promise.allSettled([
    change(market, { start_date: late }),
    change(market, { end_date: early }),
    change(market, { end_date: late, flags: { fresh: true } }),
  ]);
  const message = `invalid_field: end_date: it must not be before start_date, which is ${late}`;
  expect(changes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { message, status: 400 } },
    { status: 'fulfilled' },
  ]);
  expect(textsOf(market)).toMatchObject({ startDate: late, endDate: late, flags: { fresh: true } });
});

test('a market that a log without this check let end before it starts can be changed in all but its dates', () => {
  const before = { startDate: '2031-01-01T00:00:00.000Z', endDate: '2030-01-01T00:00:00.000Z' };
  expect(changedTexts({ question: 'Changed?' }, before).question).toBe('Changed?');
  expect(() => changedTexts({ end_date: '2030-06-01T00:00:00Z' }, before)).toThrow('end_date: it must not be before');
});
