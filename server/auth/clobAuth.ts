// L1 credentials: the EIP-712 "ClobAuth" statement that a wallet signs to request API keys (wire.md A.1). Called by the
// HTTP layer for endpoints that accept a wallet's signature. It must never accept an address other than the signing key's.
import { type AuthHeaders, isFreshTimestamp } from './headers.ts';
import { bytesToHex, hexToBytes, isAddress, requireHex } from './hex.ts';
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

/**
 * Checks L1 headers of either family; an absent nonce is 0.
 * @param nowMs the clock, milliseconds since the epoch; the timestamp may be 300 s old or 30 s ahead
 * @returns the owner's lower-case address; undefined if the headers are malformed, stale or not signed by it; never throws
 */
export function verifyL1(headers: AuthHeaders, chainId: number, nowMs: number): string | undefined {
  const { address, timestamp, signature } = headers;
  const nonce = headers.nonce === '' ? '0' : headers.nonce;
  if (!isFreshTimestamp(timestamp, nowMs) || !isUint256Decimal(nonce) || !isAddress(address)) return undefined;
  const signatureBytes = hexToBytes(signature);
  if (signatureBytes === undefined) return undefined;
  const signer = recoverAddress(clobAuthDigest({ address, timestamp, nonce }, chainId), signatureBytes);
  return signer === address.toLowerCase() ? signer : undefined;
}
