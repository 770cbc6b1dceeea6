// CRC32C (Castagnoli, reflected polynomial 0x82f63b78, RFC 3720 B.4): the checksum of every journal record. Called by the
// record codec alone. Table-driven, eight bytes a step, because Node offers only the other CRC-32.

const POLYNOMIAL = 0x82f63b78;

/** Table k gives the effect of a byte that k further bytes follow: eight tables of 256 words in one array. */
const TABLES = new Int32Array(8 * 256);
for (let byte = 0; byte < 256; byte += 1) {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  TABLES[byte] = crc;
}
for (let at = 256; at < TABLES.length; at += 1) {
  const previous = TABLES[at - 256];
  TABLES[at] = (previous >>> 8) ^ TABLES[previous & 0xff];
}

/** The CRC32C of bytes `start` to `end` (exclusive), as an unsigned 32-bit integer. */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length): number {
  const t = TABLES;
  let crc = -1;
  let at = start;
  for (const wide = end - 7; at < wide; at += 8) {
    const word = crc ^ (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24));
    crc =
      t[1792 + (word & 0xff)] ^
      t[1536 + ((word >>> 8) & 0xff)] ^
      t[1280 + ((word >>> 16) & 0xff)] ^
      t[1024 + (word >>> 24)] ^
      t[768 + bytes[at + 4]] ^
      t[512 + bytes[at + 5]] ^
      t[256 + bytes[at + 6]] ^
      t[bytes[at + 7]];
  }
  for (; at < end; at += 1) crc = (crc >>> 8) ^ t[(crc ^ bytes[at]) & 0xff];
  return ~crc >>> 0;
}
