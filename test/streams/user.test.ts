// The user channel over real sockets (wire.md E.4): every change that a client causes comes to its own stream and to no
// other; credentials; filters; the steps of a trade; missed messages are recovered, from memory or from the log.
import { getAddress } from 'viem';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { requireKeyId } from '../../server/auth/keyIds.ts';
import { streamSettings } from '../../server/config/streamSettings.ts';
import type { Connection } from '../../server/streams/connection.ts';
import type { StreamFeed } from '../../server/streams/feed.ts';
import { UserSubscriber } from '../../server/streams/userChannel.ts';
import { UserEntries } from '../../server/streams/userEntries.ts';
import { UserStream } from '../../server/streams/userFeed.ts';
import type { Order } from '../../server/views/index.ts';
import {
  alice,
  bob,
  call,
  cancelAll,
  type MarketIds,
  marketIdsOf,
  newMarket,
  openTradingWorld,
  orderBody,
  post,
  server,
  type Trader,
} from '../http/tradingWorld.ts';
import { ADMIN, createKey, type HeaderFields, l2Headers, send, sendSigned, serviceHeaders } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import { startTestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';
import { TestSocket } from './socket.ts';
import { conditionOf, foundingCommands, StreamWorkload, tokenOf } from './workload.ts';

let carol: Trader;
beforeAll(async () => {
  await openTradingWorld();
  const wallet = server.wallets[2];
  carol = { wallet, key: await createKey(server.url, wallet) };
});
afterAll(() => server.close());

async function listen({ key }: Trader, more: object = {}, path = '/ws/user', { url } = server): Promise<TestSocket> {
  const socket = await TestSocket.open(url, path);
  socket.send({ auth: key, type: 'user', heartbeat: true, ...more });
  await socket.until(({ reader, closed }) => reader.sequences.size > 0 || closed !== undefined);
  return socket;
}

const kinds = (socket: TestSocket) =>
  (socket.reader.kept ?? [])
    .filter(({ event_type: type }) => type === 'order' || type === 'trade')
    .map(({ type, event_type: kind, status, size_matched: matched, trader_side: side }) =>
      kind === 'order' ? `${type} ${status} ${matched}` : `TRADE ${status} ${side}`,
    );

test('each account receives all of its own changes and none of other accounts', async () => {
  const where = await newMarket();
  const sockets = await Promise.all([listen(alice), listen(bob, {}, '/ws'), listen(carol)]);
  const [ofAlice, ofBob, ofCarol] = sockets;
  const placed = await post(alice, where, { pips: 4_000, shares: 20 });
  await post(carol, where, { pips: 3_900, shares: 6 });
  await post(bob, where, { pips: 6_000, shares: 5, token: 1 });
  await call(alice, 'DELETE', '/order', { orderID: placed.json.orderID });
  await post(bob, where, { pips: 3_000, shares: 10, orderType: 'FOK' });
  await cancelAll(carol);
  await ofAlice.until((socket) => kinds(socket).length >= 6);
  await ofBob.until((socket) => kinds(socket).length >= 5);
  await ofCarol.until((socket) => kinds(socket).length >= 2);
  const steps = (side: string) => ['MATCHED', 'MINED', 'CONFIRMED'].map((status) => `TRADE ${status} ${side}`);
  expect(kinds(ofAlice)).toEqual(['PLACEMENT LIVE 0', 'UPDATE LIVE 5', ...steps('MAKER'), 'CANCELLATION CANCELED 5']);
  expect(kinds(ofBob)).toEqual(['PLACEMENT MATCHED 5', ...steps('TAKER'), 'CANCELLATION CANCELED 0']);
  expect(kinds(ofCarol)).toEqual(['PLACEMENT LIVE 0', 'CANCELLATION CANCELED 0']);
  for (const [index, trader] of [alice, bob, carol].entries()) {
    const { reader, frames } = sockets[index];
    expect(reader.faults).toEqual([]);
    const others = [alice, bob, carol].filter((other) => other !== trader);
    for (const event of reader.kept ?? []) {
      if (event.event_type !== 'order') continue;
      expect([event.owner, event.maker_address]).toEqual([trader.key.apiKey, getAddress(trader.wallet.address)]);
    }
    if (trader !== carol) continue;
    for (const { key, wallet } of others) {
      expect(frames.join('').toLowerCase()).not.toContain(key.apiKey);
      expect(frames.join('').toLowerCase()).not.toContain(wallet.address.toLowerCase().slice(2));
    }
  }
  const [trade] = ofAlice.events('trade');
  expect([trade.maker_orders[0].order_id, trade.price, trade.size]).toEqual([placed.json.orderID, '0.6', '5']);
  expect(trade.match_time).toMatch(/^\d{10}$/);
  for (const socket of sockets) await socket.close();
});

test('a maker partly filled and cancelled in the same record is sent as LIVE, then as CANCELED', async () => {
  const where = await newMarket({ seconds_delay: 1 });
  const socket = await listen(alice, { markets: [where.conditionId] });
  const placed = await post(alice, where, { pips: 5_000, shares: 10 });
  expect((await post(bob, where, { pips: 5_000, shares: 6, token: 1 })).json.status).toBe('delayed');
  const owner = alice.wallet.address.toLowerCase();
  const taker = [...server.services.views.orders.openOf(bob.wallet.address.toLowerCase())][0];
  // Nothing else may happen at the moment of the release: the cancel makes the record that triggers it.
  while (Date.now() <= taker.createdMs + 1_000);
  const keyId = requireKeyId(alice.key.apiKey);
  await server.exchange.submit(encodeCommand({ type: 'CancelOrders', owner, keyId, items: [placed.json.orderID] }));
  await socket.until(() => kinds(socket).includes('CANCELLATION CANCELED 6'));
  const orders = kinds(socket).filter((kind) => !kind.startsWith('TRADE'));
  expect(orders).toEqual(['PLACEMENT LIVE 0', 'UPDATE LIVE 6', 'CANCELLATION CANCELED 6']);
  await socket.close();
});

test('delayed FOK and FAK orders unfilled at release go straight to CANCELED, a GTC order to LIVE', async () => {
  const where = await newMarket({ seconds_delay: 1 });
  const socket = await listen(bob, { markets: [where.conditionId] });
  const maker = await post(alice, where, { pips: 5_000, shares: 10 });
  const delayed: string[] = [];
  for (const orderType of ['FOK', 'FAK', 'GTC']) {
    const { json } = await post(bob, where, { pips: 5_000, shares: 6, token: 1, orderType });
    expect(json.status).toBe('delayed');
    delayed.push(json.orderID);
  }
  await call(alice, 'DELETE', '/order', { orderID: maker.json.orderID });
  const rested = delayed[2];
  const steps = (id: string) =>
    (socket.reader.kept ?? []).filter((event) => event.id === id).map(({ type, status }) => `${type} ${status}`);
  await socket.until(() => steps(rested).length === 2);
  const killed = ['PLACEMENT DELAYED', 'CANCELLATION CANCELED'];
  expect(delayed.map(steps)).toEqual([killed, killed, ['PLACEMENT DELAYED', 'UPDATE LIVE']]);
  for (const id of delayed.slice(0, 2)) {
    expect((await call(bob, 'GET', `/data/order/${id}`)).json).toMatchObject({ status: 'CANCELED', size_matched: '0' });
  }
  expect((await call(bob, 'GET', `/data/order/${rested}`)).json.status).toBe('LIVE');
  await call(bob, 'DELETE', '/order', { orderID: rested });
  await socket.close();
});

test('trade statuses follow the delays configured by the operator', async () => {
  const base = server.services.config.engine;
  const world = await startTestServer({ config: { engine: { ...base, minedDelayMs: 60, confirmedDelayMs: 1_000 } } });
  for (const command of foundingCommands(1)) await world.exchange.submit(command);
  const [wallet] = world.wallets;
  const trader = { wallet, key: await createKey(world.url, wallet) };
  const socket = await listen(trader, {}, '/ws/user', world);
  const where: MarketIds = { conditionId: conditionOf(0), tokens: [tokenOf(0, 0), tokenOf(0, 1)], negRisk: false };
  const workload = new StreamWorkload(1, 1);
  while (world.services.views.books.bestBidPips(0, 0) === 0) await world.exchange.submit(workload.next(Date.now()));
  const body = orderBody(trader, where, { pips: 9_900, shares: 10, token: 1 });
  expect((await sendSigned(world.url, wallet.address, trader.key, 'POST', '/order', body)).status).toBe(200);
  await socket.until(() => kinds(socket).includes('TRADE CONFIRMED TAKER'));
  const byStatus = (status: string) => socket.events('trade').filter((event) => event.status === status);
  const [matched] = byStatus('MATCHED');
  const [mined] = byStatus('MINED');
  const [confirmed] = byStatus('CONFIRMED');
  expect([mined.id, confirmed.id]).toEqual([matched.id, matched.id]);
  expect(Number(mined.timestamp) - Number(matched.timestamp)).toBeGreaterThanOrEqual(60);
  // The delays add up from the match: a late step does not shorten the next one.
  expect(Number(confirmed.timestamp) - Number(matched.timestamp)).toBeGreaterThanOrEqual(1_060);
  // Events and rows of both dialects distinguish the time of the match, which stays, from that of the last step.
  const seconds = (ms: unknown): string => String(Math.floor(Number(ms) / 1000));
  const times = { match_time: seconds(matched.timestamp), last_update: seconds(confirmed.timestamp) };
  expect(confirmed).toMatchObject(times);
  const headers = l2Headers(wallet.address, trader.key, 'GET', '/data/trades');
  const newestFor = async (asked: HeaderFields) =>
    (await send(world.url, 'GET', '/data/trades', undefined, asked)).json.data[0];
  expect(await newestFor(headers)).toMatchObject({ id: matched.id, ...times });
  const [isoMatch, isoUpdate] = [matched, confirmed].map(({ timestamp }) => new Date(Number(timestamp)).toISOString());
  expect(await newestFor(serviceHeaders(headers))).toMatchObject({
    id: matched.id,
    match_time: isoMatch,
    last_update: isoUpdate,
  });
  expect(socket.reader.faults).toEqual([]);
  await world.close();
});

test('credentials may name the key apikey instead of apiKey, and write it in capitals', async () => {
  const { apiKey, ...rest } = alice.key;
  for (const key of [{ apikey: apiKey }, { apiKey: apiKey.toUpperCase() }]) {
    const socket = await TestSocket.open(server.url, '/ws/user');
    socket.send({ auth: { ...key, ...rest }, type: 'user', heartbeat: true });
    await socket.until(({ reader, closed }) => reader.sequences.size > 0 || closed !== undefined);
    expect([socket.closed, socket.events('error')]).toEqual([undefined, []]);
    await socket.close();
  }
});

test('the error for a message that is not JSON fits the user channel too', async () => {
  const socket = await TestSocket.open(server.url, '/ws/user');
  socket.send('{');
  await socket.until(() => socket.events('error').length === 1);
  expect(socket.events('error')[0].error).toBe(
    'the message is not JSON; send PING, or a request as /asyncapi.json describes it',
  );
  await socket.close();
});

test('wrong credentials get an error and close the socket with 1008, whichever part is wrong', async () => {
  const builder = (await call(alice, 'POST', '/auth/builder-api-key')).json;
  const cases = [
    { apiKey: builder.key, secret: builder.secret, passphrase: builder.passphrase }, // valid, but not for sockets
    { ...alice.key, secret: bob.key.secret },
    { ...alice.key, passphrase: '0'.repeat(64) },
    { ...alice.key, apiKey: '00000000-0000-4000-8000-000000000000' },
    undefined,
  ];
  for (const auth of cases) {
    const socket = await TestSocket.open(server.url, '/ws/user');
    socket.send({ auth, type: 'user', markets: [], heartbeat: true });
    await socket.until(({ closed, reader }) => closed !== undefined || reader.sequences.size > 0);
    expect(socket.closed).toEqual({ code: 1008, reason: 'Unauthorized/Invalid api key' });
    expect(socket.events('error')[0].error).toBe('Unauthorized/Invalid api key');
  }
});

test('other credentials on an authenticated socket close it with 1008 and a reason', async () => {
  const cases = [
    [bob.key, 'this socket belongs to another API key: open one for each key'],
    [{ ...alice.key, secret: bob.key.secret }, 'Unauthorized/Invalid api key'],
  ] as const;
  for (const [auth, reason] of cases) {
    const socket = await listen(alice);
    socket.send({ auth, type: 'user', operation: 'subscribe' });
    await socket.until(({ closed }) => closed !== undefined);
    expect([socket.closed, socket.events('error')[0].error]).toEqual([{ code: 1008, reason }, reason]);
  }
});

test('deleting an API key closes its sockets, and it opens no more of them', async () => {
  const wallet = server.wallets[3];
  const trader = { wallet, key: await createKey(server.url, wallet) };
  const socket = await listen(trader);
  expect((await call(trader, 'DELETE', '/auth/api-key')).status).toBe(200);
  await socket.until(({ closed }) => closed !== undefined);
  expect(socket.closed).toEqual({ code: 1008, reason: 'the API key was deleted' });
  const again = await listen(trader);
  expect(again.closed).toEqual({ code: 1008, reason: 'Unauthorized/Invalid api key' });
});

test('deleting a key searches the sockets of its owner only, and closes none of other keys', async () => {
  const request = vi.spyOn(UserSubscriber.prototype, 'request');
  const sockets = [await listen(alice), await listen(bob)];
  const [{ host }] = request.mock.contexts as unknown as {
    readonly host: { readonly feed: StreamFeed; readonly parts: { readonly connections: Set<Connection> } };
  }[];
  request.mockRestore();
  const { feed, parts } = host;
  const search = vi.spyOn(parts.connections, Symbol.iterator);
  for (const { wallet } of [alice, { wallet: server.wallets[4] }]) {
    feed.onKeyDeleted?.(wallet.address.toLowerCase(), requireKeyId(bob.key.apiKey));
  }
  expect(search).not.toHaveBeenCalled();
  search.mockRestore();
  for (const socket of sockets) {
    socket.send('PING');
    await socket.until(({ frames }) => frames.includes('PONG'));
    await socket.close();
  }
});

test('a market filter limits a socket to streams without gaps; removing the last market lifts it', async () => {
  const [one, two] = [await newMarket(), await newMarket()];
  const socket = await listen(alice, { markets: [inUpperCase(one.conditionId)] });
  await post(alice, two, { pips: 2_000, shares: 10 });
  await post(alice, one, { pips: 2_000, shares: 10 });
  await post(alice, one, { pips: 2_100, shares: 10 });
  await socket.until(() => kinds(socket).length === 2);
  expect(socket.events('order').map(({ market }) => market)).toEqual([one.conditionId, one.conditionId]);
  socket.send({ operation: 'unsubscribe', markets: [one.conditionId] });
  await socket.until(({ reader }) => reader.sequences.size === 2);
  await cancelAll(alice);
  await socket.until(() => kinds(socket).length === 5);
  expect(socket.reader.faults).toEqual([]);
  await socket.close();
});

test('a resume delivers missed messages exactly once, and a foreign position gives a gap', async () => {
  const where = await newMarket();
  const socket = await listen(bob);
  const id = [...socket.reader.sequences.keys()][0];
  await post(bob, where, { pips: 1_000, shares: 10 });
  await socket.until(({ reader }) => reader.eventCount === 1);
  const at = socket.reader.sequences.get(id)!;
  await socket.close();
  for (let number = 0; number < 5; number += 1) await post(bob, where, { pips: 1_100, shares: 10 + number });
  const again = await listen(bob, { resume: { stream_id: id, sequence: at } });
  await post(bob, where, { pips: 1_200, shares: 10 });
  await again.until(({ reader }) => reader.eventCount === 6);
  expect(again.events('order').map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6].map((step) => at + step));
  await again.close();
  for (const point of [
    { stream_id: id, sequence: 10_000 },
    { stream_id: `${id.slice(0, -9)}000000000`, sequence: 1 },
    // Another log may have got just as far.
    { stream_id: `${id.slice(0, -9)}000000000`, sequence: at + 6 },
  ]) {
    const lost = await listen(bob, { resume: point });
    expect(lost.events('gap')).toHaveLength(1);
    expect(lost.events('gap')[0].sequence).toBe(at + 6);
    await lost.close();
  }
  await cancelAll(bob);
});

test('messages no longer in memory are read from the log byte for byte, also after a restart', async () => {
  const dataDir = tempDir();
  const config = { dataDir, streams: { ...streamSettings, userEntriesMax: 4 } };
  let world = await startTestServer({ config });
  const [wallet] = world.wallets;
  const trader = { wallet, key: await createKey(world.url, wallet) };
  const live = await listen(trader, {}, '/ws/user', world);
  const made = await send(world.url, 'POST', '/admin/markets', { question: 'Kept?', slug: 'kept' }, ADMIN);
  const where = marketIdsOf(made.json);
  for (let number = 0; number < 12; number += 1) {
    const body = orderBody(trader, where, { pips: 1_000 + number * 100, shares: 10 });
    expect((await sendSigned(world.url, wallet.address, trader.key, 'POST', '/order', body)).status).toBe(200);
  }
  await live.until(({ reader }) => reader.eventCount === 12);
  const sent = live.frames.slice(1);
  const [stream_id] = live.reader.sequences.keys();
  const resumeAfter = (sequence: number) => listen(trader, { resume: { stream_id, sequence } }, '/ws/user', world);
  await live.close();
  const replayed = await resumeAfter(0);
  await replayed.until(({ reader }) => reader.eventCount === 12);
  expect(replayed.frames).toEqual(sent);
  await world.close();
  world = await startTestServer({ config });
  const restarted = await resumeAfter(3);
  await restarted.until(({ reader }) => reader.eventCount === 9);
  expect(restarted.frames).toEqual(sent.slice(3));
  await world.close();
});

test('a request that names only unknown markets changes nothing but gets an error', async () => {
  const socket = await listen(alice);
  const [everything] = [...socket.reader.sequences.keys()];
  const unknown = `0x${'9'.repeat(64)}`;
  socket.send({ operation: 'subscribe', markets: [unknown] });
  await socket.until(() => socket.events('error').length === 1);
  expect(socket.events('error')[0].error).toBe(`no such market: ${unknown}`);
  await post(alice, await newMarket(), { pips: 3000, shares: 10 });
  await socket.until(() => socket.events('order').length === 1);
  expect(socket.events('order')[0].stream_id).toBe(everything);
  await cancelAll(alice);
  await socket.close();
});

test('a subscription to a draft market gets the error that there is no such market', async () => {
  const draft = await newMarket({ status: 'draft' });
  const socket = await TestSocket.open(server.url, '/ws/user');
  socket.send({ auth: alice.key, type: 'user', markets: [draft.conditionId], heartbeat: true });
  await socket.until(({ reader }) => reader.sequences.size > 0 || socket.events('error').length > 0);
  expect(socket.events('error').map(({ error }) => error)).toEqual([`no such market: ${draft.conditionId}`]);
  await socket.close();
});

test('the latest entry of a market is found without a search through those of other markets', () => {
  const kept = new UserEntries(1_000);
  const stream = new UserStream(alice.wallet.address, kept);
  const place = (marketIndex: number): void => {
    // The fields that an entry copies.
    const order = { marketIndex, status: 'LIVE', filledLots: 0, trades: [] } as unknown as Order;
    const marketNumber = stream.count(marketIndex);
    stream.push(kept.addOrder(stream, 'PLACEMENT', order, 0, stream.number, marketNumber));
  };
  for (let count = 1; count < 1_000; count += 1) place(0);
  place(1);
  const marketOf = vi.spyOn(kept, 'marketOf');
  const found = stream.since(1, 0, 64) ?? [];
  expect(found.map(({ number, marketNumber }) => [number, marketNumber])).toEqual([[1_000, 1]]);
  expect(marketOf).toHaveBeenCalledTimes(1);
});
