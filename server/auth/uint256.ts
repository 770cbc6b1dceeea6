// uint256 values as 32 big-endian bytes, as EIP-712 encodes them. Called by the digests of this folder, by the parsers of
// orders (isUint256Decimal), and by what converts token ids. The hot path is writeUint53, which needs no BigInt.
import { numberToBytesBE } from '@noble/curves/utils.js';

const DECIMAL_DIGITS_MAX = 78;
const UINT256_LIMIT = 1n << 256n;

/** True for plain decimal digits (leading zeros allowed) with a value below 2^256. */
export function isUint256Decimal(text: string): boolean {
  if (text.length === 0 || text.length > DECIMAL_DIGITS_MAX) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return false;
  }
  return text.length < DECIMAL_DIGITS_MAX || BigInt(text) < UINT256_LIMIT;
}

/** The 32 bytes (0x and 64 hex digits) of a decimal uint256: a token id as commands carry it. */
export const hexOfDecimal = (decimal: string): string => `0x${BigInt(decimal).toString(16).padStart(64, '0')}`;

/** The decimal of 32 bytes (0x and 64 hex digits): a token id as clients read it. */
export const decimalOfHex = (hex: string): string => BigInt(hex).toString();

/** Writes a whole number 0..2^53−1 into the last 8 of the 32 bytes at `offsetBytes`; the first 24 are left unchanged. */
export function writeUint53(view: DataView, offsetBytes: number, value: number): void {
  view.setUint32(offsetBytes + 24, value / 4294967296);
  view.setUint32(offsetBytes + 28, value >>> 0);
}

/** 32 big-endian bytes of a decimal text. @throws TypeError if it is not a decimal uint256. */
export function decimalToBytes32(text: string): Uint8Array {
  if (!isUint256Decimal(text)) throw new TypeError(`${JSON.stringify(text)} is not a decimal uint256.`);
  return numberToBytesBE(BigInt(text), 32);
}
