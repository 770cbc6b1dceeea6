// Money that reaches a derived wallet before its owner has ever called: the operator knows only an address, and nobody can
// tell from it whose wallet it will be. It must be the owner's as soon as the owner shows up, in every order of events.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { developmentWallet } from '../../server/auth/mnemonic.ts';
import { walletDeriver } from '../../server/auth/wallets.ts';
import { createKey, send, sendSigned } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const operator = { authorization: 'Bearer dev-admin' };
const wallets = walletDeriver();
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const deposit = (address: string, amount: string) =>
  send(server.url, 'POST', '/admin/deposits', { address, amount }, operator);

async function balanceOf(
  wallet: ReturnType<typeof developmentWallet>,
  key: Awaited<ReturnType<typeof createKey>>,
  type: number,
) {
  const path = `/balance-allowance?asset_type=COLLATERAL&signature_type=${type}`;
  return (await sendSigned(server.url, wallet.address, key, 'GET', path)).json.balance;
}

describe('a deposit to a derived wallet', () => {
  test("before the owner has a key is the owner's from its first key on", async () => {
    const wallet = developmentWallet(20);
    const { proxy, safe, depositBeacon } = wallets.derivedWallets(wallet.address.toLowerCase());
    for (const [address, amount] of [
      [proxy, '5'],
      [safe, '500'],
      [depositBeacon, '7.5'],
    ] as const) {
      expect((await deposit(address, amount)).status).toBe(200);
    }
    const key = await createKey(server.url, wallet);
    expect(await balanceOf(wallet, key, 1)).toBe('10005000000');
    expect(await balanceOf(wallet, key, 2)).toBe('10500000000');
    expect(await balanceOf(wallet, key, 3)).toBe('10007500000');
  });

  test('after the owner has a key finds its owner by itself', async () => {
    const wallet = developmentWallet(21);
    const { depositUups, proxy } = wallets.derivedWallets(wallet.address.toLowerCase());
    const key = await createKey(server.url, wallet);
    expect((await deposit(proxy, '3')).json).toMatchObject({ address: proxy });
    expect((await deposit(depositUups, '4')).status).toBe(200);
    expect(await balanceOf(wallet, key, 1)).toBe('10003000000');
    expect(server.services.views.accounts.byWallet(depositUups)?.owner).toBe(wallet.address.toLowerCase());
  });

  test('cannot be claimed by a key whose wallet it is not', async () => {
    const wallet = developmentWallet(22);
    const other = developmentWallet(23);
    const { proxy } = wallets.derivedWallets(wallet.address.toLowerCase());
    await deposit(proxy, '9');
    await createKey(server.url, other);
    expect(server.services.views.accounts.byWallet(proxy)?.owner).toBe(proxy);
  });
});
