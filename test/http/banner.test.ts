// What the exchange prints once it is ready: the banner for people, the same as JSON for programs, what of it shows settings, and
// the lines of an orderly end. Each test starts processes of its own.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SERVER_SECRET_FILE } from '../../server/auth/serverSecret.ts';
import { bannerText } from '../../server/banner.ts';
import { durationMs } from '../../server/config/durations.ts';
import { readSeed } from '../../server/dev/seed.ts';
import { send } from '../support/client.ts';
import { startServerProcess } from '../support/process.ts';
import { startTestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';

const seedStatuses = readSeed().events.flatMap(({ markets }) => markets.map(({ status }) => status));
const countOf = (status: string): number => seedStatuses.filter((each) => each === status).length;
const seedMarkets = { active: countOf('open'), closed: countOf('closed'), resolved: countOf('resolved') };
const seedLine = new RegExp(
  `Markets +${seedMarkets.active} active, ${seedMarkets.closed} closed, ${seedMarkets.resolved} resolved`,
);

test('the banner fits one screen and ends with "ready"; a restart keeps the data; a signal exits with status 0', async () => {
  const dataDir = tempDir();
  const server = await startServerProcess({ dataDir });
  const lines = server.output.trimEnd().split('\n');
  expect(lines.length).toBeLessThan(40);
  expect(lines.at(-1)).toBe('ready');
  expect(server.output).toContain(
    '(0) 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266 0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  );
  expect(server.output).toContain('(9) 0xa0ee7a142d267c1f36714e4a8f75612f20a79720');
  expect(server.output).toMatch(seedLine);
  for (const line of [
    /Wallets: 10000 collateral each/,
    /Chain +137, exchange 0xe111180000d2663c0091e4f400237545b87b996b$/m,
    new RegExp(`Data +${dataDir}$`, 'm'),
    /House +none$/m,
    /Admin token +dev-admin$/m,
  ])
    expect(server.output).toMatch(line);
  expect(server.output).toContain(`${server.url}/docs`);
  expect(server.output).toContain(`new ClobClient({ host: '${server.url}', chain: 137, signer })`);
  const { durable_sequence: sequence } = (await send(server.url, 'GET', '/readyz')).json;
  expect(await server.kill('SIGTERM')).toEqual({ status: 0, signal: null });
  expect(readdirSync(dataDir)).not.toContain('lock');
  expect(statSync(join(dataDir, SERVER_SECRET_FILE)).mode & 0o777).toBe(0o600);

  const again = await startServerProcess({ dataDir });
  expect(again.output).toMatch(seedLine);
  // One more record: that of the start itself.
  expect((await send(again.url, 'GET', '/readyz')).json.durable_sequence).toBe(sequence + 1);
  expect(await again.kill('SIGINT')).toEqual({ status: 0, signal: null });
  expect(again.output.split('\nready\n')[1]).toBe(
    'SIGINT: the exchange completes requests in progress and stops within 5 s.\n' +
      `Stopped. All acknowledged data is in ${dataDir}.\n`,
  );
});

test('the banner is one JSON object with --json, and nothing else is printed', async () => {
  const dataDir = tempDir();
  const server = await startServerProcess({ dataDir, args: ['--json', '--no-house', '--no-throttle'] });
  const banner = JSON.parse(server.output);
  expect(banner).toMatchObject({
    mode: 'development',
    url: server.url,
    port: Number(new URL(server.url).port),
    chain_id: 137,
    exchange: '0xe111180000d2663c0091e4f400237545b87b996b',
    neg_risk_exchange: '0xe2222d279d744050d28e00520010520000310f59',
    data_dir: dataDir,
    house: 'none',
    admin_token: 'dev-admin',
    credit: '10000',
    markets: seedMarkets,
    ready: true,
  });
  expect(banner.wallets).toHaveLength(10);
  expect(banner.wallets[0]).toEqual({
    index: 0,
    address: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    private_key: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    proxy: '0x365f0ca36ae1f641e02fe3b7743673da42a13a70',
    safe: '0xd93b25cb943d14d0d34fbaf01fc93a0f8b5f6e47',
    deposit_wallet: '0xbc0ff067b7740eff76c1ca93c875ba6b890d6b50',
    deposit_wallet_uups: '0xdf8b9e8f9ab23f261f6e1b171b7454ae6e46ba76',
  });
  // As a closing terminal does; the program that reads the banner gets no further output.
  expect(await server.kill('SIGHUP')).toEqual({ status: 0, signal: null });
  expect(JSON.parse(server.output)).toEqual(banner);
});

test('the banner shows an order window that is not the default, in the largest unit that divides it', async () => {
  const { services, url, port, close } = await startTestServer();
  const { config } = services;
  const shown = (text: string): string | undefined => {
    const engine = { ...config.engine, orderWindowMs: durationMs(text) };
    const banner = bannerText({ url, port, services: { ...services, config: { ...config, engine } }, stop: close });
    return /Order window +(.*)/.exec(banner)?.[1];
  };
  expect(['24h', '45s', '90m', '1h', '36h', '7d'].map(shown)).toEqual([
    undefined,
    '45 seconds',
    '90 minutes',
    '1 hour',
    '36 hours',
    '7 days',
  ]);
  await close();
});

test('a configured admin or metrics token is not printed', async () => {
  for (const args of [['--json'], []]) {
    const env = { OUTCRY_ADMIN_TOKEN: 'of-the-operator', OUTCRY_METRICS_TOKEN: 'of-the-scraper' };
    const server = await startServerProcess({ dataDir: tempDir(), args, env });
    expect(server.output).toMatch(args.length === 0 ? /Admin token +as configured$/m : /"admin_token":null/);
    expect(server.output).not.toMatch(/of-the-/);
    await server.stop();
  }
});
