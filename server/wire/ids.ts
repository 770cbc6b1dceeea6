// Ids that exist only on the wire: trade ids and transaction hashes. Called by the other files of this folder. They are derived
// from numbers in the log alone, so the same log always shows the same ids.
import { writeHex } from '../../engine/index.ts';
import { bytesToHex } from '../auth/hex.ts';
import { keccak256 } from '../auth/keccak.ts';
import type { TradePlace } from '../views/records.ts';

const TRADE_UUID = /^([0-9a-f]{8})-0000-8000-8([0-9a-f]{3})-([0-9a-f]{12})$/;
/** Trade numbers up to 2^53 − 1 take 14 hex digits; the field has room for 15. */
const TRADE_NUMBER_DIGITS = 15;

/** The id of a trade: a UUID of version 8 that holds the market's index and the trade's number there. */
export function tradeId(marketIndex: number, tradeNumber: number): string {
  const market = marketIndex.toString(16).padStart(8, '0');
  const number = tradeNumber.toString(16).padStart(TRADE_NUMBER_DIGITS, '0');
  return `${market}-0000-8000-8${number.slice(0, 3)}-${number.slice(3)}`;
}

/** The trade that an id names; undefined if the text is not a trade id. */
export function parseTradeId(id: string): TradePlace | undefined {
  const match = TRADE_UUID.exec(id.toLowerCase());
  if (match === null) return undefined;
  const tradeNumber = Number.parseInt(match[2] + match[3], 16);
  return Number.isSafeInteger(tradeNumber) ? { marketIndex: Number.parseInt(match[1], 16), tradeNumber } : undefined;
}

const idBytes = new Uint8Array(16);

/** The transaction hash shown for a trade: keccak256 of the 16 bytes of its id. It exists on no chain. */
export function transactionHash(id: string): string {
  writeHex(`0x${id.replaceAll('-', '')}`, idBytes, 0, 16);
  return bytesToHex(keccak256(idBytes));
}
