// The helpers of the conformance files in their world (ownWorld.ts): traders who are unmodified official clients with
// wallets of every signature type, markets created through the admin interface, and balances read over HTTP. Nothing here
// looks into the server: assertions rest on what a client is told.
import {
  type ApiError,
  AssetType,
  Chain,
  ClobClient,
  type ClobClientOptions,
  createL2Headers,
  getContractConfig,
  isV2Order,
  type OrderResponse,
  OrderType,
  type PostOrdersArgs,
  Side,
  type SignatureTypeV2,
  type SignedOrder,
  type TickSize,
} from '@polymarket/clob-client-v2';
import { createWalletClient, type Hex, hashTypedData, http } from 'viem';
import { generatePrivateKey, mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import type { SignableOrder } from '../../server/auth/orderDigest.ts';
import { walletDeriver } from '../../server/auth/wallets.ts';
import { typedDataOf } from '../auth/orders.ts';
import { ADMIN, type JsonReply, send } from '../support/client.ts';

export { OrderType, Side };

const MNEMONIC = 'test test test test test test test test test test test junk';
/** The amount that development credits to each wallet of a new owner, micro. */
export const CREDIT_MICRO = 10_000_000_000n;

/** Published wallets of the first two development keys (wire.md B.3a): proxy, Safe and deposit wallet in beacon form. */
export const PUBLISHED_WALLETS: readonly (readonly [string, string, string])[] = [
  [
    '0x365f0cA36ae1F641E02Fe3b7743673DA42A13a70',
    '0xd93b25Cb943D14d0d34FBAf01fc93a0F8b5f6e47',
    '0xBc0fF067b7740Eff76C1ca93c875Ba6B890d6B50',
  ],
  [
    '0xd9d24e482c11F586cd9A1a53dC3eEc6dE3883862',
    '0x8ac5D4Bd2752AFc9F5CA531f19D617647216B893',
    '0x4Fe2CC4925607a473264FA89e7138075695A5F8e',
  ],
];

/** A request of the venue's operator; expects success. */
export async function admin(url: string, method: string, path: string, body: unknown): Promise<JsonReply['json']> {
  const reply = await send(url, method, path, body, ADMIN);
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.json)}`).toBe(200);
  return reply.json;
}

export interface Market {
  readonly conditionId: string;
  readonly questionId: string;
  readonly yes: string;
  readonly no: string;
  readonly negRisk: boolean;
  readonly tickSize: TickSize;
}

/** The terms in which a test's market may differ from the defaults. */
export interface MarketTerms {
  readonly tickSize?: TickSize;
  /** In shares. */
  readonly minOrderSize?: number;
  /** In collateral units, as a decimal text. */
  readonly minMarketableBuy?: string;
  readonly feeRate?: number;
  readonly feeExponent?: number;
  readonly negRisk?: boolean;
  readonly secondsDelay?: number;
}

let marketCount = 0;

/** Creates an open market with the outcomes Yes and No, and reads its tokens back as clients do. */
export async function createMarket(url: string, terms: MarketTerms = {}): Promise<Market> {
  marketCount += 1;
  const slug = `conformance-${process.pid}-${marketCount}`;
  const created = await admin(url, 'POST', '/admin/markets', {
    slug,
    question: `Does conformance market ${marketCount} work?`,
    outcomes: ['Yes', 'No'],
    tick_size: terms.tickSize ?? '0.01',
    min_order_size: String(terms.minOrderSize ?? 5),
    min_marketable_buy: terms.minMarketableBuy ?? '1',
    fee: { rate: String(terms.feeRate ?? 0), exponent: terms.feeExponent ?? 1 },
    neg_risk: terms.negRisk ?? false,
    seconds_delay: terms.secondsDelay ?? 0,
    status: 'active',
  });
  return readMarket(url, created.condition_id);
}

/** A market as its record shows it. */
export async function readMarket(url: string, conditionId: string): Promise<Market> {
  const record = (await send(url, 'GET', `/markets/${conditionId}`)).json;
  return {
    conditionId: record.condition_id,
    questionId: record.question_id,
    yes: record.tokens[0].token_id,
    no: record.tokens[1].token_id,
    negRisk: record.neg_risk,
    tickSize: String(record.minimum_tick_size) as TickSize, // the server has no others
  };
}

/** One wallet of one key, behind an official client. */
export interface Trader {
  readonly client: ClobClient;
  readonly account: PrivateKeyAccount;
  /** Lower-case address of the key. */
  readonly owner: string;
  /** Lower-case address that holds the money. */
  readonly wallet: string;
  readonly apiKey: string;
}

/** A key of the development mnemonic, by its index. */
export function developmentKey(index: number): Hex {
  const key = mnemonicToAccount(MNEMONIC, { addressIndex: index }).getHdKey().privateKey;
  if (key === null) throw new Error(`The development wallet ${index} has no private key.`);
  return `0x${Buffer.from(key).toString('hex')}`;
}

/** An official client that signs with a key; without further options it has no API key and returns errors as values. */
export function clientOf(
  url: string,
  account: PrivateKeyAccount,
  options: Omit<ClobClientOptions, 'host' | 'chain' | 'signer'> = {},
): ClobClient {
  // The transport is never used: viem's wallet client requires one, but signs locally.
  const signer = createWalletClient({ account, transport: http(url) });
  return new ClobClient({ host: url, chain: Chain.POLYGON, signer, ...options });
}

export const newAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

export const signatureTypes = [0, 1, 2, 3] as const;
export const deriver = walletDeriver();

/** The wallet that pays for orders of this signature type. */
export function walletOf(owner: string, signatureType: SignatureTypeV2): string {
  const { proxy, safe, depositBeacon } = deriver.derivedWallets(owner);
  return [owner.toLowerCase(), proxy, safe, depositBeacon][signatureType];
}

/** A trader with an API key, whose client throws on refusals; on a fresh random key unless one is given. */
export async function newTrader(url: string, signatureType: SignatureTypeV2 = 0, key?: Hex): Promise<Trader> {
  const account = privateKeyToAccount(key ?? generatePrivateKey());
  const creds = await clientOf(url, account).createOrDeriveApiKey();
  const wallet = walletOf(account.address, signatureType);
  const funder = signatureType === 0 ? {} : { funderAddress: wallet };
  const client = clientOf(url, account, { creds, signatureType, throwOnError: true, ...funder });
  return { client, account, owner: account.address.toLowerCase(), wallet, apiKey: creds.key };
}

/** Sends a request that the trader's API key signs, without the client; `query` is not part of what is signed. */
export async function signedRaw(
  trader: Trader,
  method: string,
  path: string,
  body?: unknown,
  query = '',
): Promise<JsonReply> {
  const { host, signer, creds } = trader.client;
  if (signer === undefined || creds === undefined) throw new Error('The trader has no credentials.');
  const text = body === undefined ? undefined : JSON.stringify(body);
  const signed = { method, requestPath: path, ...(text === undefined ? {} : { body: text }) };
  const headers = await createL2Headers(signer, creds, signed);
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return send(host, method, path + query, text, texts);
}

/** The error of a call that must be refused. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  return call.then(
    (reply) => expect.unreachable(`not refused: ${JSON.stringify(reply)}`),
    (error: ApiError) => error,
  );
}

/** Gives a wallet free shares of a token; the house keeps those of the other token. */
export async function giveShares(url: string, trader: Trader, token: string, shares: string): Promise<void> {
  const reply = await send(url, 'POST', '/dev/faucet', { address: trader.wallet, token_id: token, shares });
  expect(reply.status, JSON.stringify(reply.json)).toBe(200);
}

/** Figures of a wallet in one market, micro. */
export interface Balances {
  readonly collateral: bigint;
  readonly yes: bigint;
  readonly no: bigint;
}

/** The balances that the client is told for its wallet in a market. */
export async function balancesOf(trader: Trader, market: Market): Promise<Balances> {
  const { client } = trader;
  const [collateral, yes, no] = await Promise.all([
    client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL }),
    client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id: market.yes }),
    client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id: market.no }),
  ]);
  return { collateral: BigInt(collateral.balance), yes: BigInt(yes.balance), no: BigInt(no.balance) };
}

/** Micro of a decimal text with at most six decimals; the sign is kept. */
export function micro(decimal: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(decimal);
  if (match === null) throw new Error(`"${decimal}" is not a decimal of at most six places.`);
  const [, sign, whole, fraction = ''] = match;
  const value = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return sign === '-' ? -value : value;
}

/** Balances after a change given in decimal units. */
export function moved(
  before: Balances,
  change: { readonly collateral?: string; readonly yes?: string; readonly no?: string },
): Balances {
  return {
    collateral: before.collateral + micro(change.collateral ?? '0'),
    yes: before.yes + micro(change.yes ?? '0'),
    no: before.no + micro(change.no ?? '0'),
  };
}

/** Taker fee of a trade in micro: 10 * floor(lots * rate * (p(1-p))^exponent / 10), exact. */
export function feeMicro(lots: number, pips: number, ratePer10k: number, exponent = 1): bigint {
  const spread = BigInt(pips) * BigInt(10_000 - pips);
  return 10n * ((BigInt(lots) * BigInt(ratePer10k) * spread ** BigInt(exponent)) / 10n ** BigInt(8 * exponent) / 10n);
}

/** Posts a limit order through the client. */
export function limit(
  trader: Trader,
  market: Market,
  side: Side,
  token: string,
  price: number,
  size: number,
  options: {
    readonly type?: OrderType.GTC | OrderType.GTD;
    readonly expiration?: number;
    readonly postOnly?: boolean;
  } = {},
): Promise<OrderResponse> {
  const { tickSize, negRisk } = market;
  const { type = OrderType.GTC, expiration, postOnly = false } = options;
  const order = { tokenID: token, price, size, side, ...(expiration === undefined ? {} : { expiration }) };
  return trader.client.createAndPostOrder(order, { tickSize, negRisk }, type, postOnly);
}

/** Posts a market order through the client; BUY amounts are collateral, SELL amounts shares. */
export function take(
  trader: Trader,
  market: Market,
  side: Side,
  token: string,
  amount: number,
  price?: number,
  type: OrderType.FOK | OrderType.FAK = OrderType.FOK,
): Promise<OrderResponse> {
  const { tickSize, negRisk } = market;
  const order = { tokenID: token, amount, side, orderType: type, ...(price === undefined ? {} : { price }) };
  return trader.client.createAndPostMarketOrder(order, { tickSize, negRisk }, type);
}

/** A limit order that the client signed and did not send. */
export function signLimit(
  trader: Trader,
  { tickSize, negRisk }: Pick<Market, 'tickSize' | 'negRisk'>,
  side: Side,
  token: string,
  price: number,
  size: number,
): Promise<SignedOrder> {
  return trader.client.createOrder({ tokenID: token, price, size, side }, { tickSize, negRisk });
}

/** An element of a batch. */
export function batchItem(order: SignedOrder, orderType = OrderType.GTC): PostOrdersArgs {
  // The client's types distinguish orders by version; its own functions accept what it made.
  return { order, orderType } as PostOrdersArgs;
}

/** The ids of a trader's open orders, in one market or in all, sorted. */
export async function openIds({ client }: Trader, market?: Market): Promise<string[]> {
  const open = await client.getOpenOrders(market && { market: market.conditionId });
  return open.map(({ id }) => id).sort();
}

/** The id of an order before it is sent: its EIP-712 digest. */
export function orderIdOf(order: SignedOrder, negRisk: boolean): string {
  if (!isV2Order(order)) throw new Error('The client made an order of version 1.');
  const contracts = getContractConfig(Chain.POLYGON);
  const exchange = negRisk ? contracts.negRiskExchangeV2 : contracts.exchangeV2;
  const signed: SignableOrder = {
    ...order,
    side: order.side === Side.BUY ? 0 : 1,
    makerAmount: Number(order.makerAmount),
    takerAmount: Number(order.takerAmount),
    timestamp: Number(order.timestamp),
  };
  return hashTypedData(typedDataOf(signed, Chain.POLYGON, exchange));
}

/** Levels of a book in the wire's order: [price, size], the best one last. */
export function levelsOf(levels: readonly { price: string; size: string }[]): readonly (readonly [string, string])[] {
  return levels.map(({ price, size }) => [price, size]);
}
