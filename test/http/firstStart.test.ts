// The state of development after its first start: the seed catalog and funded wallets, also when that start was cut off.
// The catalog is compared with its file, market by market.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeCommand, MarketStatus, openExchange, Resolution, VirtualClock } from '../../engine/index.ts';
import { walletDeriver } from '../../server/auth/wallets.ts';
import { resolveConfig } from '../../server/config/config.ts';
import { plantSeed, readSeed } from '../../server/dev/seed.ts';
import { creditCommand, developmentWallets } from '../../server/dev/wallets.ts';
import type { Services } from '../../server/services.ts';
import { Views } from '../../server/views/index.ts';
import { startTestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';

const DAY_MS = 86_400_000;
const seed = readSeed();
const marketCount = seed.events.flatMap(({ markets }) => markets).length;

function expectWhole({ views, exchange }: Services): void {
  expect(views.markets.eventList()).toHaveLength(seed.events.length);
  expect(views.markets.list()).toHaveLength(marketCount);
  for (const event of seed.events) {
    const row = views.markets.eventBySlug(event.slug);
    expect(row?.markets.map(({ slug }) => slug)).toEqual(event.markets.map(({ slug }) => slug));
    expect(row?.negRisk).toBe(event.negRisk);
  }
  for (const market of seed.events.flatMap(({ markets }) => markets)) {
    const row = views.markets.byCondition(market.conditionId);
    const status = { open: MarketStatus.OPEN, closed: MarketStatus.CLOSED, resolved: MarketStatus.RESOLVED };
    expect(row?.status, market.slug).toBe(status[market.status]);
    expect(row?.tokens).toEqual(market.tokenIds);
    expect(row?.texts).toMatchObject({ lastPrice: market.lastPrice, outcomes: market.outcomes });
    if (market.winner === 'split') expect(row?.resolution).toBe(Resolution.SPLIT);
    else if (market.winner !== undefined)
      expect(row?.outcomes[row?.resolution === Resolution.SECOND ? 1 : 0]).toBe(market.winner);
  }
  exchange.checkInvariants();
}

type Dated = Pick<(typeof seed.events)[number], 'startDay' | 'endDay' | 'startDate' | 'endDate'>;

/** The day offsets of the file, and the dates that it names or that the offsets give. */
function datesOf({ startDay, endDay, startDate, endDate }: Dated, firstMs: number) {
  const after = (days = Number.NaN): string => new Date(firstMs + days * DAY_MS).toISOString();
  return {
    ...{ startDay, startDate: startDate ?? (startDay === undefined ? undefined : after(startDay)) },
    ...{ endDay, endDate: endDate ?? (endDay === undefined ? undefined : after(endDay)) },
  };
}

/** Every text and term of the file is that of the event or market in the exchange, which has no others. */
function expectTextsOfFile({ views }: Services, firstMs: number): void {
  for (const { slug, title, ticker, description, tags, series, markets, ...event } of seed.events) {
    const labels = tags.map((tag) => [tag, seed.tags.find((row) => row.slug === tag)?.label]);
    const { slug: _, ...seriesTexts } = seed.series.find((row) => row.slug === series) ?? { slug: '' };
    expect(views.markets.eventBySlug(slug)?.texts, slug).toEqual({
      ...{ slug, title, ticker, description, tags, tagLabels: Object.fromEntries(labels), series },
      ...{ seriesTexts: series === undefined ? undefined : seriesTexts, ...datesOf(event, firstMs) },
    });
    for (const market of markets) {
      const { question, groupItemTitle, outcomes, questionId, lastPrice, rewards, fee } = market;
      const row = views.markets.byCondition(market.conditionId);
      expect(row?.texts, market.slug).toEqual({
        ...{ slug: market.slug, question, description: market.description, groupItemTitle, outcomes, questionId },
        ...{ lastPrice, rewards: rewards && expect.anything(), ...datesOf({ ...event, ...market }, firstMs) },
      });
      expect(row?.terms, market.slug).toMatchObject({
        ...{ tickPips: Math.round(Number(market.tickSize) * 10_000), delaySeconds: market.secondsDelay ?? 0 },
        ...{ minOrderLots: Number(market.minOrderSize ?? 5) * 100, feeRate: Math.round(Number(fee?.rate) * 10_000) },
        ...{ feeExponent: fee?.exponent },
      });
    }
  }
}

test('a first start creates the catalog of the seed file, with dates relative to that start', async () => {
  const server = await startTestServer({ hasSeed: true });
  expectWhole(server.services);
  const { markets, accounts } = server.services.views;
  const event = markets.eventBySlug('democratic-ticket-2028');
  const market = markets.bySlug('dem-ticket-2028-newsom');
  // USDC.e, as in all recorded programs: makers' bots ignore rewards in anything else.
  const asset_address = '0x2791bca1f2de4661ed88a30c99a7a9449aa84174';
  expect(market?.texts.rewards).toEqual({
    rates: [{ asset_address, rewards_daily_rate: 100 }],
    minSize: 200,
    maxSpread: 2.5,
  });
  const firstMs = Date.parse(String(event?.texts.endDate)) - 400 * DAY_MS;
  expect(Math.abs(firstMs - server.exchange.now())).toBeLessThan(600_000);
  expectTextsOfFile(server.services, firstMs);
  expect(event?.texts).toMatchObject({ startDay: -30, endDay: 400, tagLabels: { politics: 'Politics' } });
  expect(market?.texts.startDate).toBe(new Date(firstMs - 30 * DAY_MS).toISOString());
  expect(market?.terms).toMatchObject({ tickPips: 10, feeRate: 400, feeExponent: 1, minOrderLots: 500 });
  expect(markets.bySlug('wc22-final-winner')).toMatchObject({
    terms: { delaySeconds: 3, minOrderLots: 1_500 },
    texts: { endDate: '2022-12-18T00:00:00Z' },
  });
  for (const { address, derived } of server.wallets) {
    for (const wallet of [address, ...Object.values(derived)]) {
      expect(accounts.byWallet(wallet)).toMatchObject({ owner: address, collateralMicro: 10_000_000_000 });
    }
  }
  await server.close();
});

test('an interrupted first start is completed by the next one', async () => {
  const dataDir = tempDir();
  const views = new Views();
  const { engine: settings, contracts, walletConstants } = resolveConfig('development', {}, {}, dataDir);
  const firstMs = Date.now() - 5 * DAY_MS;
  const clock = new VirtualClock(firstMs);
  const exchange = await openExchange({ dataDir, clock, settings, followers: views.followers() });
  const [first, second, ...others] = seed.events;
  const cut = { ...seed, events: [first, { ...second, markets: second.markets.slice(0, 1) }] };
  await plantSeed({ exchange, views, contracts }, cut, firstMs);
  const deriver = walletDeriver(walletConstants);
  const [{ address: credited }] = developmentWallets(deriver);
  await exchange.submit(creditCommand(credited, deriver));
  await exchange.close();
  writeFileSync(join(dataDir, 'mode'), 'development\n'); // as a start writes it before it plants the catalog
  const server = await startTestServer({ hasSeed: true, config: { dataDir } });
  expectWhole(server.services);
  const { markets, accounts } = server.services.views;
  for (const { address } of server.wallets) {
    expect(accounts.byWallet(address)?.collateralMicro).toBe(10_000_000_000);
  }
  // Dates of the rest are also counted from the first start, not from the one that completes it.
  const later = others.find(({ endDay }) => endDay !== undefined);
  const endMs = Date.parse(String(markets.eventBySlug(later?.slug ?? '')?.texts.endDate));
  expect(Math.abs(endMs - (later?.endDay ?? 0) * DAY_MS - firstMs)).toBeLessThan(600_000);
  await server.close();
});

test('a first start interrupted before its first event, even twice, is completed by the next one', async () => {
  const dataDir = tempDir();
  const settings = resolveConfig('development', {}, {}, dataDir).engine;
  for (let starts = 0; starts < 2; starts += 1)
    await (await openExchange({ dataDir, settings, followers: [] })).close();
  const server = await startTestServer({ hasSeed: true, config: { dataDir } });
  expectWhole(server.services);
  expect(server.services.views.accounts.byWallet(server.wallets[9].address)?.collateralMicro).toBe(10_000_000_000);
  await server.close();
});

test('a journal that began without the seed catalog gets neither the catalog nor funded wallets', async () => {
  const dataDir = tempDir();
  const views = new Views();
  const settings = resolveConfig('development', {}, {}, dataDir).engine;
  const exchange = await openExchange({ dataDir, settings, followers: views.followers() });
  const tail = Buffer.from(JSON.stringify({ slug: 'ours', title: 'Ours' }));
  await exchange.submit(encodeCommand({ type: 'CreateEvent', negRisk: 0, tail }));
  await exchange.close();
  writeFileSync(join(dataDir, 'mode'), 'development\n');
  const server = await startTestServer({ hasSeed: true, config: { dataDir } });
  expect(server.services.views.markets.eventList()).toHaveLength(1);
  expect(server.services.views.accounts.byWallet(server.wallets[0].address)).toBeUndefined();
  await server.close();
});
