// Wallets with keys, and the orders and requests that they sign, all made before any clock starts: the traffic of a crowd
// of bots. Used by the loader and by the measurements of parts. Keys come from a seeded generator and are no secrets.
import { chainContracts } from '../../server/auth/contracts.ts';
import { ZERO_BYTES32 } from '../../server/auth/hex.ts';
import { signL2 } from '../../server/auth/l2.ts';
import { orderHasher, type SignableOrder } from '../../server/auth/orderDigest.ts';
import { signOrder } from '../../server/auth/orderSignature.ts';
import { addressOfPrivateKey } from '../../server/auth/secp256k1.ts';
import { SeededRandom } from '../lib/seededRandom.ts';

export const CHAIN_ID = 137;
const contracts = chainContracts(CHAIN_ID);
export const hasher = orderHasher(contracts);

export interface Wallet {
  readonly privateKey: Uint8Array;
  /** Lower-case 0x address. */
  readonly address: string;
}

export interface Credentials {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

/** A token that orders may name, on a market with a tick of 0.01. */
export interface Token {
  readonly tokenId: string;
  readonly negRisk: boolean;
}

/** Fresh wallets; the same seed gives the same wallets. */
export function makeWallets(count: number, seed: number): Wallet[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => {
    const privateKey = new Uint8Array(32);
    // The first byte stays 0, which keeps every key below the curve's order.
    for (let index = 1; index < 32; index += 1) privateKey[index] = random.below(256);
    return { privateKey, address: addressOfPrivateKey(privateKey) };
  });
}

/** A signed BUY of whole shares at a price in hundredths. */
interface SignedBuy {
  readonly order: SignableOrder;
  readonly negRisk: boolean;
  readonly signature: string;
}

/** Signs a BUY of `shares` at `cents` from the wallet itself (signature type 0). */
export function signBuy(
  wallet: Wallet,
  token: Token,
  cents: number,
  shares: number,
  salt: number,
  timestampMs: number,
): SignedBuy {
  const order: SignableOrder = {
    salt,
    maker: wallet.address,
    signer: wallet.address,
    tokenId: token.tokenId,
    makerAmount: shares * cents * 10_000,
    takerAmount: shares * 1_000_000,
    side: 0,
    signatureType: 0,
    timestamp: timestampMs,
    metadata: ZERO_BYTES32,
    builder: ZERO_BYTES32,
  };
  const signature = signOrder(order, wallet.privateKey, hasher.domain(token.negRisk));
  return { order, negRisk: token.negRisk, signature };
}

/** The JSON text of POST /order as the official client writes it. */
export function orderBody({ order, signature }: SignedBuy, apiKey: string): string {
  const { salt, maker, signer, tokenId, makerAmount, takerAmount, timestamp, metadata, builder } = order;
  return JSON.stringify({
    order: {
      salt,
      maker,
      signer,
      tokenId,
      makerAmount: String(makerAmount),
      takerAmount: String(takerAmount),
      side: 'BUY',
      signatureType: 0,
      timestamp: String(timestamp),
      expiration: '0',
      metadata,
      builder,
      signature,
    },
    owner: apiKey,
    orderType: 'GTC',
    deferExec: false,
    postOnly: false,
  });
}

/** The bytes of a whole POST /order with its L2 headers. */
export function orderRequest(
  host: string,
  wallet: Wallet,
  credentials: Credentials,
  body: string,
  nowMs: number,
): Buffer {
  const bytes = Buffer.from(body);
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = signL2({ timestamp, method: 'POST', path: '/order', body: bytes }, credentials.secret);
  const head =
    `POST /order HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\n` +
    `POLY_ADDRESS: ${wallet.address}\r\nPOLY_API_KEY: ${credentials.apiKey}\r\n` +
    `POLY_PASSPHRASE: ${credentials.passphrase}\r\nPOLY_SIGNATURE: ${signature}\r\nPOLY_TIMESTAMP: ${timestamp}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}
