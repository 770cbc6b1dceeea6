// ECDSA over secp256k1 as Ethereum uses it: recover an address from a digest, sign a digest, derive a key's address. Native
// libsecp256k1 if its prebuilt binary loads, else the same library as WASM (about three times slower); signatureBackend
// says which. Called by the checks of orders and of L1 headers. It must never fall back to JavaScript curves: the index of
// the secp256k1 package does so silently, so its bindings.js is loaded directly.
import { createRequire } from 'node:module';
import { bytesToHex, requireHex } from './hex.ts';
import { keccak256 } from './keccak.ts';

/** The interface to a curve library. Lengths are checked before each call. */
type SignatureBackend = {
  readonly name: 'native' | 'wasm';
  /** 65-byte uncompressed public key, possibly in a buffer that the next call reuses; undefined if there is none. */
  recoverPublicKey(compact: Uint8Array, recoveryId: 0 | 1, digest: Uint8Array): Uint8Array | undefined;
  /** Deterministic (RFC 6979) low-s signature. @throws if the key is 0 or ≥ n. */
  sign(digest: Uint8Array, privateKey: Uint8Array): { readonly compact: Uint8Array; readonly recoveryId: number };
  /** 65-byte uncompressed public key. @throws if the key is 0 or ≥ n. */
  publicKey(privateKey: Uint8Array): Uint8Array;
};

/** The functions used from secp256k1/bindings.js; they throw when libsecp256k1 reports an error. */
type NativeBindings = {
  ecdsaRecover(
    compact: Uint8Array,
    recoveryId: number,
    digest: Uint8Array,
    compressed: boolean,
    output: Uint8Array,
  ): Uint8Array;
  ecdsaSign(digest: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array;
};

/** libsecp256k1 as an N-API addon; undefined if no prebuilt binary loads on this platform. */
export function loadNativeBackend(): SignatureBackend | undefined {
  let bindings: NativeBindings;
  try {
    bindings = createRequire(import.meta.url)('secp256k1/bindings.js');
  } catch {
    return undefined;
  }
  const output = new Uint8Array(65);
  return {
    name: 'native',
    recoverPublicKey(compact, recoveryId, digest) {
      try {
        return bindings.ecdsaRecover(compact, recoveryId, digest, false, output);
      } catch {
        return undefined;
      }
    },
    sign(digest, privateKey) {
      const { signature, recid } = bindings.ecdsaSign(digest, privateKey);
      return { compact: signature, recoveryId: recid };
    },
    publicKey: (privateKey) => bindings.publicKeyCreate(privateKey, false),
  };
}

/** libsecp256k1 compiled to WASM (libauth), with the same results on every platform. */
export async function loadWasmBackend(): Promise<SignatureBackend> {
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const wasm = await instantiateSecp256k1();
  return {
    name: 'wasm',
    recoverPublicKey(compact, recoveryId, digest) {
      const key = wasm.recoverPublicKeyUncompressed(compact, recoveryId, digest);
      return typeof key === 'string' ? undefined : key;
    },
    sign(digest, privateKey) {
      const result = wasm.signMessageHashRecoverableCompact(privateKey, digest);
      if (typeof result === 'string') throw new RangeError(result);
      return { compact: result.signature, recoveryId: result.recoveryId };
    },
    publicKey(privateKey) {
      const key = wasm.derivePublicKeyUncompressed(privateKey);
      if (typeof key === 'string') throw new RangeError(key);
      return key;
    },
  };
}

/** The curve's order n. */
const ORDER = requireHex('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 32, 'n');
/** floor(n / 2), the largest accepted s: each signature then has one valid form only (EIP-2). */
const HALF_ORDER = requireHex('0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 32, 'n / 2');

/** Sign of (the 32 bytes at `offset`) − bound. */
function compare32(bytes: Uint8Array, offset: number, bound: Uint8Array): number {
  for (let index = 0; index < 32; index++) {
    const difference = bytes[offset + index] - bound[index];
    if (difference !== 0) return difference;
  }
  return 0;
}

function isZero32(bytes: Uint8Array, offset: number): boolean {
  for (let index = 0; index < 32; index++) {
    if (bytes[offset + index] !== 0) return false;
  }
  return true;
}

/** True for r, s, v with 0 < r < n, 0 < s ≤ n/2 and v 27 or 28. */
function isCanonical(signature: Uint8Array): boolean {
  if (signature.length !== 65) return false;
  const v = signature[64];
  if (v !== 27 && v !== 28) return false;
  if (compare32(signature, 0, ORDER) >= 0 || compare32(signature, 32, HALF_ORDER) > 0) return false;
  return !isZero32(signature, 0) && !isZero32(signature, 32);
}

/** Address of a 65-byte uncompressed public key: the last 20 bytes of the keccak256 of x ‖ y. */
function addressOfPublicKey(publicKey: Uint8Array): string {
  return bytesToHex(keccak256(publicKey.subarray(1)).subarray(12));
}

function privateKeyBytes(privateKey: Uint8Array | string): Uint8Array {
  if (typeof privateKey === 'string') {
    // The key must not appear in an error's text.
    if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) throw new RangeError('A private key is 0x and 64 hex digits.');
    return requireHex(privateKey, 32, 'The private key');
  }
  if (privateKey.length !== 32) throw new RangeError(`A private key has 32 bytes, not ${privateKey.length}.`);
  return privateKey;
}

/** The three operations on one backend. */
export type Secp256k1 = {
  readonly backend: 'native' | 'wasm';
  readonly recoverAddress: (digest: Uint8Array, signature: Uint8Array) => string | undefined;
  readonly signDigest: (digest: Uint8Array, privateKey: Uint8Array | string) => Uint8Array;
  readonly addressOfPrivateKey: (privateKey: Uint8Array | string) => string;
};

/** Wraps a backend in our own checks, so that both backends accept and refuse exactly the same signatures. */
export function secp256k1With(backend: SignatureBackend): Secp256k1 {
  const compact = new Uint8Array(64);
  return {
    backend: backend.name,
    recoverAddress(digest, signature) {
      if (digest.length !== 32 || !isCanonical(signature)) return undefined;
      for (let index = 0; index < 64; index++) compact[index] = signature[index];
      const publicKey = backend.recoverPublicKey(compact, signature[64] === 27 ? 0 : 1, digest);
      return publicKey === undefined ? undefined : addressOfPublicKey(publicKey);
    },
    signDigest(digest, privateKey) {
      if (digest.length !== 32) throw new RangeError(`A digest has 32 bytes, not ${digest.length}.`);
      const signed = backend.sign(digest, privateKeyBytes(privateKey));
      const signature = new Uint8Array(65);
      signature.set(signed.compact);
      signature[64] = 27 + signed.recoveryId;
      return signature;
    },
    addressOfPrivateKey: (privateKey) => addressOfPublicKey(backend.publicKey(privateKeyBytes(privateKey))),
  };
}

const curve = secp256k1With(loadNativeBackend() ?? (await loadWasmBackend()));

/** The library that checks signatures in this process. */
export const signatureBackend: 'native' | 'wasm' = curve.backend;

/**
 * The signer of a 32-byte digest: lower-case 0x address, or undefined if the signature is not 65 bytes r, s, v with
 * 0 < r < n, 0 < s ≤ n/2 and v 27 or 28, or no key fits it. Never throws.
 */
export const recoverAddress = curve.recoverAddress;

/** Signs a 32-byte digest: 65 bytes r, s, v (27 or 28), deterministic, low s. @throws RangeError or Error on a bad key. */
export const signDigest = curve.signDigest;

/** The lower-case 0x address of a private key (32 bytes or 0x text). @throws RangeError or Error on a bad key. */
export const addressOfPrivateKey = curve.addressOfPrivateKey;
