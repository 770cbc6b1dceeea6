// Closed positions by account, the greatest gain first: an index beside the positions, so that a page of them is read from
// its beginning, whatever else the wallet holds. Written by positions.ts with each commit, read by the question about them.
import { IndexDamaged } from './errors.ts';
import { LEG } from './figures.ts';
import { Table } from './keys.ts';
import type { IndexStore } from './store.ts';

/** The key: table, u32 account, the gain so that greater ones come first, u32 market, u8 outcome. */
const KEY = { account: 1, gain: 5, market: 13, outcome: 17, bytes: 18 } as const;
/** The value: what was bought, what it cost, time of the last change. */
const VALUE = { bought: 0, spent: 8, tMs: 16, bytes: 24 } as const;
/** No gain and no loss is greater than this, micro: what is added to the upper half of a loss makes it positive. */
const GAIN_MAX = 2 ** 53;
const HALF = 2 ** 32;
const UPPER_SHIFT = GAIN_MAX / HALF;
/** Entries read at once at most. */
const READ_ENTRIES = 512;

export const CLOSED_VALUE_BYTES = VALUE.bytes;

/** A closed position as it is stored. */
export interface ClosedEntry {
  readonly market: number;
  readonly outcome: 0 | 1;
  /** The numbers of its leg (figures.ts). */
  readonly numbers: Float64Array;
}

/** The key of a closed position, in a buffer of its own; `gainMicro` is what it realized. */
export function closedKey(account: number, gainMicro: number, market: number, outcome: number): Buffer {
  const key = Buffer.allocUnsafe(KEY.bytes);
  key[0] = Table.CLOSED;
  key.writeUInt32BE(account, KEY.account);
  const upper = Math.floor(-gainMicro / HALF);
  key.writeUInt32BE(upper + UPPER_SHIFT, KEY.gain);
  key.writeUInt32BE(-gainMicro - upper * HALF, KEY.gain + 4);
  key.writeUInt32BE(market, KEY.market);
  key[KEY.outcome] = outcome;
  return key;
}

/** Writes the value of the closed leg at `leg`; returns where it ends. */
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
  const upper = key.readUInt32BE(KEY.gain) - UPPER_SHIFT;
  numbers[LEG.realized] = 0 - upper * HALF - key.readUInt32BE(KEY.gain + 4); // 0 - 0 is no negative zero
  return { market: key.readUInt32BE(KEY.market), outcome: key[KEY.outcome] === 0 ? 0 : 1, numbers };
}

/** The closed positions of an account that are stored, the greatest gain first, in parts; `first` are wanted at least. */
export function* closedParts(store: IndexStore, account: number, first: number): Generator<readonly ClosedEntry[]> {
  const end = closedKey(account + 1, GAIN_MAX, 0, 0);
  let start = closedKey(account, GAIN_MAX, 0, 0);
  for (let limit = Math.min(first, READ_ENTRIES); ; limit = READ_ENTRIES) {
    const entries = store.range(start, end, limit);
    yield entries.map(({ key, value }) => decodeClosed(key, value));
    if (entries.length < limit) return;
    start = Buffer.concat([entries[entries.length - 1].key, Buffer.alloc(1)]); // the next key there can be
  }
}
