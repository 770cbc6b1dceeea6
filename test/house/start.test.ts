// The house as a user meets it: it trades in a fresh development server by default, resumes after a restart, and leaves the
// books when a start wants none. Everything is read over HTTP.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { readSeed } from '../../server/dev/seed.ts';
import { send } from '../support/client.ts';
import { startServerProcess } from '../support/process.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'outcry-house-start-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

/** Far more than it needs: timing decides nothing. */
const TEST_MS = 300_000;
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
const lastTradesAt = async (url: string): Promise<readonly { readonly price: string; readonly side: string }[]> =>
  (await send(url, 'POST', '/last-trades-prices', bodies)).json;

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(200);
}

const isWhole = ({ bids, asks }: Book): boolean => bids.length > 0 && asks.length > 0;

test(
  'the house gives every open market a book and a trade; a start with --no-house empties the books',
  async () => {
    const first = await startServerProcess({ dataDir, args: ['--house', 'busy', '--seed', '3'] });
    expect(first.output).toMatch(/House +busy/);
    await until(async () => (await booksAt(first.url)).every(isWhole));
    await until(async () => (await lastTradesAt(first.url)).every(({ side }) => side !== ''));
    await first.stop();

    const second = await startServerProcess({ dataDir, args: ['--house', 'calm'] });
    await until(async () => (await booksAt(second.url)).every(isWhole));
    await second.stop();

    const third = await startServerProcess({ dataDir, args: ['--no-house'] });
    expect((await booksAt(third.url)).every(({ bids, asks }) => bids.length + asks.length === 0)).toBe(true);
    await third.stop();
  },
  TEST_MS,
);
