// A thief and a victim, and orders signed as the thief pleases: for a wallet that is not its own, or with one part of the
// signature wrong. Signatures are made by viem, since the official client makes only right ones. Used by the files of interface
// B.3 and B.3a; the hooks here give each of their tests two new traders and check that neither leaves an order open.
import { Chain, getContractConfig } from '@polymarket/clob-client-v2';
import { concatHex, domainSeparator, type Hex, hashStruct, numberToHex, stringToHex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { ZERO_BYTES32 } from '../../server/auth/hex.ts';
import type { SignableOrder } from '../../server/auth/orderDigest.ts';
import { typedDataOf, wrappedTypedDataOf } from '../auth/orders.ts';
import type { JsonReply } from '../support/client.ts';
import { world } from './ownWorld.ts';
import { createMarket, deriver, type Market, newTrader, signedRaw, type Trader } from './world.ts';

export const { exchangeV2, negRiskExchangeV2, negRiskAdapter } = getContractConfig(Chain.POLYGON);
export const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,' +
  'uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';

export type SignatureType = SignableOrder['signatureType'];

export let market: Market;
export let thief: Trader;
export let victim: Trader;
beforeAll(async () => {
  market = await createMarket(world.url);
});
beforeEach(async () => {
  [thief, victim] = [await newTrader(world.url), await newTrader(world.url)];
});
// A test that leaves orders open must name and cancel them itself.
afterEach(async () => {
  for (const trader of [thief, victim]) expect(await trader.client.getOpenOrders()).toEqual([]);
});

/** Every wallet of an owner, with the signature type that trades from it. */
export function walletsOf(owner: string): readonly (readonly [string, SignatureType])[] {
  const { proxy, safe, depositBeacon, depositUups } = deriver.derivedWallets(owner);
  return [
    [owner, 0],
    [proxy, 1],
    [safe, 2],
    [depositBeacon, 3],
    [depositUups, 3],
  ];
}

export const walletOfType = (owner: string, type: SignatureType): string => walletsOf(owner)[type][0];

let salt = 0;
/** Ten shares at 0.30 from a wallet, as its owner would make the order. */
export function orderFrom(
  owner: string,
  maker: string,
  signatureType: SignatureType,
  change: Partial<SignableOrder> = {},
) {
  salt += 1;
  const order: SignableOrder = {
    salt,
    maker,
    signer: signatureType === 3 ? maker : owner,
    tokenId: market.yes,
    makerAmount: 3_000_000,
    takerAmount: 10_000_000,
    side: 0,
    signatureType,
    timestamp: Date.now(),
    metadata: ZERO_BYTES32,
    builder: ZERO_BYTES32,
  };
  return { ...order, ...change };
}

/** The chain and contract for which a signature is made, and for type 3 the wallet. */
export interface Signing {
  readonly chainId?: number;
  readonly exchange?: string;
  /** Changes what the key behind a deposit wallet signs. */
  readonly wrapper?: object;
  /** Replaces parts of a wrapped signature after it was made. */
  readonly separator?: Hex;
  readonly contentsHash?: Hex;
  readonly typeText?: string;
  readonly typeLength?: number;
  readonly inner?: (signature: Hex) => Hex;
}

/** Signs as the official client does for the order's type, with the changes in `signing`. */
export async function sign(order: SignableOrder, account: PrivateKeyAccount, signing: Signing = {}): Promise<Hex> {
  const { chainId = 137, exchange = exchangeV2, typeText = ORDER_TYPE, inner = (signature) => signature } = signing;
  const plain = typedDataOf(order, chainId, exchange);
  if (order.signatureType !== 3) return inner(await account.signTypedData(plain));
  const wrapped = wrappedTypedDataOf(order, chainId, exchange);
  const made = await account.signTypedData({ ...wrapped, message: { ...wrapped.message, ...signing.wrapper } });
  const { types, message, primaryType } = plain;
  return concatHex([
    inner(made),
    signing.separator ?? domainSeparator({ domain: plain.domain }),
    signing.contentsHash ?? hashStruct({ types, data: message, primaryType }),
    stringToHex(typeText),
    numberToHex(signing.typeLength ?? typeText.length, { size: 2 }),
  ]);
}

export function bodyOf(order: SignableOrder, signature: string, owner: string) {
  const { makerAmount, takerAmount, timestamp, side } = order;
  const texts = { makerAmount: String(makerAmount), takerAmount: String(takerAmount), timestamp: String(timestamp) };
  const sent = { ...order, ...texts, side: side === 0 ? 'BUY' : 'SELL', expiration: '0', signature };
  return { order: sent, owner, orderType: 'GTC', postOnly: false, deferExec: false };
}

/** Posts an order under the trader's API key. */
export const post = (
  trader: Trader,
  order: SignableOrder,
  signature: string,
  owner = trader.apiKey,
): Promise<JsonReply> => signedRaw(trader, 'POST', '/order', bodyOf(order, signature, owner));

export function expectRefusal({ status, json }: JsonReply, error: RegExp, label: unknown = ''): void {
  expect([status, json.error], `${label}: ${JSON.stringify(json)}`).toEqual([400, expect.stringMatching(error)]);
}

/** Expects an order to rest from this wallet, and cancels it. */
export async function expectToRest(trader: Trader, { status, json }: JsonReply, maker: string): Promise<void> {
  expect([status, json.success, json.status], JSON.stringify(json)).toEqual([200, true, 'live']);
  expect((await trader.client.getOrder(json.orderID)).maker_address.toLowerCase()).toBe(maker);
  const canceled = await signedRaw(trader, 'DELETE', '/order', { orderID: json.orderID });
  expect(canceled.json.canceled).toEqual([json.orderID]);
}

export const WALLET_REFUSED = /^maker address not allowed/;
export const SIGNER_REFUSED = /^the order signer address has to be/;
export const SIGNATURE_REFUSED = /^invalid signature$/;
