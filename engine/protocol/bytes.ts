// Views on bytes, and hexadecimal text to bytes and back for the fixed-width ids of messages (order ids, addresses, key ids).
// Called by the codec, the registry, the journal, the server and tests; the core's hot path never turns an id into text.

const NO_DIGIT = 0x80;
/** The value of each hex digit by character code, for codes below 256. */
const DIGITS = new Uint8Array(256).fill(NO_DIGIT);
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/** A view on exactly these bytes. */
export const dataViewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The same bytes as a Buffer, without a copy. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The lower-case text `0x…` of `count` bytes from `offset` on. */
export function bytesToHex(bytes: Uint8Array, offset: number, count: number): string {
  // Natively, in one step: building the text digit by digit would leave a trail of intermediate strings.
  return `0x${bufferOf(bytes).toString('hex', offset, offset + count)}`;
}

/**
 * Writes the hexadecimal text `0x…` of exactly `count` bytes at `offset`; digits may be in either case.
 * Throws RangeError when the text has another length or a character that is not a hex digit.
 */
export function hexToBytes(text: string, bytes: Uint8Array, offset: number, count: number): void {
  if (text.length !== 2 + count * 2 || text.charCodeAt(0) !== 48 || text.charCodeAt(1) !== 120) {
    throw new RangeError(`expected 0x and ${count * 2} hex digits, got ${text.length} characters`);
  }
  let bits = 0;
  for (let i = 0; i < count; i += 1) {
    const high = text.charCodeAt(2 + i * 2);
    const low = text.charCodeAt(3 + i * 2);
    const highValue = DIGITS[high & 0xff];
    const lowValue = DIGITS[low & 0xff];
    // A character that is not a digit, or a code beyond the table, sets a bit above the lowest seven.
    bits |= ((high | low) & 0xff00) | highValue | lowValue;
    bytes[offset + i] = (highValue << 4) | lowValue;
  }
  if (bits >= NO_DIGIT) throw new RangeError(`expected hex digits, got ${JSON.stringify(text)}`);
}
