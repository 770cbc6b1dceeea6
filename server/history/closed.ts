// Closed positions by account, the greatest gain first: an index beside the positions, so a page is read from its beginning,
// whatever else the wallet holds. Written by positions.ts with each commit, read by the query for closed positions.
import { IndexDamaged } from './errors.ts';
import { LEG } from './figures.ts';
import { Table } from './keys.ts';
import type { IndexStore } from './store.ts';

/** The key: table, u32 account, the gain encoded for greater ones to sort first, u32 market, u8 outcome. */
const KEY = { account: 1, gain: 5, market: 13, outcome: 17, bytes: 18 } as const;
/** The value: shares bought, what they cost, time of the last change. */
const VALUE = { bought: 0, spent: 8, tMs: 16, bytes: 24 } as const;
/** The sign bit in the upper half of a double. */
const SIGN = 2 ** 31;
/** Scratch view to access the bits of a double. */
const doubleBits = new DataView(new ArrayBuffer(8));
/** Most entries read at once. */
const READ_ENTRIES = 512;

export const CLOSED_VALUE_BYTES = VALUE.bytes;

/** A stored closed position. */
interface ClosedEntry {
  readonly market: number;
  readonly outcome: 0 | 1;
  /** The numbers of its leg (LEG in figures.ts). */
  readonly numbers: Float64Array;
}

/**
 * Writes a gain, which is unbounded because money gained in one market can be lost in another and gained again. The key holds
 * the bits of the negated gain; these sort in its order once the sign bit of non-negative values, or all bits of negative ones,
 * are flipped.
 */
function writeGain(key: Buffer, gainMicro: number): void {
  const negated = 0 - gainMicro; // avoids a negative zero
  doubleBits.setFloat64(0, negated);
  const [upper, lower] = [doubleBits.getUint32(0), doubleBits.getUint32(4)];
  key.writeUInt32BE((negated < 0 ? ~upper : upper ^ SIGN) >>> 0, KEY.gain);
  key.writeUInt32BE((negated < 0 ? ~lower : lower) >>> 0, KEY.gain + 4);
}

function readGain(key: Buffer): number {
  const [upper, lower] = [key.readUInt32BE(KEY.gain), key.readUInt32BE(KEY.gain + 4)];
  doubleBits.setUint32(0, upper < SIGN ? ~upper : upper ^ SIGN);
  doubleBits.setUint32(4, upper < SIGN ? ~lower : lower);
  return 0 - doubleBits.getFloat64(0);
}

/** The key of a closed position, in a new buffer; `gainMicro` is its realized gain. */
export function closedKey(account: number, gainMicro: number, market: number, outcome: number): Buffer {
  const key = Buffer.allocUnsafe(KEY.bytes);
  key[0] = Table.CLOSED;
  key.writeUInt32BE(account, KEY.account);
  writeGain(key, gainMicro);
  key.writeUInt32BE(market, KEY.market);
  key[KEY.outcome] = outcome;
  return key;
}

/** Writes the value of the closed leg at `leg`; returns the offset behind it. */
export function encodeClosed(numbers: Float64Array, leg: number, view: DataView, from: number): number {
  view.setFloat64(from + VALUE.bought, numbers[leg + LEG.bought], true);
  view.setFloat64(from + VALUE.spent, numbers[leg + LEG.spent], true);
  view.setFloat64(from + VALUE.tMs, numbers[leg + LEG.tMs], true);
  return from + VALUE.bytes;
}

function decodeClosed(key: Buffer, value: Uint8Array): ClosedEntry {
  if (key.length !== KEY.bytes || value.length !== VALUE.bytes) {
    throw new IndexDamaged(`a closed position has a key of ${key.length} and a value of ${value.length} bytes`);
  }
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  const numbers = new Float64Array(LEG.numbers);
  numbers[LEG.bought] = view.getFloat64(VALUE.bought, true);
  numbers[LEG.spent] = view.getFloat64(VALUE.spent, true);
  numbers[LEG.tMs] = view.getFloat64(VALUE.tMs, true);
  numbers[LEG.realized] = readGain(key);
  return { market: key.readUInt32BE(KEY.market), outcome: key[KEY.outcome] === 0 ? 0 : 1, numbers };
}

/** The stored closed positions of an account in parts, the greatest gain first; the caller needs at least `first` of them. */
export function* closedParts(store: IndexStore, account: number, first: number): Generator<readonly ClosedEntry[]> {
  const end = closedKey(account + 1, Number.POSITIVE_INFINITY, 0, 0);
  let start = closedKey(account, Number.POSITIVE_INFINITY, 0, 0);
  for (let limit = Math.min(first, READ_ENTRIES); ; limit = READ_ENTRIES) {
    const entries = store.range(start, end, limit);
    yield entries.map(({ key, value }) => decodeClosed(key, value));
    if (entries.length < limit) return;
    start = Buffer.concat([entries[entries.length - 1].key, Buffer.alloc(1)]); // the next possible key
  }
}
