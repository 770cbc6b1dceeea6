// Money that reaches a derived wallet before its owner has ever called: the operator knows only an address, which does not
// show whose wallet it will be. It must be the owner's as soon as the owner shows up, in every order of events.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeCommand, RULES_VERSION, RulesVersion } from '../../engine/index.ts';
import { developmentWallet } from '../../server/auth/mnemonic.ts';
import { walletDeriver } from '../../server/auth/wallets.ts';
import { ADMIN, createKey, l1Headers, send, sendSigned } from '../support/client.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tempDir } from '../support/tempDir.ts';

const wallets = walletDeriver();
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const deposit = (address: string, amount: string) =>
  send(server.url, 'POST', '/admin/deposits', { address, amount }, ADMIN);

async function balanceOf(
  wallet: ReturnType<typeof developmentWallet>,
  key: Awaited<ReturnType<typeof createKey>>,
  type: number,
) {
  const path = `/balance-allowance?asset_type=COLLATERAL&signature_type=${type}`;
  return (await sendSigned(server.url, wallet.address, key, 'GET', path)).json.balance;
}

describe('a deposit to a derived wallet', () => {
  test('made before the owner has a key belongs to the owner from its first key on', async () => {
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

  test('made after the owner has a key is credited to the owner', async () => {
    const wallet = developmentWallet(21);
    const { depositUups, proxy } = wallets.derivedWallets(wallet.address.toLowerCase());
    const key = await createKey(server.url, wallet);
    expect((await deposit(proxy, '3')).json).toMatchObject({ address: proxy });
    expect((await deposit(depositUups, '4')).status).toBe(200);
    expect(await balanceOf(wallet, key, 1)).toBe('10003000000');
    expect(server.services.views.accounts.byWallet(depositUups)?.owner).toBe(wallet.address.toLowerCase());
  });

  test('accepted by the first rules despite a binding does not block the first key of the deriving address', async () => {
    const { exchange, services } = server;
    const wallet = developmentWallet(28);
    const { safe } = wallets.derivedWallets(wallet.address.toLowerCase());
    const bound = `0x${'28'.repeat(20)}`;
    const started = { type: 'Started', ...PLAIN_SETTINGS } as const;
    await exchange.submit(encodeCommand({ ...started, rulesVersion: RulesVersion.FIRST }));
    await exchange.submit(encodeCommand({ type: 'BindWallet', owner: bound, wallet: safe, signatureType: 2 }));
    const amount = { amountMicro: 1_000_000, isFaucet: 0 };
    await exchange.submit(encodeCommand({ type: 'Deposit', wallet: safe, owner: safe, ...amount }));
    await exchange.submit(encodeCommand({ ...started, rulesVersion: RULES_VERSION }));
    expect(services.views.accounts.byWallet(safe)?.owner).toBe(safe);
    expect((await send(server.url, 'POST', '/auth/api-key', undefined, l1Headers(wallet))).status).toBe(200);
    expect(services.views.accounts.byWallet(safe)?.owner).toBe(safe);
  });

  test("is claimed once: further keys and deposits change neither it nor an operator's binding to its owner", async () => {
    const wallet = developmentWallet(24);
    const { safe, proxy } = wallets.derivedWallets(wallet.address.toLowerCase());
    await deposit(proxy, '3');
    await createKey(server.url, wallet);
    const bind = { wallet: safe, type: 3 };
    expect((await send(server.url, 'PATCH', `/admin/accounts/${wallet.address}`, { bind }, ADMIN)).status).toBe(200);
    const { exchange, services } = server;
    const before = exchange.durableSequence;
    await createKey(server.url, wallet, '1');
    for (const address of [safe, proxy]) expect((await deposit(address, '1')).status).toBe(200);
    expect(exchange.durableSequence - before).toBe(3); // the key and the deposits
    expect(services.views.accounts.binding(safe)?.signatureType).toBe(3);
  });

  test('cannot be claimed by the key of another owner', async () => {
    const wallet = developmentWallet(22);
    const other = developmentWallet(23);
    const { proxy } = wallets.derivedWallets(wallet.address.toLowerCase());
    await deposit(proxy, '9');
    await createKey(server.url, other);
    expect(server.services.views.accounts.byWallet(proxy)?.owner).toBe(proxy);
  });
});

// While a flush takes its time, both requests see the state from before either is done.
describe.each([0, 1_000_000])(
  'a deposit concurrent with the first key of its owner, with a credit of %i',
  (creditMicro) => {
    test('belongs to the owner, whichever comes first', async () => {
      const dataDir = tempDir();
      const durable = await startTestServer({ config: { dataDir } });
      const started = { type: 'Started', rulesVersion: RULES_VERSION, ...PLAIN_SETTINGS, creditMicro } as const;
      await durable.exchange.submit(encodeCommand(started));
      for (let index = 30; index < 40; index += 1) {
        const wallet = developmentWallet(index);
        const owner = wallet.address.toLowerCase();
        const { safe } = wallets.derivedWallets(owner);
        const body = { address: safe, amount: '2' };
        const asked = [
          () => send(durable.url, 'POST', '/auth/api-key', undefined, l1Headers(wallet)),
          () => send(durable.url, 'POST', '/admin/deposits', body, ADMIN),
        ];
        if (index % 2 === 0) asked.reverse();
        const replies = await Promise.all(asked.map((ask) => ask()));
        expect(replies.map(({ status, json }) => [status, json.error])).toEqual(replies.map(() => [200, undefined]));
        const account = durable.services.views.accounts.byWallet(safe);
        expect(account?.owner).toBe(owner);
        expect([2_000_000, 2_000_000 + creditMicro]).toContain(account?.collateralMicro);
      }
      await durable.close();
    });
  },
);
