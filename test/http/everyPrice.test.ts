// The prices of every token, which may be hundreds of thousands: they are told in many turns of the loop, so that nobody waits
// for them, and one reply is made at a time for all who ask for it. A whole server runs in this process.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Reply } from '../../server/http/endpoint.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { sharedReply } from '../../server/routes/sharedReply.ts';
import { get, newMarket, openTradingWorld, server } from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

test('the prices of all tokens let others have their turns', async () => {
  const made = await Promise.all(Array.from({ length: 600 }, () => newMarket()));
  const tokens = made.flatMap((market) => market.tokens);
  const found = await get('/prices');
  expect(tokens.filter((token) => found[token] === undefined)).toEqual([]);

  const everyPrice = endpoints.find(({ method, path }) => method === 'GET' && path === '/prices');
  let turns = 0;
  let over = false;
  const counted = (async () => {
    for (; !over; turns++) await nextTurn();
  })();
  const request = { query: new URLSearchParams() } as never;
  await everyPrice?.handler(request, { services: server.services } as never);
  over = true;
  await counted;
  expect(turns).toBeGreaterThan(1);
});

test('one reply is made at a time, for all who asked before it was begun', async () => {
  const made: { done(): void; fail(error: Error): void }[] = [];
  const key = {};
  const ask = sharedReply(
    () => new Promise<Reply>((resolve, reject) => made.push({ done: () => resolve({ body: '{}' }), fail: reject })),
  );
  const early = [ask(key), ask(key)];
  await nextTurn();
  const late = [ask(key), ask(key)];
  await nextTurn();
  expect(made).toHaveLength(1);
  made[0]?.fail(new Error('of the first'));
  for (const reply of early) await expect(reply).rejects.toThrow('of the first');
  await nextTurn();
  expect(made).toHaveLength(2);
  made[1]?.done();
  expect(await Promise.all(late)).toHaveLength(2);
  void ask(key);
  void ask({});
  await nextTurn();
  expect(made).toHaveLength(4);
});
