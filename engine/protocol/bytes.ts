// Views on bytes, and hexadecimal text to bytes and back for the fixed-width ids of messages (order ids, addresses, key ids).
// Called by the codec, the registry, the journal, the server and tests; the core's hot path never turns an id into text. It
// imports nothing, so that a thread that needs hexadecimal text alone need not load the engine.

const NO_DIGIT = 0x80;
/** The value of each hex digit by character code; NO_DIGIT for every other code below 256. */
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
export function readHex(bytes: Uint8Array, offset: number, count: number): string {
  // Natively, in one step: building the text digit by digit would leave a trail of intermediate strings.
  return `0x${bufferOf(bytes).toString('hex', offset, offset + count)}`;
}

/**
 * Writes the hexadecimal text `0x…` of exactly `count` bytes at `offset`; digits may be in either case.
 * @returns false if the text has another length or a character that is not a hex digit; the bytes there are then undefined
 */
export function writeHex(text: string, bytes: Uint8Array, offset: number, count: number): boolean {
  if (text.length !== 2 + count * 2 || text.charCodeAt(0) !== 0x30 || text.charCodeAt(1) !== 0x78) return false;
  let bits = 0;
  let position = 2;
  const end = offset + count;
  for (let at = offset; at < end; at += 1) {
    const high = text.charCodeAt(position);
    const low = text.charCodeAt(position + 1);
    const highValue = DIGITS[high & 0xff];
    const lowValue = DIGITS[low & 0xff];
    // A character that is not a digit, or a code beyond the table, sets a bit above the lowest seven.
    bits |= ((high | low) & 0xff00) | highValue | lowValue;
    bytes[at] = (highValue << 4) | lowValue;
    position += 2;
  }
  return bits < NO_DIGIT;
}

/** The same for a text that must be well-formed. Throws RangeError if it is not. */
export function writeHexOrThrow(text: string, bytes: Uint8Array, offset: number, count: number): void {
  if (writeHex(text, bytes, offset, count)) return;
  const digits = count * 2;
  const got = text.length === 2 + digits ? JSON.stringify(text) : `${text.length} characters`;
  throw new RangeError(`expected 0x and ${digits} hex digits, got ${got}`);
}
