// What the historian holds in memory of markets and accounts, after its index was opened again: every number is what was
// committed last, each from its own place in the record.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reservedAccounts } from '../../engine/index.ts';
import { Accounts } from '../../server/history/accounts.ts';
import { type HistoryMarket, Markets } from '../../server/history/markets.ts';
import { RowClass } from '../../server/history/rows.ts';
import { IndexStore } from '../../server/history/store.ts';
import { wordOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';

let folder: string;
let store: IndexStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outcry-index-'));
  store = new IndexStore(join(folder, 'history'), true);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const MARKETS = 3;

function figuresOf({ lastPips, resolution, volumeMicro, vaultMicro, heads, holderCounts }: HistoryMarket) {
  return { lastPips, resolution, volumeMicro, vaultMicro, heads: [...heads], holderCounts: [...holderCounts] };
}

test('the figures of markets are read back as they were committed last', async () => {
  const markets = new Markets(store);
  for (let marketIndex = 0; marketIndex < MARKETS; marketIndex += 1) {
    const ids = { conditionId: wordOf(marketIndex), firstToken: wordOf(10), secondToken: wordOf(11) };
    const created = { type: 'MarketCreated', marketIndex, eventNumber: 0, ...PLAIN_TERMS, ...ids } as const;
    markets.created(created, { type: 'Tick' });
  }
  const change = (index: number, seed: number): void => {
    const market = markets.change(index);
    market.lastPips = 9_999 - seed;
    market.resolution = seed % 3;
    market.volumeMicro = 2 ** 53 - seed;
    market.vaultMicro = 2 ** 52 - seed;
    market.heads.splice(0, 2, 2 ** 39 + seed, 2 ** 38 + seed);
    market.holderCounts.splice(0, 2, 2 ** 32 - 1 - seed, 70_000 + seed);
  };
  // The last market stays without a trade.
  for (const changes of [[0, 1], [0]]) {
    for (const index of changes) change(index, 10 * changes.length + index);
    await store.commit((put) => markets.flush(put));
    markets.committed();
    const again = new Markets(store);
    again.load(0, MARKETS);
    expect(again.list.map(figuresOf)).toEqual(markets.list.map(figuresOf));
  }
});

test('the wallets, newest rows and traded markets of accounts are read back as they were committed last', async () => {
  const accounts = new Accounts(store);
  accounts.load(0);
  const [first, second] = [accounts.count, accounts.count + 1];
  for (const id of [first, second]) accounts.open(id, `0x${String(id).padStart(40, 'a')}`);
  const classes = Object.values(RowClass);
  const shown = (of: Accounts) =>
    Array.from({ length: of.count }, (_, id) => {
      return [of.walletOf(id), of.idOf(of.walletOf(id)), of.tradedOf(id), ...classes.map((one) => of.headOf(id, one))];
    });
  for (const changed of [[first, second], [second]]) {
    for (const id of changed) {
      for (const one of classes) accounts.setHead(id, one, 2 ** 39 + 100 * id + 10 * one + changed.length);
      accounts.addTradedMarket(id);
    }
    await store.commit((put) => accounts.flush(put));
    accounts.committed();
    const again = new Accounts(store);
    again.load(accounts.count);
    expect(shown(again)).toEqual(shown(accounts));
  }
  expect(accounts.count).toBe(reservedAccounts.length + 2);
});
