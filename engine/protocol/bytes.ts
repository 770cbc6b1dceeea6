// Hexadecimal text to bytes and back for the fixed-width ids of messages (order ids, addresses, key ids).
// Called by the codec, the registry and tests; the core's hot path never turns an id into text.

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function nibble(charCode: number): number {
  if (charCode >= 48 && charCode <= 57) return charCode - 48;
  if (charCode >= 97 && charCode <= 102) return charCode - 87;
  if (charCode >= 65 && charCode <= 70) return charCode - 55;
  return -1;
}

/** Lower-case text `0x…` of `count` bytes from `offset`. */
export function bytesToHex(bytes: Uint8Array, offset: number, count: number): string {
  let text = '0x';
  for (let i = offset; i < offset + count; i += 1) text += HEX[bytes[i]];
  return text;
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
