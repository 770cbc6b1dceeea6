// Interface B.3a: the official unified client trades from every kind of wallet. It asks the relayer's address whether a
// contract wallet exists, before it accepts one or chooses between the two forms of the deposit wallet.
import { OrderSide } from '@polymarket/bindings';
import { createSecureClient, forkEnvironmentConfig } from '@polymarket/client';
import { privateKey } from '@polymarket/client/viem';
import { type Hex, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { world } from './ownWorld.ts';
import {
  clientOf as clobClientOf,
  createMarket,
  deriver,
  limit,
  newTrader,
  Side,
  signatureTypes,
  walletOf,
} from './world.ts';

function clientOf(key: Hex, ofWallet: { readonly wallet?: string } = {}) {
  const { url } = world;
  const environment = forkEnvironmentConfig({
    name: 'outcry',
    clob: { rest: url },
    relayer: { rest: `${url}/relayer` },
    gamma: { rest: `${url}/gamma` },
    data: { rest: `${url}/data-api` },
  });
  return createSecureClient({ environment, signer: privateKey(key), ...ofWallet });
}

const isDeployed = async (wallet: string): Promise<unknown> =>
  (await send(world.url, 'GET', `/relayer/deployed?address=${wallet}&type=WALLET`)).json;

test.each(signatureTypes)('an order of type %i is paid by its wallet', async (type) => {
  const market = await createMarket(world.url);
  const key = generatePrivateKey();
  const wallet = walletOf(privateKeyToAddress(key), type);
  const client = await clientOf(key, { wallet });
  const tokenId = market.yes as never; // a plain string, branded there
  const placed = await client.placeLimitOrder({ tokenId, side: OrderSide.BUY, price: 0.4, size: 10 });
  expect(placed).toMatchObject({ ok: true, status: 'live' });
  expect((await client.listOpenOrders().firstPage()).items.map((order) => order.makerAddress.toLowerCase())).toEqual([
    wallet,
  ]);
  await limit(await newTrader(world.url), market, Side.BUY, market.no, 0.6, 10);
  const { json } = await send(world.url, 'GET', `/data-api/positions?user=${wallet}`);
  expect(json.map(({ size }: { size: number }) => size)).toEqual([10]);
});

test('a client without a wallet gets the beacon form of its deposit wallet, until it has traded from the other', async () => {
  const market = await createMarket(world.url);
  const key = generatePrivateKey();
  const owner = privateKeyToAddress(key);
  const { depositBeacon, depositUups } = deriver.derivedWallets(owner);
  expect(await isDeployed(depositBeacon)).toEqual({ deployed: false });
  expect((await clientOf(key)).account.wallet.toLowerCase()).toBe(depositBeacon);
  expect((await clientOf(key)).account.wallet.toLowerCase()).toBe(depositBeacon);
  expect([await isDeployed(depositBeacon), await isDeployed(depositUups)]).toEqual([
    { deployed: true },
    { deployed: false },
  ]);
  const trader = await newTrader(world.url, 3, key);
  const { creds = expect.fail('no key') } = trader.client;
  const ofOther = clobClientOf(world.url, trader.account, { creds, signatureType: 3, funderAddress: depositUups });
  expect((await limit({ ...trader, client: ofOther }, market, Side.BUY, market.yes, 0.3, 10)).status).toBe('live');
  expect((await clientOf(key)).account.wallet.toLowerCase()).toBe(depositUups);
});

test('only contract wallets of owners with an API key exist', async () => {
  const { owner } = await newTrader(world.url);
  for (const wallet of [owner, zeroAddress]) expect(await isDeployed(wallet)).toEqual({ deployed: false });
  const { proxy, safe } = deriver.derivedWallets(owner);
  for (const wallet of [proxy, safe.toUpperCase().replace('0X', '0x')]) {
    expect(await isDeployed(wallet)).toEqual({ deployed: true });
  }
});
