// Random orders and their typed data in viem's form. Used by the tests of order digests and signatures. It knows viem's
// form of typed data; the code under test never does.
import fc from 'fast-check';
import type { Hex } from 'viem';
import type { SignableOrder } from '../../server/auth/orderDigest.ts';

/** The text as viem's hex type; tests pass only hex. */
export function asHex(text: string): Hex {
  if (!text.startsWith('0x')) throw new Error(`${text} is not hex.`);
  return `0x${text.slice(2)}`;
}

const hexOf = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => `0x${Buffer.from(array).toString('hex')}`);

const uint256 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.constantFrom(0n, 1n, 2n ** 256n - 1n));
const uint53 = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 1, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER));
const zeroBytes32 = `0x${'0'.repeat(64)}`;

/** Orders over the whole range of every field, edges included. */
export const arbitraryOrder: fc.Arbitrary<SignableOrder> = fc.record({
  salt: fc.oneof(uint53, uint53.map(String), uint256.map(String)),
  maker: hexOf(20),
  signer: hexOf(20),
  tokenId: uint256.map(String),
  makerAmount: uint53,
  takerAmount: uint53,
  side: fc.constantFrom(0, 1),
  signatureType: fc.constantFrom(0, 1, 2, 3),
  timestamp: uint53,
  metadata: fc.oneof(hexOf(32), fc.constant(zeroBytes32)),
  builder: fc.oneof(hexOf(32), fc.constant(zeroBytes32)),
});

const orderFields = [
  { name: 'salt', type: 'uint256' },
  { name: 'maker', type: 'address' },
  { name: 'signer', type: 'address' },
  { name: 'tokenId', type: 'uint256' },
  { name: 'makerAmount', type: 'uint256' },
  { name: 'takerAmount', type: 'uint256' },
  { name: 'side', type: 'uint8' },
  { name: 'signatureType', type: 'uint8' },
  { name: 'timestamp', type: 'uint256' },
  { name: 'metadata', type: 'bytes32' },
  { name: 'builder', type: 'bytes32' },
] as const;

const wrapperFields = [
  { name: 'contents', type: 'Order' },
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
] as const;

function domainOf(chainId: number, exchange: string) {
  return { name: 'Polymarket CTF Exchange', version: '2', chainId, verifyingContract: asHex(exchange) };
}

function messageOf(order: SignableOrder) {
  return {
    salt: BigInt(order.salt),
    maker: asHex(order.maker),
    signer: asHex(order.signer),
    tokenId: BigInt(order.tokenId),
    makerAmount: BigInt(order.makerAmount),
    takerAmount: BigInt(order.takerAmount),
    side: order.side,
    signatureType: order.signatureType,
    timestamp: BigInt(order.timestamp),
    metadata: asHex(order.metadata),
    builder: asHex(order.builder),
  };
}

/** An order as EIP-712 typed data. */
export function typedDataOf(order: SignableOrder, chainId: number, exchange: string) {
  return {
    domain: domainOf(chainId, exchange),
    types: { Order: orderFields },
    primaryType: 'Order' as const,
    message: messageOf(order),
  };
}

/** The typed data that the key behind a deposit wallet signs for an order of type 3. */
export function wrappedTypedDataOf(order: SignableOrder, chainId: number, exchange: string) {
  return {
    domain: domainOf(chainId, exchange),
    types: { Order: orderFields, TypedDataSign: wrapperFields },
    primaryType: 'TypedDataSign' as const,
    message: {
      contents: messageOf(order),
      name: 'DepositWallet',
      version: '1',
      chainId: BigInt(chainId),
      verifyingContract: asHex(order.signer),
      salt: asHex(zeroBytes32),
    },
  };
}
