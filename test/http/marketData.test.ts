// Market data and markets over HTTP: every form of a query for one token and for many, the replies for empty books and
// unknown tokens, and the lists and records of markets. A whole server runs in this process.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZERO_BYTES32 } from '../../server/auth/hex.ts';
import { ADMIN, send } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import { alice, bob, cancelAll, get, market, newMarket, openTradingWorld, post, server } from './tradingWorld.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

test('market data covers one or many tokens and either side, and rejects unknown tokens and bad input', async () => {
  const place = await newMarket({ tick_size: '0.001', fee: { rate: '0.05', exponent: 1 } }, true);
  const [yes, no] = place.tokens;
  await post(alice, place, { pips: 4120, shares: 10 });
  await post(bob, place, { pips: 5500, shares: 20, token: 1 });
  const list = [{ token_id: yes }, { token_id: no }, { token_id: '999' }];
  const both = { [yes]: { BUY: '0.412', SELL: '0.45' }, [no]: { BUY: '0.55', SELL: '0.588' } };
  const posted = async (path: string, body: unknown) => (await send(server.url, 'POST', path, body)).json;
  expect(await posted('/prices', list)).toEqual(both);
  expect(await posted('/prices', [{ token_id: yes, side: 'SELL' }])).toEqual({ [yes]: { SELL: '0.45' } });
  for (const all of ['/prices', '/prices?token_ids=']) expect(await get(all)).toMatchObject(both);
  expect(await get(`/prices?token_ids=${yes}&sides=`)).toEqual({ [yes]: both[yes] });
  expect(await get(`/prices?token_ids=${yes},${no}&sides=BUY,%20SELL`)).toEqual({
    [yes]: { BUY: '0.412' },
    [no]: { SELL: '0.588' },
  });
  expect(await get(`/price?token_id=${yes}&side=buy`)).toEqual({ price: '0.412' });
  expect(await get(`/midpoint?token_id=${yes}`)).toEqual({ mid: '0.431' });
  expect(await posted('/midpoints', list)).toEqual({ [yes]: '0.431', [no]: '0.569' });
  expect(await get(`/spreads?token_ids=${yes}`)).toEqual({ [yes]: '0.038' });
  expect(await get(`/last-trade-price?token_id=${yes}`)).toEqual({ price: '0.5', side: '' });
  expect(await posted('/last-trades-prices', list)).toEqual([]);
  expect(await posted('/books', list)).toHaveLength(2);
  expect((await get(`/books?token_ids=${no}`))[0]).toMatchObject({
    asset_id: no,
    bids: [{ price: '0.55', size: '20' }],
  });
  expect(await get(`/tick-size/${yes}`)).toEqual({ minimum_tick_size: 0.001 });
  expect(await get(`/neg-risk?token_id=${no}`)).toEqual({ neg_risk: true });
  expect(await get(`/fee-rate?token_id=${no}`)).toEqual({ base_fee: 1000 });

  const trade = await post(alice, place, { pips: 4500, shares: 10 });
  expect(trade.json.status).toBe('matched');
  expect(await get(`/last-trade-price?token_id=${no}`)).toEqual({ price: '0.55', side: 'SELL' });
  expect(await posted('/last-trades-prices', list)).toEqual([
    { token_id: yes, price: '0.45', side: 'BUY' },
    { token_id: no, price: '0.55', side: 'SELL' },
  ]);

  const noBook = { error: 'No orderbook exists for the requested token id' };
  for (const path of ['/book', '/midpoint', '/spread', '/price']) {
    expect((await send(server.url, 'GET', `${path}?side=BUY`)).json).toEqual({ error: 'Invalid token id' });
    const unknown = await send(server.url, 'GET', `${path}?token_id=999&side=BUY`);
    expect([unknown.status, unknown.json]).toEqual([404, noBook]);
  }
  expect(await get(`/price?token_id=${yes}&side=MID`)).toEqual({ error: 'Invalid side' });
  expect((await send(server.url, 'GET', '/tick-size?token_id=999')).json).toEqual({ error: 'market not found' });
  expect(await posted('/books', Array(501).fill({ token_id: yes }))).toEqual({ error: 'Payload exceeds the limit' });
  for (const body of [{}, [7], 'x'])
    expect(await posted('/midpoints', body)).toMatchObject({ error: 'Invalid payload' });
  await Promise.all([cancelAll(alice), cancelAll(bob)]);
});

test('draft tokens are unknown; tokens of a closed market have no book, but terms and a last price', async () => {
  const open = await newMarket();
  const draft = await newMarket({ status: 'draft' });
  const over = await newMarket({ fee: { rate: '0.05', exponent: 1 } });
  await post(alice, over, { pips: 4000, shares: 20 });
  await post(bob, over, { pips: 6000, shares: 10, token: 1 });
  const closing = { status: 'closed' };
  expect((await send(server.url, 'PATCH', `/admin/markets/${over.conditionId}`, closing, ADMIN)).status).toBe(200);

  for (const [token] of [draft.tokens, over.tokens]) {
    for (const path of ['/book', '/midpoint', '/spread', '/price']) {
      const { status, json } = await send(server.url, 'GET', `${path}?token_id=${token}&side=BUY`);
      expect([path, status, json.error]).toEqual([path, 404, 'No orderbook exists for the requested token id']);
    }
    const list = [{ token_id: token }, { token_id: open.tokens[0] }];
    const posted = async (path: string) => (await send(server.url, 'POST', path, list)).json;
    expect((await posted('/books')).map((book: { asset_id: string }) => book.asset_id)).toEqual([open.tokens[0]]);
    for (const path of ['/prices', '/midpoints', '/spreads']) {
      expect(Object.keys(await posted(path)), path).toEqual([open.tokens[0]]);
    }
    expect(await get('/prices')).not.toHaveProperty(token);
  }
  expect(await get('/prices')).toHaveProperty(open.tokens[1]);
  for (const path of ['/tick-size', '/neg-risk', '/fee-rate', '/last-trade-price']) {
    const [ofDraft, ofOver] = [draft, over].map(({ tokens }) => `${path}?token_id=${tokens[0]}`);
    expect([path, (await send(server.url, 'GET', ofDraft)).status]).toEqual([path, 404]);
    expect([path, (await send(server.url, 'GET', ofOver)).status]).toEqual([path, 200]);
  }
  expect(await get(`/last-trade-price?token_id=${over.tokens[0]}`)).toEqual({ price: '0.4', side: 'SELL' });
});

test('markets have list, detail and compact records, and draft markets are hidden', async () => {
  const draft = await newMarket({ status: 'draft' });
  const page = await get('/markets?next_cursor=MA==');
  expect(page).toMatchObject({ next_cursor: 'LTE=', count: page.data.length });
  const ids = page.data.map((record: { condition_id: string }) => record.condition_id);
  expect(ids).toContain(market.conditionId);
  expect(ids).not.toContain(draft.conditionId);
  expect(page.data[0]).not.toHaveProperty('market_id');
  expect(await get(`/markets/${inUpperCase(market.conditionId)}`)).toMatchObject({
    condition_id: market.conditionId,
    status: 'active',
    assets_ids: market.tokens,
  });
  expect(await get(`/clob-markets/${market.conditionId}`)).toMatchObject({ c: market.conditionId, mts: 0.01, r: null });
  expect(await get(`/markets-by-token/${market.tokens[1]}`)).toMatchObject({ condition_id: market.conditionId });
  expect((await get('/simplified-markets')).data[0]).toHaveProperty('market_id', 1);
  for (const path of [`/clob-markets/${ZERO_BYTES32}`, `/markets-by-token/${draft.tokens[0]}`]) {
    expect(await get(path)).toEqual({ error: 'market not found' });
  }
  expect((await get(`/markets/${draft.conditionId}`)).error).toBe('id not found');
});
