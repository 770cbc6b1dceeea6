// createExchange as the tests of a bot use it: several independent exchanges in one process; a clock that the test moves;
// settings by the names of the configuration file; a folder that outlives an exchange.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { afterEach, expect, test, vi } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { Exchange } from '../../engine/core/index.ts';
import { VirtualClock } from '../../engine/index.ts';
import { Catalog } from '../../server/catalog/index.ts';
import { createExchange, type OwnExchange, ownConfig } from '../../server/createExchange.ts';
import { createMarket, type Market, newTrader, OrderType, Side } from '../conformance/world.ts';
import { TestSocket } from '../streams/socket.ts';
import { send } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { freePort } from '../support/ports.ts';
import { tempDir } from '../support/tempDir.ts';

const running: OwnExchange[] = [];

async function create(...args: Parameters<typeof createExchange>): Promise<OwnExchange> {
  const exchange = await createExchange(...args);
  running.push(exchange);
  return exchange;
}

afterEach(async () => {
  for (const exchange of running.splice(0)) await exchange.close();
});

const traderOf = ({ url, wallets: [{ privateKey }] }: OwnExchange) => newTrader(url, 0, privateKey as Hex);
const bid = ({ yes }: Market) => ({ tokenID: yes, price: 0.4, size: 10, side: Side.BUY });

test('two exchanges in one process share no markets or orders', async () => {
  const [one, other] = await Promise.all([create(), create()]);
  expect(one.url).not.toBe(other.url);
  const [trader, stranger] = await Promise.all([traderOf(one), traderOf(other)]);
  const market = await createMarket(one.url);
  const reply = await trader.client.createAndPostOrder(bid(market), { tickSize: '0.01' }, OrderType.GTC);
  expect(reply).toMatchObject({ success: true, status: 'live' });
  expect(await trader.client.getOpenOrders()).toHaveLength(1);
  expect(await stranger.client.getOpenOrders()).toEqual([]);
  expect((await send(other.url, 'GET', `/markets/${market.conditionId}`)).status).toBe(404);
});

test('each exchange draws a number of its own that keeps the places of order ids secret', async () => {
  const hideIds = vi.spyOn(Exchange.prototype, 'hideIds');
  try {
    await Promise.all([create(), create()]);
    const salts = hideIds.mock.calls.map(([salt]) => salt);
    expect(new Set(salts).size).toBe(2);
    for (const salt of salts) expect(Number.isInteger(salt) && salt >= 0 && salt < 2 ** 31).toBe(true);
  } finally {
    hideIds.mockRestore();
  }
});

test('an exchange on an IPv6 address is reached by its URL', async () => {
  const exchange = await create({ host: '::1' }).catch((error) => {
    if (error.reason !== 'port') throw error;
    console.info('Not tried: this machine has no address ::1.');
  });
  if (exchange === undefined) return;
  expect(exchange.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await send(exchange.url, 'GET', '/ok')).status).toBe(200);
});

test('an exchange has the catalog of npm start and, by default, empty order books', async () => {
  const exchange = await create();
  const { json: markets } = await send(exchange.url, 'GET', '/markets?limit=100');
  expect(markets.length).toBe(100);
  const tokens: string[] = markets.flatMap(({ clobTokenIds }: { clobTokenIds: string }) => JSON.parse(clobTokenIds));
  const asked = tokens.slice(0, 100).map((token_id) => ({ token_id }));
  const { json: books } = await send(exchange.url, 'POST', '/books', asked);
  expect(books).toHaveLength(100);
  for (const { bids, asks } of books) expect([bids, asks]).toEqual([[], []]);
});

test('a query may list 200 token ids, as in npm start, although uWebSockets.js by default ends at 4 kB', async () => {
  const exchange = await create();
  const { json: markets } = await send(exchange.url, 'GET', '/markets?limit=100');
  const tokens: string[] = markets.flatMap(({ clobTokenIds }: { clobTokenIds: string }) => JSON.parse(clobTokenIds));
  expect(tokens).toHaveLength(200);
  const { status, json } = await send(exchange.url, 'GET', `/midpoints?token_ids=${tokens.join(',')}`);
  const asked = tokens.map((token_id) => ({ token_id }));
  expect([status, json]).toEqual([200, (await send(exchange.url, 'POST', '/midpoints', asked)).json]);
});

test('a GTD order expires when the clock is advanced to its expiration', async () => {
  const startS = Math.floor(Date.now() / 1_000); // clients sign with the system's time
  const clock = new VirtualClock(startS * 1_000);
  const exchange = await create({}, clock);
  const { client } = await traderOf(exchange);
  const market = await createMarket(exchange.url);
  const order = { ...bid(market), expiration: startS + 600 };
  await client.createAndPostOrder(order, { tickSize: '0.01' }, OrderType.GTD);
  const bids = async () => (await send(exchange.url, 'GET', `/book?token_id=${market.yes}`)).json.bids;

  clock.advance(500_000);
  expect((await send(exchange.url, 'GET', '/time')).json).toBe(startS + 500);
  expect(await bids()).toEqual([{ price: '0.4', size: '10' }]);
  clock.advance(100_000);
  expect(await bids()).toEqual([]);
});

test('invalid settings are rejected by name', async () => {
  // @ts-expect-error: a program in JavaScript hears of it too
  await expect(createExchange({ hous: 'calm' })).rejects.toThrow('hous is not a setting. Did you mean house?');
  await expect(createExchange({ port: 65_536 })).rejects.toThrow(
    'port must be a whole number from 0 to 65535; it is 65536.',
  );
  await expect(createExchange({ minedDelay: '2' })).rejects.toThrow(
    'minedDelay must be 0 or a duration in ms, s, m, h or d',
  );
});

test('a setting that is undefined counts as not given', async () => {
  const config = ownConfig({ port: undefined, dataDir: undefined, minedDelay: undefined, logLevel: undefined });
  expect(config).toEqual({ ...ownConfig({}), adminToken: config.adminToken });
  expect(config).toMatchObject({ port: 0, dataDir: undefined, logLevel: 'silent' });
});

test('quiet does not make an exchange say more than it does by default', () => {
  expect(ownConfig({ quiet: true }).logLevel).toBe('silent');
});

test('two exchanges on one clock name their streams differently, so no client resumes in the wrong one', async () => {
  const clock = new VirtualClock(Date.now());
  const names: unknown[] = [];
  for (let count = 0; count < 2; count += 1) {
    const exchange = await create({}, clock);
    const [{ clobTokenIds }] = (await send(exchange.url, 'GET', '/markets?limit=1')).json;
    const socket = await TestSocket.open(exchange.url, '/ws/market');
    socket.send({ type: 'market', assets_ids: JSON.parse(clobTokenIds).slice(0, 1) });
    await socket.until(({ reader }) => reader.sequences.size === 1);
    names.push(...socket.reader.sequences.keys());
    await socket.close();
    await exchange.close();
  }
  expect(new Set(names).size).toBe(2);
});

test('without a folder for temporary files, orders are accepted and histories are refused until there is one', async () => {
  const exchange = await create();
  const trader = await traderOf(exchange);
  const market = await createMarket(exchange.url);
  const trades = () => send(exchange.url, 'GET', `/data-api/trades?market=${market.conditionId}`);
  vi.stubEnv('TMPDIR', '/nowhere');
  try {
    expect((await trades()).status).toBe(503);
    const reply = await trader.client.createAndPostOrder(bid(market), { tickSize: '0.01' }, OrderType.GTC);
    expect(reply).toMatchObject({ success: true, status: 'live' });
  } finally {
    vi.unstubAllEnvs();
  }
  await vi.waitFor(async () => expect((await trades()).status).toBe(200), PATIENCE);
});

test('a program that ends without closing its exchange leaves no temporary files', () => {
  const folder = tempDir();
  const child = join(import.meta.dirname, './unclosedChild.ts');
  const options = { env: { ...process.env, TMPDIR: folder }, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [...nodeOptions, child], options);
  expect(stdout.trim(), stderr).toBe('200 1');
  expect(readdirSync(folder)).toEqual([]);
});

test('a data directory keeps its markets for the next exchange, and only one can open it at a time', async () => {
  const dataDir = tempDir();
  const first = await create({ dataDir });
  const { conditionId } = await createMarket(first.url);
  await expect(createExchange({ dataDir })).rejects.toThrow(dataDir);
  await first.close();
  const second = await create({ dataDir });
  expect((await send(second.url, 'GET', `/markets/${conditionId}`)).status).toBe(200);
});

test('a defect while an exchange runs is the error with which it closes, every time', async () => {
  const ready = vi.spyOn(Catalog.prototype, 'ready').mockRejectedValueOnce(new Error('the catalog cannot be indexed'));
  const exchange = await createExchange({ adminToken: 'a-token-of-our-own' });
  ready.mockRestore();
  expect(exchange.adminToken).toBe('a-token-of-our-own');
  for (let call = 0; call < 2; call += 1)
    await expect(exchange.close()).rejects.toThrow('the catalog cannot be indexed');
});

test('a start that fails after it has begun to listen leaves the port free', async () => {
  const port = await freePort();
  const ready = vi.spyOn(Catalog.prototype, 'ready').mockImplementationOnce(() => {
    throw new Error('the catalog cannot be indexed');
  });
  await expect(createExchange({ port })).rejects.toThrow('the catalog cannot be indexed');
  ready.mockRestore();
  const { url } = await create({ port });
  expect((await send(url, 'GET', '/ok')).status).toBe(200);
});
