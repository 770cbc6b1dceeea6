// The EIP-712 digest of a V2 order, encoded by hand: it is the order's id, and wallets of types 0 to 2 sign it. Called for
// every order, so the type hash, domain separators and token-id bytes are cached and the struct's buffer is reused; a
// result is always a new array. The parser must have checked the fields: a malformed one throws.

import { type Side, writeHex } from '../../engine/index.ts';
import { memoizeRecent } from '../lib/memoize.ts';
import { requireHex } from './hex.ts';
import { keccak256, keccak256Text } from './keccak.ts';
import { typedDataDigester } from './typedData.ts';
import { decimalToBytes32, writeUint53 } from './uint256.ts';

/**
 * Which wallet of its owner an order trades from (wire.md B.3): the owner's own address, or its proxy, Safe or deposit wallet.
 * Official clients call them EOA, POLY_PROXY, POLY_GNOSIS_SAFE and POLY_1271.
 */
export const SignatureType = { EOA: 0, PROXY: 1, SAFE: 2, DEPOSIT: 3 } as const;
export type SignatureType = (typeof SignatureType)[keyof typeof SignatureType];

/** All of them, in ascending order. */
export const SIGNATURE_TYPES = Object.values(SignatureType);

export const isSignatureType = (value: unknown): value is SignatureType =>
  SIGNATURE_TYPES.some((type) => type === value);

/** The signed fields of an order in plain form. `expiration` is on the wire but not signed (wire.md B.2). */
export type SignableOrder = {
  /** Whole number ≤ 2^53−1, or the decimal text of a uint256. */
  readonly salt: number | string;
  readonly maker: string;
  readonly signer: string;
  /** Decimal text of a uint256. */
  readonly tokenId: string;
  /** Micro (6 decimals), 0..2^53−1. */
  readonly makerAmount: number;
  /** Micro (6 decimals), 0..2^53−1. */
  readonly takerAmount: number;
  readonly side: Side;
  readonly signatureType: SignatureType;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly metadata: string;
  readonly builder: string;
};

/** The EIP-712 domain of one exchange contract. */
export type OrderDomain = {
  readonly chainId: number;
  readonly verifyingContract: string;
  /** 32 bytes. */
  readonly separator: Uint8Array;
};

/** Digests of orders on one chain. */
export type OrderHasher = {
  /** The 32-byte digest, under the domain selected by the market's neg-risk flag. @throws TypeError on a bad field. */
  readonly digest: (order: SignableOrder, negRisk: boolean) => Uint8Array;
  /** The domain itself, for verifyOrderSignature. */
  readonly domain: (negRisk: boolean) => OrderDomain;
};

/** The type string of the V2 struct (wire.md B.2); ASCII, 186 bytes. */
export const ORDER_TYPE =
  'Order(uint256 salt,address maker,address signer,uint256 tokenId,uint256 makerAmount,uint256 takerAmount,' +
  'uint8 side,uint8 signatureType,uint256 timestamp,bytes32 metadata,bytes32 builder)';

const DOMAIN_TYPE_HASH = keccak256Text(
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)',
);
const DOMAIN_NAME_HASH = keccak256Text('Polymarket CTF Exchange');

/**
 * The order domain of an exchange contract, version 2 by default.
 * @throws TypeError if the contract is not an address; RangeError if the chain id is not a whole number ≥ 1.
 */
export function orderDomain(chainId: number, verifyingContract: string, version = '2'): OrderDomain {
  if (!Number.isSafeInteger(chainId) || chainId < 1) throw new RangeError(`${chainId} is not a chain id.`);
  const encoded = new Uint8Array(5 * 32);
  encoded.set(DOMAIN_TYPE_HASH, 0);
  encoded.set(DOMAIN_NAME_HASH, 32);
  encoded.set(keccak256Text(version), 64);
  writeUint53(new DataView(encoded.buffer), 96, chainId);
  encoded.set(requireHex(verifyingContract, 20, 'The exchange contract'), 128 + 12);
  return { chainId, verifyingContract: verifyingContract.toLowerCase(), separator: keccak256(encoded) };
}

const TOKEN_IDS_KEPT_MAX = 32_768;

/** The bytes of a decimal token id, cached. Only tokens of existing markets reach it. */
const bytesOfTokenId = memoizeRecent(TOKEN_IDS_KEPT_MAX, decimalToBytes32);

// Byte offsets of the slots: the type hash, then the eleven fields in the order of the type string.
const SALT = 32;
const MAKER = 64;
const SIGNER = 96;
const TOKEN_ID = 128;
const MAKER_AMOUNT = 160;
const TAKER_AMOUNT = 192;
const SIDE = 224;
const SIGNATURE_TYPE = 256;
const TIMESTAMP = 288;
const METADATA = 320;
const BUILDER = 352;

const struct = new Uint8Array(12 * 32);
const structView = new DataView(struct.buffer);
struct.set(keccak256Text(ORDER_TYPE), 0);

/** The text that each hex slot currently encodes: makers repeat and metadata is mostly zero, so most writes are skipped. */
const encodedTexts: { maker: string; signer: string; metadata: string; builder: string } = {
  maker: '',
  signer: '',
  metadata: '',
  builder: '',
};

function writeHexField(field: keyof typeof encodedTexts, text: string, offsetBytes: number, lengthBytes: number): void {
  if (encodedTexts[field] === text) return;
  encodedTexts[field] = '';
  if (!writeHex(text, struct, offsetBytes, lengthBytes)) {
    throw new TypeError(`The order's ${field} must be 0x and ${2 * lengthBytes} hex digits.`);
  }
  encodedTexts[field] = text;
}

function writeAmount(name: string, offsetBytes: number, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new TypeError(
      `The order's ${name} must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${value}.`,
    );
  }
  writeUint53(structView, offsetBytes, value);
}

/** The number of decimal digits that is always below 2^53. */
const SAFE_DIGITS_MAX = 15;

function writeSalt(salt: number | string): void {
  if (typeof salt === 'string' && (salt.length > SAFE_DIGITS_MAX || !/^[0-9]+$/.test(salt))) {
    struct.set(decimalToBytes32(salt), SALT);
    return;
  }
  struct.fill(0, SALT, SALT + 24);
  writeAmount('salt', SALT, Number(salt));
}

/** hashStruct(Order): 32 bytes. Type 3 signatures carry it as the contents hash. @throws TypeError on a bad field. */
export function orderStructHash(order: SignableOrder): Uint8Array {
  writeSalt(order.salt);
  writeHexField('maker', order.maker, MAKER + 12, 20);
  writeHexField('signer', order.signer, SIGNER + 12, 20);
  struct.set(bytesOfTokenId(order.tokenId), TOKEN_ID);
  writeAmount('makerAmount', MAKER_AMOUNT, order.makerAmount);
  writeAmount('takerAmount', TAKER_AMOUNT, order.takerAmount);
  struct[SIDE + 31] = order.side;
  struct[SIGNATURE_TYPE + 31] = order.signatureType;
  writeAmount('timestamp', TIMESTAMP, order.timestamp);
  writeHexField('metadata', order.metadata, METADATA, 32);
  writeHexField('builder', order.builder, BUILDER, 32);
  return keccak256(struct);
}

/** The hasher of orders on a chain, for its two exchange contracts. @throws as orderDomain. */
export function orderHasher(contracts: {
  readonly chainId: number;
  readonly exchange: string;
  readonly negRiskExchange: string;
}): OrderHasher {
  const standardDomain = orderDomain(contracts.chainId, contracts.exchange);
  const negRiskDomain = orderDomain(contracts.chainId, contracts.negRiskExchange);
  const standardDigest = typedDataDigester(standardDomain.separator);
  const negRiskDigest = typedDataDigester(negRiskDomain.separator);
  return {
    digest: (order, negRisk) => (negRisk ? negRiskDigest : standardDigest)(orderStructHash(order)),
    domain: (negRisk) => (negRisk ? negRiskDomain : standardDomain),
  };
}
