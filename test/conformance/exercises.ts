// The shared state of the exercises of the official client's methods: the market and the two traders that all of them use,
// and the ids and figures that one leaves for a later one. The traders exist once the tests run.
import type { ClobClient } from '@polymarket/clob-client-v2';
import { beforeAll } from 'vitest';
import { world } from './ownWorld.ts';
import { clientOf, createMarket, type Market, newAccount, newTrader, type Trader } from './world.ts';

/** The name of a public method of the client. */
type Method = {
  [K in keyof ClobClient]-?: ClobClient[K] extends (...values: never[]) => unknown ? K : never;
}[keyof ClobClient];
/** The exercise of each method, in the order of execution. */
export type Exercises = Partial<Record<Method, () => Promise<void>>>;

/** The builder code of the taker's orders. */
export const CODE = `0x${'0badc0de'.repeat(8)}`;

export let market: Market;
/** The trader whose orders rest. */
export let maker: Trader;
/** The trader who takes them, with a builder code in its orders. */
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
  const account = newAccount();
  const creds = await clientOf(world.url, account).createOrDeriveApiKey();
  const client = clientOf(world.url, account, { creds, throwOnError: true, builderConfig: { builderCode: CODE } });
  const owner = account.address.toLowerCase();
  taker = { client, account, owner, wallet: owner, apiKey: creds.key };
});
