// Distinguishes an order signed for version 3 of the exchange contract from one with a wrong signature: its client must be
// told to read /version again and build the order anew (wire.md B.2, B.6). Called only after an order's signature check has
// failed, so it is not on the hot path. It never makes an order acceptable.
import { type OrderDomain, orderDomain, orderStructHash, type SignableOrder } from '../auth/orderDigest.ts';
import { verifyOrderSignature } from '../auth/orderSignature.ts';
import { typedDataDigester } from '../auth/typedData.ts';

/** The version 3 contracts known to official clients, by chain. */
const CONTRACTS: Readonly<Record<number, string>> = {
  137: '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
  80002: '0x9fe6e61422adb6f610d8597f9684b16912d50c3d',
};

/** The version 3 domain on a chain; undefined if clients know no contract there. */
export function thirdVersionDomain(chainId: number): OrderDomain | undefined {
  const verifyingContract = CONTRACTS[chainId];
  return verifyingContract === undefined ? undefined : orderDomain(chainId, verifyingContract, '3');
}

/** Whether the owner signed this order under the version 3 domain. */
export function isSignedForOtherVersion(
  order: SignableOrder & { readonly signature: string },
  owner: string,
  chainId: number,
): boolean {
  const domain = thirdVersionDomain(chainId);
  if (domain === undefined) return false;
  const digest = typedDataDigester(domain.separator)(orderStructHash(order));
  const check = verifyOrderSignature(order, digest, order.signature, domain);
  return check.ok && check.signer === owner;
}
