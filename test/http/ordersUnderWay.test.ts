// Orders and cancels that are under way together: a cancel takes its turn behind the orders that arrived before it, and in a
// batch during an outage each order is answered by its own fate. The handlers are called without sockets, which tell no order.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningExchange, StorageUnavailable } from '../../engine/index.ts';
import { requireKeyId } from '../../server/auth/keyIds.ts';
import type { HttpRequest, Reply } from '../../server/http/endpoint.ts';
import { callHandler } from './handlerTurns.ts';
import { alice, market, openTradingWorld, orderBody, server } from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

/** What a handler answers to Alice. */
async function ask(method: string, path: string, body?: unknown, exchange: Partial<RunningExchange> = server.exchange) {
  const request: Partial<HttpRequest> = { header: () => '', json: () => body, parsed: (parse) => parse(body) };
  const { apiKey } = alice.key;
  const caller = () => ({ owner: alice.wallet.address, apiKey, keyId: requireKeyId(apiKey) });
  const reply = (await callHandler(method, path, request, {
    services: { ...server.services, exchange },
    caller,
  })) as Reply;
  return JSON.parse(String(reply.body));
}

const order = () => orderBody(alice, market, { pips: 3_000, shares: 10 });

test('a cancel does not overtake an order that arrived before it', async () => {
  const [placed, { canceled }] = await Promise.all([ask('POST', '/order', order()), ask('DELETE', '/cancel-all')]);
  expect([placed.status, canceled]).toEqual(['live', [placed.orderID]]);
});

test('of a batch during an outage, each order learns whether it may have been accepted', async () => {
  const outages = [new StorageUnavailable('the disk hangs', true), new StorageUnavailable('the disk hangs')];
  const submit = (): Promise<never> => Promise.reject(outages.shift());
  const answers = await ask('POST', '/orders', [order(), order()], { now: () => server.exchange.now(), submit });
  expect(answers.map(({ errorMsg }: { errorMsg: string }) => errorMsg)).toEqual([
    expect.stringMatching(/^it is not known whether this was accepted/),
    expect.stringMatching(/^the exchange does not accept commands at present/),
  ]);
});
