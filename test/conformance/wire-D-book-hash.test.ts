// Interface D through the official client: the hash in every book is the one that the client computes from the book it
// received. It changes with the book and only with it, and equal books have equal hashes. Books are posted, filled and
// cancelled over HTTP; the hash is never computed here by the server's own code.
import { createHash } from 'node:crypto';
import type { OrderBookSummary } from '@polymarket/clob-client-v2';
import { expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { world } from './ownWorld.ts';
import { maker, taker } from './twoTraders.ts';
import { createMarket, giveShares, limit, type Market, Side, take } from './world.ts';

async function checkedBooks(market: Market): Promise<readonly [OrderBookSummary, OrderBookSummary]> {
  const [yes, no] = await Promise.all([taker.client.getOrderBook(market.yes), taker.client.getOrderBook(market.no)]);
  for (const book of [yes, no]) {
    expect(book.hash).toMatch(/^[a-f0-9]{40}$/);
    expect(book.timestamp).toMatch(/^\d{13}$/);
    // The client clears and rewrites the hash of the object that it is given.
    expect(await taker.client.getOrderBookHash({ ...book })).toBe(book.hash);
    const { market: condition, asset_id, timestamp, bids, asks, min_order_size, tick_size, neg_risk } = book;
    const ordered = {
      market: condition,
      asset_id,
      timestamp,
      hash: '',
      bids,
      asks,
      min_order_size,
      tick_size,
      neg_risk,
      last_trade_price: book.last_trade_price,
    };
    expect(createHash('sha1').update(JSON.stringify(ordered)).digest('hex')).toBe(book.hash);
  }
  expect(yes.timestamp).toBe(no.timestamp);
  expect(yes.hash).not.toBe(no.hash);
  return [yes, no];
}

test.each([
  { tickSize: '0.01', negRisk: false },
  { tickSize: '0.0001', negRisk: true },
] as const)(
  'the hash is correct and new after every change of a book (tick $tickSize, neg-risk $negRisk)',
  async (terms) => {
    const market = await createMarket(world.url, terms);
    const hashes = new Set<string>();
    const [empty] = await checkedBooks(market);
    hashes.add(empty.hash);
    await giveShares(world.url, taker, market.yes, '100');
    const steps: readonly (() => Promise<unknown>)[] = [
      () => limit(maker, market, Side.BUY, market.yes, 0.41, 10.5),
      () => limit(maker, market, Side.BUY, market.no, 0.43, 20),
      () => limit(taker, market, Side.SELL, market.yes, 0.58, 7),
      () => take(taker, market, Side.SELL, market.yes, 5.25, 0.41),
      () => take(taker, market, Side.BUY, market.yes, 2.85, 0.57),
      () => maker.client.cancelAll(),
      () => taker.client.cancelAll(),
    ];
    for (const [index, step] of steps.entries()) {
      await step();
      const [yes] = await checkedBooks(market);
      hashes.add(yes.hash);
      expect(hashes.size, `after step ${index}`).toBe(index + 2);
    }
  },
);

test('an unchanged book keeps its hash and timestamp despite other markets and rejected orders', async () => {
  const [market, elsewhere] = [await createMarket(world.url), await createMarket(world.url)];
  await limit(maker, market, Side.BUY, market.yes, 0.41, 10);
  const before = await checkedBooks(market);
  await limit(maker, elsewhere, Side.BUY, elsewhere.yes, 0.41, 10);
  await expect(limit(maker, market, Side.BUY, market.yes, 0.41, 1)).rejects.toThrow('lower than the minimum');
  await expect(take(taker, market, Side.BUY, market.no, 100, 0.6)).rejects.toThrow('FOK orders');
  expect(await checkedBooks(market)).toEqual(before);
});

test('every endpoint that returns books gives the same text', async () => {
  const market = await createMarket(world.url);
  await limit(maker, market, Side.BUY, market.yes, 0.41, 10);
  const [yes, no] = await checkedBooks(market);
  const posted = await send(world.url, 'POST', '/books', [{ token_id: market.yes }, { token_id: market.no }]);
  const listed = await send(world.url, 'GET', `/books?token_ids=${market.yes},${market.no}`);
  expect(JSON.stringify(posted.json)).toBe(JSON.stringify([yes, no]));
  expect(JSON.stringify(listed.json)).toBe(JSON.stringify([yes, no]));
});
