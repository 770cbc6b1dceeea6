// The shared parts of the trading tests over HTTP: a whole server in this process, two traders with keys, markets created by the
// operator, and orders signed as the official clients sign them. Used by tests of this folder and by others of whole servers.
import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import type { Clock } from '../../engine/index.ts';
import type { ApiCredentials } from '../../server/auth/apiKeys.ts';
import { ZERO_BYTES32 } from '../../server/auth/hex.ts';
import type { SignableOrder } from '../../server/auth/orderDigest.ts';
import { signOrder } from '../../server/auth/orderSignature.ts';
import type { ServerConfig } from '../../server/config/config.ts';
import type { DevelopmentWallet } from '../../server/dev/wallets.ts';
import { ADMIN, createKey, type JsonReply, send, sendSigned } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

export interface Trader {
  readonly wallet: DevelopmentWallet;
  readonly key: ApiCredentials;
}
export interface MarketIds {
  readonly conditionId: string;
  readonly tokens: readonly [string, string];
  readonly negRisk: boolean;
}
export interface OrderChoice {
  readonly pips: number;
  readonly shares: number;
  readonly token?: 0 | 1;
  readonly side?: 'BUY' | 'SELL';
  readonly signatureType?: 0 | 1 | 2 | 3;
  readonly maker?: string;
  readonly orderType?: string;
  readonly change?: Partial<SignableOrder>;
}

export let server: TestServer;
export let alice: Trader;
export let bob: Trader;
export let market: MarketIds;
let marketCount = 0;

/** Starts a server with two traders, who have their keys and development's credit, and one market. */
export const openTradingWorld = (): Promise<void> => openTradingWorldOn();

/** The same on the test's own clock, where one is given, and with differences from a quiet configuration. */
export async function openTradingWorldOn(clock?: Clock, config: Partial<ServerConfig> = {}): Promise<void> {
  server = await startTestServer({ config, ...(clock && { clock }) });
  const [first, second] = server.wallets;
  alice = { wallet: first, key: await createKey(server.url, first) };
  bob = { wallet: second, key: await createKey(server.url, second) };
  market = await newMarket();
}

export async function newMarket(terms: object = {}, negRisk = false): Promise<MarketIds> {
  marketCount += 1;
  const body = { question: `Market ${marketCount}?`, slug: `market-${marketCount}`, neg_risk: negRisk, ...terms };
  const { status, json } = await send(server.url, 'POST', '/admin/markets', body, ADMIN);
  expect([status, json.error]).toEqual([200, undefined]);
  return marketIdsOf(json);
}

/** The ids in an operator's record of a market. */
export function marketIdsOf({ condition_id, tokens: [first, second], neg_risk }: JsonReply['json']): MarketIds {
  return { conditionId: condition_id, tokens: [first.token_id, second.token_id], negRisk: neg_risk };
}

export function makerOf({ address, derived }: DevelopmentWallet, signatureType: number): string {
  return [address, derived.proxy, derived.safe, derived.depositBeacon][signatureType];
}

/** The body of POST /order for an order of whole shares. */
export function orderBody({ wallet, key }: Trader, where: MarketIds, choice: OrderChoice) {
  const { pips, shares, token = 0, side = 'BUY', signatureType = 0, orderType = 'GTC' } = choice;
  const [money, size] = [shares * 100 * pips, shares * 1_000_000];
  const maker = choice.maker ?? makerOf(wallet, signatureType);
  const order: SignableOrder = {
    salt: randomInt(2 ** 47),
    maker,
    signer: signatureType === 3 ? maker : wallet.address,
    tokenId: where.tokens[token],
    makerAmount: side === 'BUY' ? money : size,
    takerAmount: side === 'BUY' ? size : money,
    side: side === 'BUY' ? 0 : 1,
    signatureType,
    timestamp: Date.now(),
    metadata: ZERO_BYTES32,
    builder: ZERO_BYTES32,
    ...choice.change,
  };
  const domain = server.services.orderHasher.domain(where.negRisk);
  return {
    order: {
      ...order,
      makerAmount: String(order.makerAmount),
      takerAmount: String(order.takerAmount),
      side,
      timestamp: String(order.timestamp),
      expiration: '0',
      signature: signOrder(order, wallet.privateKey, domain),
    },
    owner: key.apiKey,
    orderType,
    deferExec: false,
    postOnly: false,
  };
}

export const call = ({ wallet, key }: Trader, method: string, path: string, body?: unknown): Promise<JsonReply> =>
  sendSigned(server.url, wallet.address, key, method, path, body);
export const post = (trader: Trader, where: MarketIds, choice: OrderChoice): Promise<JsonReply> =>
  call(trader, 'POST', '/order', orderBody(trader, where, choice));
export const cancelAll = (trader: Trader): Promise<JsonReply> => call(trader, 'DELETE', '/cancel-all');
export const get = async (path: string) => (await send(server.url, 'GET', path)).json;
