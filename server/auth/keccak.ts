// keccak256, the hash of Ethereum, by hash-wasm: three to eight times faster here than the hashes in plain JavaScript.
// The WASM instance is made once, while this module loads; after that every call is synchronous.
// One shared hasher: a call must never be interleaved with another, which synchronous use guarantees.
import { createKeccak } from 'hash-wasm';

const hasher = await createKeccak(256);

/** The 32-byte keccak256 of the bytes, in a new array that the caller may keep. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest('binary');
}

const encoder = new TextEncoder();

/** The keccak256 of the text's UTF-8 bytes: EIP-712's encoding of `string` values and type strings. */
export function keccak256Text(text: string): Uint8Array {
  return keccak256(encoder.encode(text));
}
