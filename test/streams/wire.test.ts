// The streams' replies in situations where existing clients differ: an empty list of markets, invalid credentials, streams
// resumed by name alone, a market resolved without a winner, requests with fields that are ignored.
import { MarketEventSchema } from '@polymarket/bindings/subscriptions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { alice, cancelAll, get, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { ADMIN, send } from '../support/client.ts';
import { TestSocket } from './socket.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

/** Waits until the exchange has answered everything before: what it owes is paid a turn later when others have used this one. */
async function settle(socket: TestSocket): Promise<void> {
  const pongs = (): number => socket.frames.filter((frame) => frame === 'PONG').length;
  for (const last = pongs() + 2; pongs() < last; ) {
    const count = pongs();
    socket.send('PING');
    await socket.until(() => pongs() > count);
  }
}

/** Waits until the clock has passed a moment (ms), so that whatever follows has another time. */
async function untilAfter(tMs: number): Promise<void> {
  while (Date.now() <= tMs) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function listen(more: object): Promise<TestSocket> {
  const socket = await TestSocket.open(server.url, '/ws/user');
  socket.send({ auth: alice.key, type: 'user', heartbeat: true, ...more });
  await socket.until(({ reader }) => reader.sequences.size > 0);
  return socket;
}

async function watch(message: object): Promise<TestSocket> {
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'market', heartbeat: true, ...message });
  await settle(socket);
  return socket;
}

test('an empty market list means every market, also on a socket that named some before', async () => {
  const [one, two] = [await newMarket(), await newMarket()];
  const socket = await listen({ markets: [one.conditionId] });
  socket.send({ type: 'user', operation: 'subscribe', markets: [], auth: alice.key });
  await settle(socket);
  await post(alice, two, { pips: 2_000, shares: 10 });
  await socket.until(() => socket.events('order').length > 0);
  expect(socket.events('order')[0].market).toBe(two.conditionId);
  expect(socket.reader.faults).toEqual([]);
  await cancelAll(alice);
  await socket.close();
});

test.each([{ apiKey: 'x' }, {}, 'x'])('malformed credentials close the socket with 1008: %j', async (auth) => {
  const socket = await TestSocket.open(server.url, '/ws/user');
  socket.send({ auth, type: 'user' });
  await socket.until(({ closed }) => closed !== undefined);
  expect(socket.closed?.code).toBe(1008);
  expect(socket.closed?.reason).toMatch(/^auth must /);
});

test('on /ws, a first message without a type opens the user channel if it has credentials, else the market channel', async () => {
  const { tokens } = await newMarket();
  const [user, market] = await Promise.all([TestSocket.open(server.url, '/ws'), TestSocket.open(server.url, '/ws')]);
  user.send({ auth: alice.key, heartbeat: true });
  market.send({ assets_ids: tokens });
  for (const socket of [user, market]) await settle(socket);
  const ofOwner = await listen({});
  expect([...user.reader.sequences.keys()]).toEqual([...ofOwner.reader.sequences.keys()]);
  expect([...market.reader.books.keys()].sort()).toEqual([...tokens].sort());
  for (const socket of [user, market, ofOwner]) await socket.close();
});

test('a type that names the operation, as some clients send it, leaves the channel to the path', async () => {
  const where = await newMarket();
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ type: 'Subscribe', assets_ids: where.tokens, heartbeat: true });
  await socket.until(({ reader }) => reader.counts.get('book') === 2);
  socket.send({ type: 'unsubscribe', assets_ids: [where.tokens[0]] });
  await socket.until(({ reader }) => reader.counts.get('heartbeat') === 1);
  socket.send({ type: 'unsubscribe', operation: 'subscribe', assets_ids: [where.tokens[0]] });
  await socket.until(({ reader }) => reader.counts.get('book') === 3);
  const user = await listen({ type: 'subscribe' });
  expect(user.events('heartbeat')[0].stream_id).toMatch(/^u[0-9a-f]{40}-all-/);
  for (const each of [socket, user]) {
    expect(each.reader.faults).toEqual([]);
    await each.close();
  }
});

test.each([[null], [{}], [{ apiKey: '', secret: null, passphrase: null }], ['x'], [[]]])(
  'the market channel ignores credentials: %j',
  async (auth) => {
    const { tokens } = await newMarket();
    for (const path of ['/ws/market', '/ws/', '/ws']) {
      const socket = await TestSocket.open(server.url, path);
      socket.send({ auth, type: 'market', assets_ids: tokens });
      await settle(socket);
      expect([path, socket.reader.counts.get('book')]).toEqual([path, 2]);
      await socket.close();
    }
  },
);

test('null stands for a key that is absent', async () => {
  const { tokens } = await newMarket();
  const absent = { operation: null, markets: null, custom_feature_enabled: null, initial_dump: null };
  const message = { ...absent, auth: null, resume: null, heartbeat: null };
  const socket = await TestSocket.open(server.url, '/ws/market');
  socket.send({ ...message, type: null, assets_ids: tokens });
  await settle(socket);
  // Neither leaves the tokens nor names any.
  socket.send({ ...message, type: 'market', assets_ids: null });
  await settle(socket);
  expect([...socket.reader.counts]).toEqual([['book', 2]]);
  await socket.close();
});

test('a subscription to the tokens of a draft market gets the error that there are none', async () => {
  const { tokens } = await newMarket({ status: 'draft' });
  const socket = await watch({ assets_ids: tokens });
  expect(socket.events('error').map(({ error }) => error)).toEqual([`no such token: ${tokens.join(', ')}`]);
  expect([...socket.reader.counts.keys()]).toEqual(['error']);
  await socket.close();
});

test('custom features that a resumed stream brings stay on in later requests without the flag', async () => {
  const [one, two] = [await newMarket(), await newMarket()];
  const first = await watch({ assets_ids: one.tokens, custom_feature_enabled: true });
  const { stream_id, sequence } = first.events('book')[0];
  expect(stream_id).toContain('-bc-');
  await first.close();
  const resume = { stream_id, sequence };
  const socket = await watch({ resume });
  expect(socket.reader.sequences.get(stream_id)).toBe(sequence);
  socket.send({ operation: 'subscribe', assets_ids: two.tokens });
  await socket.until(({ reader }) => reader.counts.get('book') === 2);
  expect(socket.events('book').map(({ stream_id: id }) => id.slice(9, 13))).toEqual(['-bc-', '-bc-']);
  // A resume of tokens that it follows asks for something new.
  socket.send({ operation: 'subscribe', assets_ids: one.tokens, resume });
  await settle(socket);
  expect(socket.frames).not.toContain('NO NEW ASSETS');
  expect(socket.events('gap')).toEqual([]);
  expect(socket.reader.faults).toEqual([]);
  await socket.close();
});

test('a socket that turns custom features off gets no new markets until it turns them on again', async () => {
  const socket = await watch({ assets_ids: [], custom_feature_enabled: true });
  const switchTo = async (isCustom: boolean): Promise<void> => {
    socket.send({ operation: 'subscribe', assets_ids: [], custom_feature_enabled: isCustom });
    await settle(socket);
  };
  await switchTo(false);
  await newMarket();
  await settle(socket);
  expect([...socket.reader.counts]).toEqual([['heartbeat', 1]]);
  await switchTo(true);
  const [first, second] = socket.events('heartbeat').map(({ sequence }) => sequence);
  expect(second).toBe(first + 1);
  await newMarket();
  await socket.until(({ reader }) => reader.counts.get('new_market') === 1);
  expect(socket.events('new_market')[0].sequence).toBe(second + 1);
  await socket.close();
});

test('a tick size set and set back within one record sends followers a book that matches GET /book', async () => {
  const where = await newMarket({ auto_tick: true });
  const [token] = where.tokens;
  const socket = await watch({ assets_ids: [token] });
  await post(alice, where, { pips: 9_700, shares: 10 });
  const fine = await get(`/book?token_id=${token}`);
  await untilAfter(Number(fine.timestamp));
  // The order near the end of the range makes the tick fine again at once.
  await send(server.url, 'PATCH', `/admin/markets/${where.conditionId}`, { tick_size: '0.01' }, ADMIN);
  const { timestamp, hash, tick_size } = await get(`/book?token_id=${token}`);
  expect([tick_size, timestamp === fine.timestamp]).toEqual([fine.tick_size, false]);
  await socket.until(({ reader }) => reader.books.get(token)?.timestamp === timestamp);
  expect(socket.events('book').at(-1)).toMatchObject({ hash, tick_size });
  expect(socket.reader.faults).toEqual([]);
  await cancelAll(alice);
  await socket.close();
});

test('an owner stream of one market can be resumed by its id alone', async () => {
  const where = await newMarket();
  const socket = await listen({ markets: [where.conditionId] });
  const [stream_id] = socket.reader.sequences.keys();
  await post(alice, where, { pips: 1_000, shares: 10 });
  await socket.until(() => socket.events('order').length === 1);
  await socket.close();
  await post(alice, where, { pips: 1_100, shares: 10 });
  const again = await listen({ resume: { stream_id, sequence: 1 } });
  expect(again.events('order').map(({ sequence, price }) => [sequence, price])).toEqual([[2, '0.11']]);
  expect([...again.reader.sequences.keys()]).toEqual([stream_id]);
  // Of two positions in it, the one in this log counts, in any order.
  const points = [
    { stream_id, sequence: 2 },
    { stream_id: `${stream_id.slice(0, -9)}000000000`, sequence: 7 },
  ];
  for (const resume of [points, points.toReversed()]) {
    const both = await listen({ resume });
    expect(both.events('gap')).toEqual([]);
    await both.close();
  }
  await cancelAll(alice);
  await again.close();
});

test('of several positions in one market, the one in the followed stream counts, in any order', async () => {
  const { tokens } = await newMarket();
  const first = await watch({ assets_ids: tokens });
  const { stream_id, sequence } = first.events('book')[0];
  first.send({ operation: 'unsubscribe', assets_ids: [tokens[1]] });
  await settle(first);
  const left = first.events('heartbeat')[0];
  await first.close();
  const points = [
    { stream_id, sequence },
    { stream_id: left.stream_id, sequence: left.sequence },
    { stream_id: `${stream_id.slice(0, -9)}000000000`, sequence: 7 },
  ];
  for (const resume of [points, points.toReversed()]) {
    const socket = await watch({ assets_ids: tokens, resume });
    expect([socket.events('gap'), socket.events('heartbeat').map((event) => event.stream_id)]).toEqual([
      [],
      [stream_id],
    ]);
    await socket.close();
  }
});

test('resuming two streams of one market follows both tokens in one stream', async () => {
  const where = await newMarket();
  const both = await watch({ assets_ids: where.tokens });
  const { stream_id, sequence } = both.events('book')[0];
  await both.close();
  const point = (form: string) => ({ stream_id: stream_id.replace('-bp-', form), sequence });
  for (const resume of [
    [point('-fp-'), point('-bp-')],
    [point('-fp-'), point('-sp-')],
  ]) {
    const socket = await watch({ resume });
    const [last] = [...socket.reader.sequences.keys()].slice(-1);
    expect(last).toBe(stream_id);
    await socket.close();
  }
});

test('a position in another stream of the same owner is not ignored', async () => {
  const [one, two] = [await newMarket(), await newMarket()];
  const all = await listen({});
  const ofOne = await listen({ markets: [one.conditionId] });
  const [everything, own] = [all, ofOne].map(({ reader }) => [...reader.sequences.keys()][0]);
  for (const socket of [all, ofOne]) await socket.close();
  await post(alice, one, { pips: 1_000, shares: 10 });
  const point = { stream_id: own, sequence: 0 };
  const joined = await listen({ markets: [two.conditionId], resume: point });
  await joined.until(() => joined.events('order').length === 1 && joined.reader.sequences.size === 2);
  expect(joined.events('order')[0].stream_id).toBe(own);
  const resume = { stream_id: everything, sequence: 0 };
  const narrowed = await listen({ markets: [one.conditionId], resume });
  expect(narrowed.events('gap').map((event) => [event.stream_id, event.sequence, event.missed_from])).toEqual([
    [own, 1, 1],
  ]);
  const widened = await listen({
    resume: [point, { stream_id: everything, sequence: all.reader.sequences.get(everything) }],
  });
  await widened.until(() => widened.events('order').length === 1);
  expect([...widened.reader.sequences.keys()]).toEqual([everything]);
  for (const socket of [joined, narrowed, widened]) await socket.close();
  await cancelAll(alice);
});

test('a resume of an unknown stream gets an error that names it', async () => {
  const { tokens } = await newMarket();
  const first = await watch({ assets_ids: tokens });
  const id: string = first.events('book')[0].stream_id;
  await newMarket({ status: 'draft' });
  const next = (Number.parseInt(id.slice(1, 9), 16) + 1).toString(16).padStart(8, '0');
  const ofDraft = `m${next}${id.slice(9)}`;
  for (const name of [`${id.slice(0, -9)}000000000`, 'nonsense', ofDraft]) {
    const socket = await watch({ resume: { stream_id: name, sequence: 5 } });
    expect(socket.events('error')[0].error).toBe(`no such stream: ${name}`);
    await socket.close();
  }
  await first.close();
});

test('unknown tokens or markets and unknown streams are reported in one error', async () => {
  const resume = { stream_id: 'nonsense', sequence: 5 };
  const market = `0x${'9'.repeat(64)}`;
  const [ofMarket, ofUser] = await Promise.all([
    watch({ assets_ids: ['999'], resume }),
    TestSocket.open(server.url, '/ws/user'),
  ]);
  ofUser.send({ auth: alice.key, type: 'user', markets: [market], resume });
  await settle(ofUser);
  expect(ofMarket.events('error').map(({ error }) => error)).toEqual(['no such token: 999; no such stream: nonsense']);
  expect(ofUser.events('error').map(({ error }) => error)).toEqual([
    `no such market: ${market}; no such stream: nonsense`,
  ]);
  for (const socket of [ofMarket, ofUser]) await socket.close();
});

test('a stream that is not one of the owner gets an error that names it, and the others go on', async () => {
  const where = await newMarket();
  const first = await listen({ markets: [where.conditionId] });
  const [own] = [...first.reader.sequences.keys()];
  const ofNoMarket = own.replace(/-[0-9a-f]{8}-/, '-ffffffff-');
  const ofMarket = await watch({ assets_ids: where.tokens });
  const foreign: string = ofMarket.events('book')[0].stream_id;
  for (const name of ['x', ofNoMarket, foreign]) {
    const socket = await listen({ resume: { stream_id: name, sequence: 1 } });
    await socket.until(() => socket.events('error').length === 1 && socket.events('heartbeat').length > 0);
    expect(socket.events('error')[0].error).toBe(`no such stream: ${name}`);
    await socket.close();
  }
  for (const socket of [first, ofMarket]) await socket.close();
});

test('new markets resume by stream id alone; a position in another log gives a gap from 1', async () => {
  const first = await watch({ assets_ids: [], custom_feature_enabled: true });
  const { stream_id, sequence } = first.events('heartbeat')[0];
  await newMarket();
  const again = await watch({ resume: { stream_id, sequence } });
  expect(again.events('new_market').map((event) => event.sequence)).toEqual([sequence + 1]);
  const ofOther = { stream_id: 'new-markets-000000000', sequence: 3 };
  const other = await watch({ resume: ofOther });
  expect(other.events('gap').map(({ missed_from: from }) => from)).toEqual([1]);
  const ofBoth = await watch({ resume: [ofOther, { stream_id, sequence }] });
  expect([ofBoth.events('gap'), ofBoth.events('new_market').length]).toEqual([[], 1]);
  for (const socket of [first, again, other, ofBoth]) await socket.close();
});

test('a split market resolves with an empty winner that the official parser accepts', async () => {
  const { tokens, conditionId } = await newMarket();
  const socket = await watch({ assets_ids: tokens, custom_feature_enabled: true });
  await send(server.url, 'POST', `/admin/markets/${conditionId}/resolve`, { outcome: 'split' }, ADMIN);
  await socket.until(() => socket.events('market_resolved').length === 1);
  const [event] = socket.events('market_resolved');
  expect([event.winning_asset_id, event.winning_outcome]).toEqual(['0', '']);
  expect(MarketEventSchema.safeParse(event).error).toBeUndefined();
  await socket.close();
});

test('PING is answered in any capitalization, and with blanks around it', async () => {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws/market`);
  const answers: string[] = [];
  socket.on('open', () => {
    for (const text of ['ping', 'Ping', 'PING', ' PING\r\n']) socket.send(text);
  });
  await new Promise<void>((resolve) =>
    socket.on('message', (data: Buffer) => {
      answers.push(data.toString('utf8'));
      if (answers.length === 4) resolve();
    }),
  );
  expect(answers).toEqual(['pong', 'PONG', 'PONG', 'PONG']);
  socket.terminate();
});

test('the AsyncAPI document accepts the keys that official clients send', async () => {
  const { channels } = await get('/asyncapi.json');
  const sent = {
    market: ['type', 'operation', 'markets', 'assets_ids', 'initial_dump', 'custom_feature_enabled', 'level'],
    user: ['type', 'operation', 'markets', 'assets_ids', 'initial_dump', 'auth'],
  };
  for (const [name, keys] of Object.entries(sent)) {
    const { properties, additionalProperties } = channels[name].messages.request.payload;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(keys));
    expect(additionalProperties).toBeUndefined();
  }
});
