// What the exercises of the official client's methods share: the market and the two traders that all of them use, and the ids
// and figures that one leaves for a later one. The traders are there once the tests run.
import { Chain, ClobClient } from '@polymarket/clob-client-v2';
import { createWalletClient, http } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { beforeAll } from 'vitest';
import { world } from './ownWorld.ts';
import { bareClient, createMarket, type Market, newTrader, type Trader } from './world.ts';

/** A public method of the client. */
type Method = {
  [K in keyof ClobClient]-?: ClobClient[K] extends (...values: never[]) => unknown ? K : never;
}[keyof ClobClient];
/** What is done with each method, in the order in which it stands. */
export type Exercises = Partial<Record<Method, () => Promise<void>>>;

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The builder's code of the taker's orders. */
export const CODE = `0x${'0badc0de'.repeat(8)}`;

export let market: Market;
/** Rests orders. */
export let maker: Trader;
/** Takes them, with a builder's code in its orders. */
export let taker: Trader;
/** Ids and figures that later exercises need. */
export const seen = {
  limitId: '',
  batchIds: [''],
  tradeIds: [''],
  hashes: [''],
  balance: 0n,
  heartbeat: '',
  key: '',
  mid: '',
};

beforeAll(async () => {
  market = await createMarket(world.url, { feeRate: 0.05, feeExponent: 2 });
  maker = await newTrader(world.url);
  const account = privateKeyToAccount(generatePrivateKey());
  const creds = await bareClient(world.url, account).createOrDeriveApiKey();
  const signer = createWalletClient({ account, transport: http(world.url) });
  const options = { host: world.url, chain: Chain.POLYGON, signer, creds, throwOnError: true };
  const client = new ClobClient({ ...options, builderConfig: { builderCode: CODE } });
  const owner = account.address.toLowerCase();
  taker = { client, account, owner, wallet: owner, apiKey: creds.key };
});
