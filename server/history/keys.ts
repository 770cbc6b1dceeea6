// The keys of the index: lists every table with its number, once. Keys are bytes that sort like their numbers; a table's own
// file reads and writes its values. A change of any table's layout raises INDEX_FORMAT (store.ts).

export const Table = {
  /** Cursor, format, identity of the journal. */
  META: 0,
  /** Rows of trades and other activity, in packed blocks (rows.ts). */
  ROWS: 1,
  /** Orders by number, in packed blocks (orders.ts). */
  ORDERS: 2,
  /** Wallets with their chain heads, in packed blocks (accounts.ts). */
  ACCOUNTS: 3,
  /** Changing figures of markets, in packed blocks (markets.ts). */
  MARKETS: 4,
  /** Holders of a token and their amounts, in packed blocks per token (holders.ts). */
  HOLDERS: 5,
  /** Positions by account and market (positions.ts). */
  POSITIONS: 6,
  /** Order numbers by id, in buckets (orders.ts). */
  ORDER_IDS: 7,
  /** Texts of markets and events, JSON (markets.ts). */
  MARKET_TEXTS: 8,
  EVENT_TEXTS: 9,
  /** Closed positions by account and gain (closed.ts). */
  CLOSED: 10,
  /** API keys with owners, which orders refer to by number, in packed blocks (orderKeys.ts). */
  ORDER_KEYS: 11,
} as const;
export type Table = (typeof Table)[keyof typeof Table];

/** Bytes of a key of a table and two numbers. */
export const PAIR_KEY_BYTES = 9;
/** Bytes of a block's key: table, partition, and the block's number in the partition. */
export const BLOCK_KEY_BYTES = 11;

/** Writes a number below 2^32 byte by byte: Buffer's own method checks its arguments for each of millions of keys. */
function writeU32(key: Buffer, offset: number, value: number): void {
  key[offset] = value >>> 24;
  key[offset + 1] = value >>> 16;
  key[offset + 2] = value >>> 8;
  key[offset + 3] = value;
}

/** Writes the key of (table, first, second), both below 2^32. */
export function writePairKey(key: Buffer, table: Table, first: number, second: number): Buffer {
  key[0] = table;
  writeU32(key, 1, first);
  writeU32(key, 5, second);
  return key;
}

/** Writes the key of a block of a table; the block's number is below 2^48. */
export function writeBlockKey(key: Buffer, table: Table, partition: number, block: number): Buffer {
  key[0] = table;
  key.writeUInt32BE(partition, 1);
  key.writeUIntBE(block, 5, 6);
  return key;
}
