// Third-party clients, unmodified, beside one another on a busy exchange: the official unified SDK on both channels, a
// third-party subscription manager and Node's own WebSocket. Every event must pass the official parsers, and the SDK must
// pass on what arrived. STREAMS_CLIENTS_SECONDS says how long (60 unless set).
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocketHandlers } from '@nevuamarkets/poly-websockets';
import { MarketEventSchema, UserEventSchema } from '@polymarket/bindings/subscriptions';
import { createSecureClient, forkEnvironmentConfig } from '@polymarket/client';
import { privateKey } from '@polymarket/client/viem';
import { expect, test } from 'vitest';
import { developmentKey, newTrader, OrderType, Side } from '../conformance/world.ts';
import { send } from '../support/client.ts';
import { startServerProcess } from '../support/process.ts';
import { environmentNumber } from '../support/wholeNumber.ts';
import { TestSocket } from './socket.ts';

const SECONDS = environmentNumber('STREAMS_CLIENTS_SECONDS', 60);
const MARKETS = 20;
/** Most orders while events are still missing after the time is over. */
const ROUNDS_MAX = 500;
/** The kinds of events that each must have received by the end. */
const OF_SDK = ['book', 'price_change', 'last_trade_price', 'best_bid_ask', 'order', 'trade'];
const OF_THIRD_PARTY = ['book', 'price_change', 'last_trade_price'];

/** The manager knows only one address: it is given a WebSocket package that redirects that address here. */
function thirdParty(url: string): typeof import('@nevuamarkets/poly-websockets') {
  const require = createRequire(import.meta.url);
  const RealSocket = require('ws');
  class RedirectedSocket extends RealSocket {
    constructor(address: string) {
      super(address.replace(/^wss:\/\/[^/]+/, url.replace('http', 'ws')));
    }
  }
  const path = require.resolve('ws');
  const cached = require.cache[path];
  if (cached !== undefined) cached.exports = RedirectedSocket;
  const manager = require('@nevuamarkets/poly-websockets');
  if (cached !== undefined) cached.exports = RealSocket;
  return manager;
}

interface Token {
  readonly token_id: string;
}

test(
  `every client parses every frame of ${SECONDS} s of a busy house`,
  async () => {
    const server = await startServerProcess({ args: ['--house', 'busy', '--ws-heartbeat', '500ms'] });
    const { url } = server;
    const ws = url.replace('http', 'ws');
    const { data } = (await send(url, 'GET', '/sampling-markets?next_cursor=MA==')).json;
    const markets = data.slice(0, MARKETS) as { readonly condition_id: string; readonly tokens: readonly Token[] }[];
    const tokenIds = markets.flatMap(({ tokens }) => tokens.map(({ token_id: id }) => id));

    const key = developmentKey(0);
    const trader = await newTrader(url, 0, key);
    const environment = forkEnvironmentConfig({
      name: 'outcry',
      clob: { rest: url, market: { ws: `${ws}/ws/market` }, user: { ws: `${ws}/ws/user` } },
      gamma: { rest: `${url}/gamma` },
      data: { rest: `${url}/data-api` },
    });
    const { creds } = trader.client;
    if (creds === undefined) throw new Error('the trader has no credentials');
    const client = await createSecureClient({
      environment,
      signer: privateKey(key),
      wallet: trader.account.address,
      credentials: creds as never, // the same three parts, branded there
    });
    const sdkCounts = new Map<string, number>();
    const listen = async (topic: 'market' | 'user'): Promise<() => Promise<void>> => {
      const handle =
        topic === 'user'
          ? await client.subscribe([{ topic: 'user' }])
          : await client.subscribe([{ topic: 'market', tokenIds: tokenIds as never, customFeatureEnabled: true }]);
      const done = (async () => {
        for await (const event of handle) sdkCounts.set(event.type, (sdkCounts.get(event.type) ?? 0) + 1);
      })();
      return async () => {
        await handle.close();
        await done;
      };
    };
    const ends = [await listen('market'), await listen('user')];

    const rawMarket = await TestSocket.open(url, '/ws/market');
    rawMarket.send({ type: 'market', assets_ids: tokenIds, custom_feature_enabled: true });
    const rawUser = await TestSocket.open(url, '/ws/user');
    const auth = { apiKey: creds.key, secret: creds.secret, passphrase: creds.passphrase };
    rawUser.send({ type: 'user', auth, markets: [], assets_ids: [], initial_dump: true });

    const own = new WebSocket(`${ws}/ws/market`);
    let ownFrames = 0;
    own.onopen = () => own.send(JSON.stringify({ type: 'market', operation: 'subscribe', assets_ids: tokenIds }));
    own.onmessage = ({ data: text }) => {
      JSON.parse(String(text));
      ownFrames += 1;
    };

    const thirdPartyCounts = new Map<string, number>();
    const errors: string[] = [];
    const count = (type: string) => async (events: readonly unknown[]) => {
      thirdPartyCounts.set(type, (thirdPartyCounts.get(type) ?? 0) + events.length);
    };
    const handlers = {
      onBook: count('book'),
      onPriceChange: count('price_change'),
      onLastTradePrice: count('last_trade_price'),
      onTickSizeChange: count('tick_size_change'),
      onPolymarketPriceUpdate: count('price_update'),
      onError: async (error: Error) => {
        errors.push(error.message);
      },
    } as unknown as WebSocketHandlers; // counts every event
    const { WSSubscriptionManager } = thirdParty(url);
    const manager = new WSSubscriptionManager(handlers);
    await manager.addSubscriptions(tokenIds);

    const isComplete = (): boolean =>
      OF_SDK.every((type) => sdkCounts.has(type)) &&
      OF_THIRD_PARTY.every((type) => thirdPartyCounts.has(type)) &&
      ownFrames > 0;

    const endMs = Date.now() + SECONDS * 1_000;
    // Longer on a busy machine, until everybody has received everything; the expectations below report what never comes.
    for (let number = 0; Date.now() < endMs || (number < ROUNDS_MAX && !isComplete()); number += 1) {
      const tokenID = tokenIds[number % tokenIds.length];
      const order = { tokenID, price: 0.03, size: 50, side: Side.BUY };
      await trader.client.createAndPostOrder(order, {}, OrderType.GTC).catch(() => {});
      const take = { tokenID, amount: 5, price: 0.97, side: Side.BUY };
      await trader.client.createAndPostMarketOrder(take, {}, OrderType.FAK).catch(() => {});
      if (number % 10 === 9) await trader.client.cancelAll();
      await sleep(200);
    }
    await trader.client.cancelAll();
    for (const end of ends) await end();
    await manager.clearState();
    own.close();

    expect(rawMarket.reader.faults).toEqual([]);
    expect(rawUser.reader.faults).toEqual([]);
    const unparsed: unknown[] = [];
    for (const [socket, schema] of [
      [rawMarket, MarketEventSchema],
      [rawUser, UserEventSchema],
    ] as const) {
      for (const event of socket.reader.kept ?? []) {
        const { success, error } = schema.safeParse(event);
        if (!success && unparsed.length < 5) unparsed.push({ event, issues: error.issues });
      }
    }
    expect(unparsed).toEqual([]);
    const counts = Object.fromEntries(rawMarket.reader.counts);
    console.info(
      `${rawMarket.frames.length} frames of the market channel (${JSON.stringify(counts)}), ` +
        `${rawUser.reader.eventCount} events of the user's; the SDK handed on ${JSON.stringify(Object.fromEntries(sdkCounts))}, ` +
        `the third party ${JSON.stringify(Object.fromEntries(thirdPartyCounts))}, Node's own socket took ${ownFrames} frames`,
    );
    for (const type of OF_SDK) expect(sdkCounts.get(type) ?? 0, `${type} events of the SDK`).toBeGreaterThan(0);
    for (const type of OF_THIRD_PARTY) expect(thirdPartyCounts.get(type) ?? 0, type).toBeGreaterThan(0);
    expect(errors).toEqual([]);
    expect(ownFrames).toBeGreaterThan(0);
    await rawMarket.close();
    await rawUser.close();
    await server.stop();
  },
  SECONDS * 5_000 + 300_000,
);
