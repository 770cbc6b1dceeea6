// Strict and fast conversion between hex text and bytes: "0x" and exactly the required digits, in either letter case;
// output is lower case. Called by everything in this folder and by the parsers of orders. It must never guess: malformed
// text is reported, not padded or cut.

const INVALID_DIGIT = 0x80;

/** Value of each ASCII hex digit; INVALID_DIGIT for every other character code below 256. */
const digitValues = new Uint8Array(256).fill(INVALID_DIGIT);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  digitValues[digit.charCodeAt(0)] = value;
  digitValues[digit.toUpperCase().charCodeAt(0)] = value;
}

/** The text of 16 zero bytes: the key id of a caller without an API key, and an absent heartbeat id. */
export const ZERO_BYTES16 = `0x${'0'.repeat(32)}`;

/** The text of 32 zero bytes: the default of an order's `metadata` and `builder`. */
export const ZERO_BYTES32 = `0x${'0'.repeat(64)}`;

/**
 * Writes "0x…" text of exactly `lengthBytes` bytes into `target` at `offsetBytes`.
 * @returns false if the text is malformed; the target's bytes there are then undefined.
 */
export function writeHex(text: string, target: Uint8Array, offsetBytes: number, lengthBytes: number): boolean {
  if (text.length !== 2 + 2 * lengthBytes || text.charCodeAt(0) !== 0x30 || text.charCodeAt(1) !== 0x78) return false;
  let allBits = 0;
  let position = 2;
  const end = offsetBytes + lengthBytes;
  for (let index = offsetBytes; index < end; index++) {
    const high = text.charCodeAt(position);
    const low = text.charCodeAt(position + 1);
    const highValue = digitValues[high & 0xff];
    const lowValue = digitValues[low & 0xff];
    // Character codes above 255 raise a bit above the eighth; other non-digits raise INVALID_DIGIT.
    allBits |= ((high | low) & 0xff00) | highValue | lowValue;
    target[index] = (highValue << 4) | lowValue;
    position += 2;
  }
  return allBits < INVALID_DIGIT;
}

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

/** The parts concatenated into a new array. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let lengthBytes = 0;
  for (const part of parts) lengthBytes += part.length;
  const joined = new Uint8Array(lengthBytes);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
