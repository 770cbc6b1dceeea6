// Interface C.6: the official unified client reads the notifications of an account and drops one. It parses their times as
// milliseconds.
import { createSecureClient, forkEnvironmentConfig } from '@polymarket/client';
import { privateKey } from '@polymarket/client/viem';
import { generatePrivateKey } from 'viem/accounts';
import { expect, test } from 'vitest';
import { world } from './ownWorld.ts';
import { createMarket, limit, newTrader, Side, take } from './world.ts';

test('the unified client reads when a fill was, and drops its notification', async () => {
  const key = generatePrivateKey();
  const [maker, taker] = [await newTrader(world.url, 0, key), await newTrader(world.url)];
  const market = await createMarket(world.url);
  const { orderID } = await limit(maker, market, Side.BUY, market.yes, 0.4, 10);
  await take(taker, market, Side.BUY, market.no, 3);
  const client = await createSecureClient({
    environment: forkEnvironmentConfig({ name: 'outcry', clob: { rest: world.url } }),
    signer: privateKey(key),
    wallet: maker.account.address,
    credentials: maker.client.creds as never, // the same three parts, branded there
  });
  const [fill, ...others] = await client.fetchNotifications();
  expect(others).toEqual([]);
  expect([fill.type, fill.payload]).toEqual([2, expect.objectContaining({ order_id: orderID })]);
  expect(Math.abs(new Date(fill.timestamp).getTime() - Date.now())).toBeLessThan(60_000);
  await client.dropNotifications({ ids: [String(fill.id)] });
  expect(await client.fetchNotifications()).toEqual([]);
});
