// pmxt against the mount /gamma. Only its catalog reads can be pointed at a host (by environment variables, read when it is
// loaded); its books, trades and candles go to fixed hosts. It brings five hundred packages with it and so is no
// dependency: where it is installed (npm install --no-save pmxt-core@2.41.0), this compares its results with the catalog;
// elsewhere it says so and does nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newMarket, openTradingWorld, server } from '../http/tradingWorld.ts';
import { ADMIN, send } from '../support/client.ts';

const PACKAGE = 'pmxt-core';

interface Listed {
  readonly title: string;
  readonly slug?: string;
  readonly outcomes?: readonly { readonly outcomeId: string }[];
}
interface Client {
  fetchMarkets(query: object): Promise<readonly Listed[]>;
  fetchEvents(query: object): Promise<readonly Listed[]>;
}

async function installed(): Promise<(new (options: object) => Client) | undefined> {
  try {
    // The package is absent when types are checked; this is the class's type according to its declarations.
    return ((await import(PACKAGE)) as { readonly Polymarket: new (options: object) => Client }).Polymarket;
  } catch {
    return undefined;
  }
}

beforeAll(async () => {
  await openTradingWorld();
  const event = { title: 'Who wins the cup', slug: 'the-cup', tags: ['sports'] };
  await send(server.url, 'POST', '/admin/events', event, ADMIN);
});
afterAll(() => server.close());

test('pmxt finds events and markets by list, text and slug', async () => {
  const market = await newMarket({ event: 'the-cup', slug: 'of-the-cup', end_date: '2030-01-01T12:00:00Z' });
  const { url } = server;
  process.env.POLYMARKET_GAMMA_URL = `${url}/gamma/events`;
  process.env.POLYMARKET_GAMMA_MARKETS_URL = `${url}/gamma/markets`;
  process.env.POLYMARKET_GAMMA_SEARCH_URL = `${url}/gamma/public-search`;
  const Polymarket = await installed();
  if (Polymarket === undefined) {
    process.stdout.write(`${PACKAGE} is not installed: what it reads of the catalog is not looked at.\n`);
    return;
  }
  const client = new Polymarket({});
  const [listed] = await client.fetchMarkets({ limit: 5 });
  expect(listed.outcomes?.map(({ outcomeId }) => outcomeId)).toEqual([...market.tokens]);
  expect((await client.fetchMarkets({ slug: 'of-the-cup' })).length).toBe(1);
  expect((await client.fetchEvents({ query: 'cup' })).map(({ title }) => title)).toEqual(['Who wins the cup']);
});
