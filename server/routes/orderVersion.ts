// Tells an order that was signed for version 3 of the exchange contract from one with a wrong signature: its client
// must be told to read /version again and build the order anew (wire.md B.2, B.6). Called only when the signature of
// an order has failed, so nothing here is on the hot path. It never makes an order acceptable.
import { requireHex } from '../auth/hex.ts';
import { keccak256, keccak256Text } from '../auth/keccak.ts';
import { type OrderDomain, orderStructHash, type SignableOrder } from '../auth/orderDigest.ts';
import { verifyOrderSignature } from '../auth/orderSignature.ts';
import { typedDataDigester } from '../auth/typedData.ts';
import { writeUint53 } from '../auth/uint256.ts';

/** The version 3 contracts that official clients know, by chain. */
const CONTRACTS: Readonly<Record<number, string>> = {
  137: '0xe3333700ca9d93003f00f0f71f8515005f6c00aa',
  80002: '0x9fe6e61422adb6f610d8597f9684b16912d50c3d',
};

const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';

/** The domain of version 3 on a chain; undefined where no client knows a contract. */
export function thirdVersionDomain(chainId: number): OrderDomain | undefined {
  const verifyingContract = CONTRACTS[chainId];
  if (verifyingContract === undefined) return undefined;
  const encoded = new Uint8Array(5 * 32);
  encoded.set(keccak256Text(DOMAIN_TYPE), 0);
  encoded.set(keccak256Text('Polymarket CTF Exchange'), 32);
  encoded.set(keccak256Text('3'), 64);
  writeUint53(new DataView(encoded.buffer), 96, chainId);
  encoded.set(requireHex(verifyingContract, 20, 'The exchange contract of version 3'), 128 + 12);
  return { chainId, verifyingContract, separator: keccak256(encoded) };
}

/** Whether the owner signed this order under the domain of version 3. */
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
