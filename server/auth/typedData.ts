// The last step of every EIP-712 digest: joins the domain separator with the hash of a struct. Called by the digests of
// orders and of L1 statements, which encode their own structs. It knows nothing about the signed content.
import { keccak256 } from './keccak.ts';

/**
 * keccak256(0x1901 ‖ separator ‖ struct hash) with the first 34 bytes laid out once.
 * @param separator 32 bytes
 * @returns a function from a 32-byte struct hash to the digest, a new array each time
 */
export function typedDataDigester(separator: Uint8Array): (structHash: Uint8Array) => Uint8Array {
  const message = new Uint8Array(66);
  message[0] = 0x19;
  message[1] = 0x01;
  message.set(separator, 2);
  return (structHash) => {
    message.set(structHash, 34);
    return keccak256(message);
  };
}
