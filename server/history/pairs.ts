// The numbers of a pair, that is of both tokens of an account in a market: their layout in memory and their stored form, the
// shortest for each leg. Written and read by positions.ts; a change of the stored form raises INDEX_FORMAT (store.ts).
import { getU48, setU48 } from './blocks.ts';
import { IndexDamaged } from './errors.ts';
import { LEG } from './figures.ts';

/**
 * Layout of a pair in memory: its two legs, the place of each in its token's holder list (from 1, 0 = none), flags, and the
 * gain under which each leg is stored in the index of closed positions, NaN if it is not.
 */
export const PAIR = {
  legs: 0,
  holders: 2 * LEG.numbers,
  flags: 2 * LEG.numbers + 2,
  closed: 2 * LEG.numbers + 3,
} as const;
export const PAIR_NUMBERS = PAIR.closed + 2;
/** The stored value: u8 flags, then each existing leg in its form. */
const TRADED_FLAG = 1;
const FORM_SHIFTS = [1, 3] as const;
const FORM_MASK = 3;
/** Forms: no leg, one never sold from, a closed one, any other. All but NONE end with u48 time and u32 holder place. */
const Form = { NONE: 0, HELD: 1, CLOSED: 2, FULL: 3 } as const;
const FORM_NUMBERS = [0, 2, 3, 5] as const;
const FORM_TAIL_BYTES = 10;
/** Bytes of an entry in the B-tree besides its legs; below, those of a closed leg's entry. */
const ENTRY_BYTES = 24;
const CLOSED_ENTRY_BYTES = 56;
/** Most bytes of a pair's value. */
export const PAIR_BYTES_MAX = 1 + 2 * (FORM_NUMBERS[Form.FULL] * 8 + FORM_TAIL_BYTES);

/** The offset of a leg of the pair at `start`. */
export const legAt = (start: number, outcome: number): number => start + outcome * LEG.numbers;

/** Whether a leg is closed: shares were bought, and none are left. */
export const isClosed = (numbers: Float64Array, leg: number): boolean =>
  numbers[leg + LEG.size] === 0 && numbers[leg + LEG.bought] > 0;

const bytesOf = (form: number): number => (form === Form.NONE ? 0 : FORM_NUMBERS[form] * 8 + FORM_TAIL_BYTES);

/** The shortest form that fully represents a leg. */
function formOf(numbers: Float64Array, leg: number): number {
  const bought = numbers[leg + LEG.bought];
  if (bought === 0) return Form.NONE;
  const size = numbers[leg + LEG.size];
  if (size === 0) return Form.CLOSED;
  const isHeld =
    size === bought && numbers[leg + LEG.realized] === 0 && numbers[leg + LEG.cost] === numbers[leg + LEG.spent];
  return isHeld ? Form.HELD : Form.FULL;
}

/** Bytes in the B-tree of a pair's entries: its own and those of its closed legs. */
export function bytesInTree(numbers: Float64Array, start: number): number {
  let bytes = ENTRY_BYTES;
  for (let outcome = 0; outcome < 2; outcome += 1) {
    const form = formOf(numbers, legAt(start, outcome));
    bytes += bytesOf(form);
    if (form === Form.CLOSED) bytes += CLOSED_ENTRY_BYTES;
  }
  return bytes;
}

/** Writes the value of the pair at `start`; returns the offset behind it. */
export function encodePair(numbers: Float64Array, start: number, view: DataView, from: number): number {
  let flags = numbers[start + PAIR.flags] === 0 ? 0 : TRADED_FLAG;
  let offset = from + 1;
  for (let outcome = 0; outcome < 2; outcome += 1) {
    const leg = legAt(start, outcome);
    const form = formOf(numbers, leg);
    if (form === Form.NONE) continue;
    flags |= form << FORM_SHIFTS[outcome];
    // The numbers that a form omits are at the start and end of LEG: those before `bought` and after `spent`.
    const first = form === Form.FULL ? LEG.size : LEG.bought;
    for (let i = 0; i < FORM_NUMBERS[form]; i += 1) {
      view.setFloat64(offset, numbers[leg + first + i], true);
      offset += 8;
    }
    setU48(view, offset, numbers[leg + LEG.tMs]);
    view.setUint32(offset + 6, numbers[start + PAIR.holders + outcome], true);
    offset += FORM_TAIL_BYTES;
  }
  view.setUint8(from, flags);
  return offset;
}

/** Reads a pair's value into the numbers from `start` on. */
export function decodePair(numbers: Float64Array, start: number, value: Uint8Array): void {
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  const flags = value[0];
  const forms = [(flags >> FORM_SHIFTS[0]) & FORM_MASK, (flags >> FORM_SHIFTS[1]) & FORM_MASK];
  if (value.length !== 1 + bytesOf(forms[0]) + bytesOf(forms[1])) {
    throw new IndexDamaged(`a position has ${value.length} bytes`);
  }
  numbers.fill(0, start, start + PAIR.closed);
  numbers.fill(Number.NaN, start + PAIR.closed, start + PAIR_NUMBERS);
  numbers[start + PAIR.flags] = flags & TRADED_FLAG;
  let offset = 1;
  for (let outcome = 0; outcome < 2; outcome += 1) {
    const form = forms[outcome];
    if (form === Form.NONE) continue;
    const leg = legAt(start, outcome);
    const first = form === Form.FULL ? LEG.size : LEG.bought;
    for (let i = 0; i < FORM_NUMBERS[form]; i += 1) {
      numbers[leg + first + i] = view.getFloat64(offset, true);
      offset += 8;
    }
    if (form === Form.HELD) {
      numbers[leg + LEG.size] = numbers[leg + LEG.bought];
      numbers[leg + LEG.cost] = numbers[leg + LEG.spent];
    }
    if (form === Form.CLOSED) numbers[start + PAIR.closed + outcome] = numbers[leg + LEG.realized];
    numbers[leg + LEG.tMs] = getU48(view, offset);
    numbers[start + PAIR.holders + outcome] = view.getUint32(offset + 6, true);
    offset += FORM_TAIL_BYTES;
  }
}
