// L1 credentials: the EIP-712 "ClobAuth" statement that a wallet signs to request API keys (wire.md A.1). Called by the
// HTTP layer for endpoints that accept a wallet's signature. It must never accept an address other than the signing key's.
import { type AuthHeaders, isFreshTimestamp } from './headers.ts';
import { bytesToHex, hexToBytes, requireHex, writeHex } from './hex.ts';
import { keccak256, keccak256Text } from './keccak.ts';
import { recoverAddress, signDigest } from './secp256k1.ts';
import { typedDataDigester } from './typedData.ts';
import { decimalToBytes32, isUint256Decimal, writeUint53 } from './uint256.ts';

/** The fields of the statement; the rest is constant. */
type ClobAuth = {
  readonly address: string;
  /** Unix seconds as decimal text. */
  readonly timestamp: string;
  /** Decimal text of a uint256. */
  readonly nonce: string;
};

/** The outcome of an L1 check; `nonce` has no leading zeros. The error is the text of the 401 answer. */
type L1Check =
  | { readonly ok: true; readonly owner: string; readonly nonce: string }
  | { readonly ok: false; readonly error: 'Invalid L1 Request headers' };

const INVALID: L1Check = { ok: false, error: 'Invalid L1 Request headers' };

const DOMAIN_TYPE_HASH = keccak256Text('EIP712Domain(string name,string version,uint256 chainId)');
const DOMAIN_NAME_HASH = keccak256Text('ClobAuthDomain');
const DOMAIN_VERSION_HASH = keccak256Text('1');
const TYPE_HASH = keccak256Text('ClobAuth(address address,string timestamp,uint256 nonce,string message)');
const MESSAGE_HASH = keccak256Text('This message attests that I control the given wallet');

function domainSeparator(chainId: number): Uint8Array {
  const encoded = new Uint8Array(4 * 32);
  encoded.set(DOMAIN_TYPE_HASH, 0);
  encoded.set(DOMAIN_NAME_HASH, 32);
  encoded.set(DOMAIN_VERSION_HASH, 64);
  writeUint53(new DataView(encoded.buffer), 96, chainId);
  return keccak256(encoded);
}

/** The 32-byte digest that the wallet's key signs. @throws TypeError on a malformed address or nonce. */
export function clobAuthDigest(statement: ClobAuth, chainId: number): Uint8Array {
  const encoded = new Uint8Array(5 * 32);
  encoded.set(TYPE_HASH, 0);
  encoded.set(requireHex(statement.address, 20, 'The address'), 32 + 12);
  encoded.set(keccak256Text(statement.timestamp), 64);
  encoded.set(decimalToBytes32(statement.nonce), 96);
  encoded.set(MESSAGE_HASH, 128);
  return typedDataDigester(domainSeparator(chainId))(keccak256(encoded));
}

/** Signs the statement: 0x text of 65 bytes. For clients, development tools and tests. */
export function signClobAuth(statement: ClobAuth, chainId: number, privateKey: Uint8Array | string): string {
  return bytesToHex(signDigest(clobAuthDigest(statement, chainId), privateKey));
}

const addressBytes = new Uint8Array(20);

/**
 * Checks L1 headers of either family; an absent nonce is 0.
 * @param nowMs the clock, milliseconds since the epoch; the timestamp may be 300 s old or 30 s ahead
 * @returns the owner's lower-case address and the nonce, or the text of the 401; never throws
 */
export function verifyL1(headers: AuthHeaders, chainId: number, nowMs: number): L1Check {
  const { address, timestamp, signature } = headers;
  const nonce = headers.nonce === '' ? '0' : headers.nonce;
  if (!isFreshTimestamp(timestamp, nowMs) || !isUint256Decimal(nonce)) return INVALID;
  if (!writeHex(address, addressBytes, 0, 20)) return INVALID;
  const signatureBytes = hexToBytes(signature);
  if (signatureBytes === undefined) return INVALID;
  const signer = recoverAddress(clobAuthDigest({ address, timestamp, nonce }, chainId), signatureBytes);
  if (signer === undefined || signer !== address.toLowerCase()) return INVALID;
  return { ok: true, owner: signer, nonce: BigInt(nonce).toString() };
}
