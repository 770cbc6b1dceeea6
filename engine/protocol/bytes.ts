// Hexadecimal text to bytes and back for the fixed-width ids of messages (order ids, addresses, key ids).
// Called by the codec, the registry and tests; the core's hot path never turns an id into text.

const NO_DIGIT = 0x80;
/** The value of each hex digit by its character's code, which is below 256. */
const DIGITS = new Uint8Array(256).fill(NO_DIGIT);
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  DIGITS[digit.charCodeAt(0)] = value;
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

/** Lower-case text `0x…` of `count` bytes from `offset`. */
export function bytesToHex(bytes: Uint8Array, offset: number, count: number): string {
  // Natively in one piece: put together digit by digit, a text would leave a trail of half-made ones behind it.
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return `0x${buffer.toString('hex', offset, offset + count)}`;
}

/**
 * Writes the hexadecimal text `0x…` of exactly `count` bytes at `offset`; letters in any case.
 * Throws RangeError when the text has another length or a character that is no hex digit.
 */
export function hexToBytes(text: string, bytes: Uint8Array, offset: number, count: number): void {
  if (text.length !== 2 + count * 2 || text.charCodeAt(0) !== 48 || text.charCodeAt(1) !== 120) {
    throw new RangeError(`expected 0x and ${count * 2} hex digits, got ${text.length} characters`);
  }
  let seen = 0;
  for (let i = 0; i < count; i += 1) {
    const high = text.charCodeAt(2 + i * 2);
    const low = text.charCodeAt(3 + i * 2);
    const highValue = DIGITS[high & 0xff];
    const lowValue = DIGITS[low & 0xff];
    // What is no digit, and codes beyond the table, leave a bit above the seventh.
    seen |= ((high | low) & 0xff00) | highValue | lowValue;
    bytes[offset + i] = (highValue << 4) | lowValue;
  }
  if (seen >= NO_DIGIT) throw new RangeError(`expected hex digits, got ${JSON.stringify(text)}`);
}
