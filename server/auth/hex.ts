// Strict and fast conversion between hex text and bytes: "0x" and exactly the required digits, in either letter case; output is
// lower case. Called by this folder and wherever ids and addresses are read. It must never guess: malformed text is reported,
// not padded or cut. It imports one file of the engine, not its door: the thread that recovers signers would load all of it.
import { writeHex } from '../../engine/protocol/bytes.ts';

/** The text of 16 zero bytes: the key id of a caller without an API key, and an absent heartbeat id. */
export const ZERO_BYTES16 = `0x${'0'.repeat(32)}`;

/** The text of 32 zero bytes: the default of an order's `metadata` and `builder`. */
export const ZERO_BYTES32 = `0x${'0'.repeat(64)}`;

/** Bytes of "0x…" text of any even length; undefined if malformed. */
export function hexToBytes(text: string): Uint8Array | undefined {
  if (text.length < 2 || text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(text.length / 2 - 1);
  return writeHex(text, bytes, 0, bytes.length) ? bytes : undefined;
}

/**
 * Bytes of "0x…" text that the caller knows to be well-formed (constants, checked configuration).
 * @throws TypeError naming `what` if it is not `lengthBytes` bytes of hex.
 */
export function requireHex(text: string, lengthBytes: number, what: string): Uint8Array {
  const bytes = new Uint8Array(lengthBytes);
  if (!writeHex(text, bytes, 0, lengthBytes)) {
    throw new TypeError(`${what} must be 0x and ${2 * lengthBytes} hex digits, got ${JSON.stringify(text)}.`);
  }
  return bytes;
}

const digits = Buffer.alloc(64);

/**
 * Lower-case "0x…" text of the bytes. Short arrays are copied first: reading `buffer` of a small array on V8's heap
 * allocates an ArrayBuffer, and freeing these costs a long page of histories more than all other garbage.
 */
export function bytesToHex(bytes: Uint8Array): string {
  const { length } = bytes;
  if (length > digits.length) return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('hex')}`;
  digits.set(bytes);
  return `0x${digits.toString('hex', 0, length)}`;
}

const scratch = new Uint8Array(32);

/** True for "0x" and 40 hex digits in either letter case; the checksum is not verified. */
export function isAddress(text: string): boolean {
  return writeHex(text, scratch, 0, 20);
}

/** True for "0x" and 64 hex digits in either letter case. */
export function isBytes32(text: string): boolean {
  return writeHex(text, scratch, 0, 32);
}
