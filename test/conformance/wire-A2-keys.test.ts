// Interface A.2 through the official client: API keys are created, derived, listed and deleted, and each step shows in the
// next one. The client is unmodified and talks to a server process; it never sees the server's memory.
import { AssetType, Chain, createL1Headers } from '@polymarket/clob-client-v2';
import { expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { UUID } from '../support/uuid.ts';
import { world } from './ownWorld.ts';
import {
  clientOf,
  createMarket,
  developmentKey,
  limit,
  newAccount,
  newTrader,
  OrderType,
  Side,
  signatureTypes,
  signLimit,
  walletOf,
} from './world.ts';

const UNAUTHORIZED = 'Unauthorized/Invalid api key';

type Account = ReturnType<typeof newAccount>;

const bareClient = (account: Account) => clientOf(world.url, account);

/** The client of a key with credentials; refusals are returned as values. */
const clientWith = (account: Account, creds: { key: string; secret: string; passphrase: string }) =>
  clientOf(world.url, account, { creds });

test('a created key has the formats that clients decode, and deriving it returns the same triple', async () => {
  const client = bareClient(newAccount());
  const created = await client.createApiKey();
  expect(created.key).toMatch(UUID);
  expect(created.secret).toMatch(/^[A-Za-z0-9_-]{43}=$/);
  expect(created.passphrase).toMatch(/^[0-9a-f]{64}$/);
  expect(await client.deriveApiKey()).toEqual(created);
});

test('creating an existing key returns no key, and create-or-derive then derives it', async () => {
  const client = bareClient(newAccount());
  const created = await client.createOrDeriveApiKey();
  expect(created.key).toBeTypeOf('string');
  const again = await client.createApiKey();
  expect(again.key).toBeUndefined();
  expect(await client.createOrDeriveApiKey()).toEqual(created);
});

test('a key that was never created cannot be derived', async () => {
  const account = newAccount();
  const client = bareClient(account);
  expect((await client.deriveApiKey()).key).toBeUndefined();
  const created = await client.createApiKey();
  // Another nonce means another key, which does not exist yet.
  expect((await client.deriveApiKey(1)).key).toBeUndefined();
  expect(await clientWith(account, created).getApiKeys()).toEqual({ apiKeys: [created.key] });
});

test('each nonce has its own key, and the list contains all of them', async () => {
  const account = newAccount();
  const client = bareClient(account);
  const first = await client.createApiKey();
  const second = await client.createApiKey(7);
  expect(second.key).not.toBe(first.key);
  expect(second.secret).not.toBe(first.secret);
  const keys = [first.key, second.key].sort();
  for (const creds of [first, second]) {
    const { apiKeys } = await clientWith(account, creds).getApiKeys();
    expect([...apiKeys].map(String).sort()).toEqual(keys);
  }
  expect(await client.deriveApiKey(7)).toEqual(second);
});

test('a wallet signature alone lists the API keys of the wallet', async () => {
  const account = newAccount();
  const creds = await bareClient(account).createApiKey();
  const { signer } = bareClient(account);
  if (signer === undefined) throw new Error('The client has no signer.');
  const signed = await createL1Headers(signer, Chain.POLYGON);
  const list = (headers: object) => {
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return send(world.url, 'GET', '/auth/api-keys', undefined, texts);
  };
  expect(await list(signed)).toMatchObject({ status: 200, json: { apiKeys: [creds.key] } });
  const stranger = { ...signed, POLY_ADDRESS: newAccount().address };
  expect(await list(stranger)).toMatchObject({ status: 401, json: { error: 'Invalid L1 Request headers' } });
  // A request with part of a key's credentials, or with none, is treated as one that uses a key.
  const refused = { status: 401, json: { error: UNAUTHORIZED } };
  expect(await list({ ...signed, POLY_PASSPHRASE: creds.passphrase })).toMatchObject(refused);
  expect(await list({ ...signed, POLY_API_KEY: creds.key })).toMatchObject(refused);
  expect(await list({})).toMatchObject(refused);
});

test('the first key of an owner funds its wallets of all four signature types once', async () => {
  const account = newAccount();
  const balances = async () => {
    const creds = await bareClient(account).createOrDeriveApiKey();
    return Promise.all(
      signatureTypes.map(async (signatureType) => {
        const client = clientOf(world.url, account, { creds, signatureType });
        return (await client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL })).balance;
      }),
    );
  };
  const once = ['10000000000', '10000000000', '10000000000', '10000000000'];
  expect(await balances()).toEqual(once);
  await bareClient(account).createApiKey(1);
  expect(await balances()).toEqual(once);
});

test('a wallet of the development mnemonic is funded once too', async () => {
  const trader = await newTrader(world.url, 0, developmentKey(3));
  const { balance } = await trader.client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL });
  expect(balance).toBe('10000000000');
  expect(await newTrader(world.url, 0, developmentKey(3))).toMatchObject({ apiKey: trader.apiKey });
});

test('a deleted key is rejected, while another key of the same owner keeps working', async () => {
  const account = newAccount();
  const bare = bareClient(account);
  const deletedCreds = await bare.createApiKey(1);
  const keptCreds = await bare.createApiKey(2);
  const deleted = clientWith(account, deletedCreds);
  const kept = clientWith(account, keptCreds);

  const market = await createMarket(world.url);
  const { address } = account;
  const trader = { client: deleted, account, owner: address, wallet: address, apiKey: deletedCreds.key };
  const order = await limit(trader, market, Side.BUY, market.yes, 0.4, 10);
  expect(order).toMatchObject({ success: true, status: 'live' });

  const signed = await signLimit(trader, market, Side.BUY, market.yes, 0.41, 10);
  expect(await deleted.deleteApiKey()).toBe('OK');
  expect(await deleted.getApiKeys()).toEqual({ error: UNAUTHORIZED, status: 401 });
  expect(await deleted.postOrder(signed, OrderType.GTC)).toMatchObject({ error: UNAUTHORIZED, status: 401 });
  expect(await deleted.cancelAll()).toEqual({ error: UNAUTHORIZED, status: 401 });
  expect((await bare.deriveApiKey(1)).key).toBeUndefined();

  expect(await kept.getApiKeys()).toEqual({ apiKeys: [keptCreds.key] });
  // The order belongs to the owner, not to the key: it still rests, and the other key cancels it.
  expect((await kept.getOpenOrders()).map(({ id }) => id)).toEqual([order.orderID]);
  expect(await kept.cancelOrder({ orderID: order.orderID })).toEqual({ canceled: [order.orderID], not_canceled: {} });
});

test('creating a key again after its deletion returns a new key', async () => {
  const account = newAccount();
  const bare = bareClient(account);
  const first = await bare.createApiKey();
  await clientWith(account, first).deleteApiKey();
  const second = await bare.createApiKey();
  expect(second.key).toBeTypeOf('string');
  expect(second.key).not.toBe(first.key);
  expect(await bare.deriveApiKey()).toEqual(second);
  expect(await clientWith(account, second).getApiKeys()).toEqual({ apiKeys: [second.key] });
  expect(await clientWith(account, first).getApiKeys()).toEqual({ error: UNAUTHORIZED, status: 401 });
});

test('credentials of one owner are rejected for the account of another', async () => {
  const [alice, bob] = [newAccount(), newAccount()];
  const aliceCreds = await bareClient(alice).createApiKey();
  const bobCreds = await bareClient(bob).createApiKey();
  expect(await clientWith(bob, aliceCreds).getApiKeys()).toEqual({ error: UNAUTHORIZED, status: 401 });
  expect(await clientWith(bob, { ...bobCreds, secret: aliceCreds.secret }).getApiKeys()).toEqual({
    error: UNAUTHORIZED,
    status: 401,
  });
  expect(await clientWith(bob, { ...bobCreds, passphrase: aliceCreds.passphrase }).getApiKeys()).toEqual({
    error: UNAUTHORIZED,
    status: 401,
  });
  expect(await clientWith(bob, bobCreds).getApiKeys()).toEqual({ apiKeys: [bobCreds.key] });
});

test('a read-only key reads in the header of its own that the official examples use', async () => {
  const trader = await newTrader(world.url);
  const { apiKey } = await trader.client.createReadonlyApiKey();
  const market = await createMarket(world.url);
  const { orderID } = await limit(trader, market, Side.BUY, market.yes, 0.4, 10);
  const headers = { POLY_READONLY_API_KEY: apiKey, POLY_ADDRESS: trader.account.address };
  const read = (path: string) => send(world.url, 'GET', path, undefined, headers);
  const orders = await read(`/data/orders?maker_address=${trader.account.address}`);
  expect([orders.status, orders.json.data?.map(({ id }: { id: string }) => id)]).toEqual([200, [orderID]]);
  expect(await read('/data/trades')).toMatchObject({ status: 200, json: { data: [] } });
  const { balance } = await trader.client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL });
  expect(await read('/balance-allowance?asset_type=COLLATERAL')).toMatchObject({ status: 200, json: { balance } });
});

test('the client reads server time and version, and requests signed with server time succeed', async () => {
  const account = newAccount();
  const creds = await bareClient(account).createApiKey();
  const client = clientOf(world.url, account, { creds, useServerTime: true });
  const seconds = await client.getServerTime();
  expect(Number.isInteger(seconds)).toBe(true);
  expect(Math.abs(seconds * 1000 - Date.now())).toBeLessThan(60_000);
  expect(await client.getVersion()).toBe(2);
  expect(await client.getOk()).toBe('OK');
  expect(await client.getApiKeys()).toEqual({ apiKeys: [creds.key] });
  expect(walletOf(account.address, 0)).toBe(account.address.toLowerCase());
});
