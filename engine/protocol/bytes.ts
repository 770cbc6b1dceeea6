// Hexadecimal text to bytes and back for the fixed-width ids of messages (order ids, addresses, key ids).
// Called by the codec, the registry and tests; the core's hot path never turns an id into text.

function nibble(charCode: number): number {
  if (charCode >= 48 && charCode <= 57) return charCode - 48;
  if (charCode >= 97 && charCode <= 102) return charCode - 87;
  if (charCode >= 65 && charCode <= 70) return charCode - 55;
  return -1;
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
  for (let i = 0; i < count; i += 1) {
    const high = nibble(text.charCodeAt(2 + i * 2));
    const low = nibble(text.charCodeAt(3 + i * 2));
    if (high < 0 || low < 0) throw new RangeError(`expected hex digits, got ${JSON.stringify(text)}`);
    bytes[offset + i] = high * 16 + low;
  }
}
