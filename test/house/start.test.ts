// The house as a user meets it: it trades in a fresh development server by default, resumes after a restart, and leaves the
// books when a start wants none. Everything is read over HTTP.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { readSeed } from '../../server/dev/seed.ts';
import { send } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { startServerProcess } from '../support/process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'outcry-house-start-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const tokenIds = readSeed()
  .events.flatMap(({ markets }) => markets)
  .filter(({ status }) => status === 'open')
  .map((market) => market.tokenIds[0]);
const bodies = tokenIds.map((token_id) => ({ token_id }));

interface Book {
  readonly bids: readonly unknown[];
  readonly asks: readonly unknown[];
}

const booksAt = async (url: string): Promise<readonly Book[]> => (await send(url, 'POST', '/books', bodies)).json;
const lastTradesAt = async (url: string): Promise<readonly unknown[]> =>
  (await send(url, 'POST', '/last-trades-prices', bodies)).json;

const areWhole = (books: readonly Book[]): boolean =>
  books.length === tokenIds.length && books.every(({ bids, asks }) => bids.length > 0 && asks.length > 0);
/** Asks so rarely that the house is not kept from its work. */
const RARELY = { ...PATIENCE, interval: 200 };

test('the house gives every open market a book and a trade; a start with --no-house empties the books', async () => {
  const first = await startServerProcess({ dataDir, args: ['--house', 'busy', '--seed', '3'] });
  expect(first.output).toMatch(/House +busy/);
  await vi.waitUntil(async () => areWhole(await booksAt(first.url)), RARELY);
  await vi.waitUntil(async () => (await lastTradesAt(first.url)).length === tokenIds.length, RARELY);
  await first.stop();

  const second = await startServerProcess({ dataDir, args: ['--house', 'calm'] });
  await vi.waitUntil(async () => areWhole(await booksAt(second.url)), RARELY);
  await second.stop();

  const third = await startServerProcess({ dataDir, args: ['--no-house'] });
  const emptied = await booksAt(third.url);
  expect(emptied.map(({ bids, asks }) => bids.length + asks.length)).toEqual(tokenIds.map(() => 0));
  await third.stop();
});
