// Imports without a running exchange, into its data directory: what the next start finds there, and what one that fails says.
// import.test.ts has the lines of a file and imports into a running exchange.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { generatedRows, linesOf } from '../../bench/catalog/lines.ts';
import { Exchange } from '../../engine/core/index.ts';
import { EventWriter, encodeCommand, JournalReader, openExchange } from '../../engine/index.ts';
import { runCli } from '../../server/cli.ts';
import { send } from '../support/client.ts';
import { ownerCommands } from '../support/commands.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { runToEnd, startServerProcess } from '../support/process.ts';
import { canRehearse } from '../support/rehearsal.ts';
import { startTestServer } from '../support/server.ts';
import { EVENT, fileOf, folder, marketLine, TAG } from './importFiles.ts';

/** The settings of an import into a venue. */
const VENUE = ['--venue', '--chain', '80002', '--admin-token', 'x'.repeat(16)];

test('an import into a new data directory works before the exchange has ever started', async () => {
  const dataDir = join(folder, 'new');
  const file = fileOf('new.jsonl', [EVENT, marketLine('first')]);
  const end = await runToEnd(['import', file, '--data-dir', dataDir, '--no-house']);
  expect([end.status, end.stdout]).toEqual([0, 'Imported 1 event with 1 market.\n']);
  const server = await startServerProcess({ dataDir, args: ['--no-house'] });
  const { json } = await send(server.url, 'GET', '/markets/slug/first');
  expect(json.events[0].slug).toBe('match');
  expect((await send(server.url, 'GET', '/tags/slug/politics')).status).toBe(200);
  await server.stop();
});

test('an import with --venue gives a venue what is in the file, and nothing of development', async () => {
  const dataDir = join(folder, 'venue');
  const file = fileOf('venue.jsonl', [EVENT, marketLine('first')]);
  expect(await runCli(['import', file, '--data-dir', dataDir, ...VENUE], {}, folder)).toBe(0);
  await expect(startTestServer({ config: { dataDir } })).rejects.toThrow('was created for production');
  const server = await startTestServer({ config: { dataDir, mode: 'production' } });
  const { markets, accounts } = server.services.views;
  expect(markets.list().map(({ slug }) => slug)).toEqual(['first']);
  expect(server.wallets.map(({ address }) => accounts.byWallet(address))).toEqual(server.wallets.map(() => undefined));
  await server.close();
});

test('an import on a full disk exits with status 7 and prints the cause', () => {
  if (!canRehearse('the full disk')) return;
  const file = fileOf('large.jsonl', linesOf(generatedRows(1_000)));
  const main = join(import.meta.dirname, '../../server/main.ts');
  const dataDir = join(folder, 'full');
  const run = [process.execPath, ...nodeOptions, main, 'import', file, '--data-dir', dataDir];
  const end = spawnSync('prlimit', ['--fsize=400000:', ...run, ...VENUE], { encoding: 'utf8' });
  expect(end.stderr).toMatch(
    /^The import cannot be written: the journal cannot be written: EFBIG: .*\. Either all of it was imported or nothing: start the exchange to find out\.$/m,
  );
  expect([end.status, end.stdout]).toEqual([7, '']);
});

test('an import without a running exchange leaves no snapshot that lacks the imported data', async () => {
  const dataDir = join(folder, 'snapshots');
  const file = fileOf('snapshots.jsonl', [...linesOf(generatedRows(1_000)), EVENT, marketLine('first')]);
  const args = ['--no-house', '--snapshot-every', '1000'];
  expect(await runCli(['import', file, '--data-dir', dataDir, ...args], {}, folder)).toBe(0);
  const server = await startServerProcess({ dataDir, args });
  expect((await send(server.url, 'GET', '/markets/slug/first')).json.events?.[0].slug).toBe('match');
  await server.stop();
});

test('an import without a running exchange lets no heartbeat session lapse, however long it takes', async () => {
  const dataDir = join(folder, 'heartbeats');
  const importOne = (name: string): Promise<number> => {
    const file = fileOf(`${name}.jsonl`, [marketLine(name, { event: undefined })]);
    return runCli(['import', file, '--data-dir', dataDir, '--no-house'], {}, folder);
  };
  expect(await importOne('before')).toBe(0);
  const options = { dataDir, settings: PLAIN_SETTINGS, followers: [] };
  const exchange = await openExchange(options);
  const [owner, keyId] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(32)}`];
  const ids = { given: `0x${'0'.repeat(32)}`, next: `0x${'3'.repeat(32)}` };
  for (const command of ownerCommands({ owner, keyId })) await exchange.submit(encodeCommand(command));
  await exchange.submit(encodeCommand({ type: 'Heartbeat', owner, keyId, ...ids, refresh: 0 }));
  expect(exchange.nextDueMs()).toBe(exchange.durableTMs + 10_000);
  await exchange.close();
  expect(await importOne('after')).toBe(0);

  const reader = new JournalReader(dataDir);
  const [core, out] = [new Exchange(), new EventWriter()];
  let lastTMs = 0;
  for (const { tMs, command } of [...reader.read()].flat()) {
    out.begin();
    core.apply(tMs, command, out);
    out.finish();
    lastTMs = tMs;
  }
  await reader.close();
  expect(core.nextDueMs()).toBeGreaterThan(lastTMs + 86_400_000);
  expect(core.nextDueMs()).toBeLessThan(Number.POSITIVE_INFINITY); // which it would be after a lapse
  const again = await openExchange(options);
  expect(again.nextDueMs()).toBe(again.durableTMs + 10_000);
  await again.close();
});

test('an import into a data directory of a file without events and markets exits with status 2 and says why', async () => {
  const dataDir = join(folder, 'nothing');
  const end = await runToEnd(['import', fileOf('nothing.jsonl', [TAG, '']), '--data-dir', dataDir, '--no-house']);
  expect([end.status, end.output]).toEqual([2, 'The exchange refuses the import: there is nothing to import.\n']);
});
