// Finds who signed an order: plain ECDSA over the digest (signature types 0 to 2) or the ERC-7739 wrapper of a deposit
// wallet (type 3), wire.md B.3. Called once an order's digest is known; signOrder serves development tools and tests. It
// must never decide whether a wallet belongs to the signer: the caller compares with the API key and the wallets.
import { writeHex } from '../../engine/index.ts';
import { bytesToHex, hexToBytes } from './hex.ts';
import { keccak256, keccak256Text } from './keccak.ts';
import { ORDER_TYPE, type OrderDomain, orderStructHash, type SignableOrder, SignatureType } from './orderDigest.ts';
import { recoverAddress, signDigest } from './secp256k1.ts';
import { typedDataDigester } from './typedData.ts';
import { writeUint53 } from './uint256.ts';

/** The recovered signer (lower-case 0x address of a key) or why there is none (a sentence for the log). */
type OrderSignatureCheck =
  | { readonly ok: true; readonly signer: string }
  | { readonly ok: false; readonly reason: string };

const SIGNATURE_BYTES = 65;
const ORDER_TYPE_BYTES = new TextEncoder().encode(ORDER_TYPE);
/** Inner signature, domain separator, contents hash, type string, uint16 length of the type string. */
const WRAPPED_BYTES = SIGNATURE_BYTES + 32 + 32 + ORDER_TYPE_BYTES.length + 2;

// ERC-7739's TypedDataSign, with the deposit wallet as the verifying contract of the inner domain.
const WRAPPER_TYPE_HASH = keccak256Text(
  'TypedDataSign(Order contents,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)' +
    ORDER_TYPE,
);
const wrapperStruct = new Uint8Array(7 * 32);
wrapperStruct.set(WRAPPER_TYPE_HASH, 0);
wrapperStruct.set(keccak256Text('DepositWallet'), 64);
wrapperStruct.set(keccak256Text('1'), 96);
const wrapperView = new DataView(wrapperStruct.buffer);

/** The digest that the key behind a deposit wallet signs; undefined if the wallet is not an address. */
function wrappedDigest(contentsHash: Uint8Array, wallet: string, domain: OrderDomain): Uint8Array | undefined {
  wrapperStruct.set(contentsHash, 32);
  writeUint53(wrapperView, 128, domain.chainId);
  if (!writeHex(wallet, wrapperStruct, 160 + 12, 20)) return undefined;
  return typedDataDigester(domain.separator)(keccak256(wrapperStruct));
}

function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return Buffer.compare(left, right) === 0;
}

function refuse(reason: string): OrderSignatureCheck {
  return { ok: false, reason };
}

/** A buffer for the plain signature being checked: nearly every order has one, and a new array would cost a microsecond. */
const plainSignature = new Uint8Array(SIGNATURE_BYTES);
const PLAIN_CHARACTERS = 2 + 2 * SIGNATURE_BYTES;

/** The 65 bytes of a signature's text, valid until the next call; undefined if it is malformed. */
export function plainSignatureOf(text: string): Uint8Array | undefined {
  return writeHex(text, plainSignature, 0, SIGNATURE_BYTES) ? plainSignature : undefined;
}

function signatureBytes(text: string): Uint8Array | undefined {
  if (text.length !== PLAIN_CHARACTERS) return hexToBytes(text);
  return plainSignatureOf(text);
}

function verifyPlain(
  order: SignableOrder,
  digest: Uint8Array,
  signature: Uint8Array,
  recover: typeof recoverAddress,
): OrderSignatureCheck {
  if (signature.length !== SIGNATURE_BYTES) {
    return refuse(`The signature has ${signature.length} bytes; signature type ${order.signatureType} has 65.`);
  }
  const signer = recover(digest, signature);
  if (signer === undefined) return refuse('The signature is not a valid r, s, v with low s and v 27 or 28.');
  if (signer !== order.signer.toLowerCase()) {
    return refuse(`The signature was made by ${signer}; the order names ${order.signer} as its signer.`);
  }
  return { ok: true, signer };
}

/** Parses the wrapper from its end, so each length is known before the part in front of it is read. */
function verifyWrapped(order: SignableOrder, signature: Uint8Array, domain: OrderDomain): OrderSignatureCheck {
  if (signature.length < 2) return refuse('The wrapped signature is empty.');
  const typeLength = (signature[signature.length - 2] << 8) | signature[signature.length - 1];
  if (typeLength !== ORDER_TYPE_BYTES.length) {
    return refuse(`The wrapped signature names a type string of ${typeLength} bytes; the order's has 186.`);
  }
  if (signature.length !== WRAPPED_BYTES) {
    return refuse(`The wrapped signature has ${signature.length} bytes; signature type 3 has ${WRAPPED_BYTES}.`);
  }
  if (!equalBytes(signature.subarray(129, 129 + typeLength), ORDER_TYPE_BYTES)) {
    return refuse("The wrapped signature carries a type string other than the order's.");
  }
  const contentsHash = orderStructHash(order);
  if (!equalBytes(signature.subarray(97, 129), contentsHash)) {
    return refuse('The wrapped signature carries the hash of another order.');
  }
  if (!equalBytes(signature.subarray(65, 97), domain.separator)) {
    return refuse("The wrapped signature carries a domain separator other than the exchange's.");
  }
  const digest = wrappedDigest(contentsHash, order.signer, domain);
  if (digest === undefined) return refuse('The order names no wallet address as its signer.');
  const signer = recoverAddress(digest, signature.subarray(0, SIGNATURE_BYTES));
  if (signer === undefined) return refuse('The inner signature is not a valid r, s, v with low s and v 27 or 28.');
  return { ok: true, signer };
}

/**
 * Checks an order's signature and returns the address of the key that made it. For types 0 to 2 the key must be
 * `order.signer`. For type 3 the caller must still require that `order.signer` is a wallet of the returned signer
 * (wallets.ts, or one bound by the venue), and for all types that the signer is the caller.
 * @param digest the order's digest under `domain` (orderHasher)
 * @param signature 0x text; anything malformed is refused, never thrown
 * @param recover returns the signer of the digest for types 0 to 2, if it has already been recovered
 */
export function verifyOrderSignature(
  order: SignableOrder,
  digest: Uint8Array,
  signature: string,
  domain: OrderDomain,
  recover = recoverAddress,
): OrderSignatureCheck {
  const bytes = signatureBytes(signature);
  if (bytes === undefined) return refuse('The signature is not 0x and an even number of hex digits.');
  if (order.signatureType === SignatureType.DEPOSIT) return verifyWrapped(order, bytes, domain);
  return verifyPlain(order, digest, bytes, recover);
}

/**
 * Signs an order as the official clients do for its signature type.
 * @param privateKey of the owner's key: 32 bytes or 0x text
 * @returns 0x text: 65 bytes for types 0 to 2, 317 for type 3
 * @throws TypeError on a bad field, RangeError or Error on a bad key
 */
export function signOrder(order: SignableOrder, privateKey: Uint8Array | string, domain: OrderDomain): string {
  const contentsHash = orderStructHash(order);
  if (order.signatureType !== SignatureType.DEPOSIT) {
    return bytesToHex(signDigest(typedDataDigester(domain.separator)(contentsHash), privateKey));
  }
  const digest = wrappedDigest(contentsHash, order.signer, domain);
  if (digest === undefined) throw new TypeError('The order names no wallet address as its signer.');
  const typeLength = Uint8Array.of(ORDER_TYPE_BYTES.length >> 8, ORDER_TYPE_BYTES.length & 0xff);
  return bytesToHex(
    Buffer.concat([signDigest(digest, privateKey), domain.separator, contentsHash, ORDER_TYPE_BYTES, typeLength]),
  );
}
