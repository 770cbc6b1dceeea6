// Single fields of messages to bytes and back: one reader and one writer per kind, each strict. A value that its field cannot
// hold raises a CodecError with the field's name. Combined into whole messages by compiled.ts; used by the codec alone.
import { readHex, writeHexOrThrow } from './bytes.ts';
import { HexTexts } from './hexTexts.ts';
import { type BytesKind, type FieldKind, KIND_BYTES } from './layout.ts';
import { reasonOf } from './thrown.ts';

/** Thrown for bytes that are no message of this version, or a value that no message can hold; the text says what and where. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** `max` is the largest value of a number; `label` names type and field in errors. `view` covers the same bytes. */
export type FieldReader = (
  bytes: Uint8Array,
  view: DataView,
  at: number,
  max: number,
  label: string,
) => number | string;
export type FieldWriter = (
  bytes: Uint8Array,
  view: DataView,
  at: number,
  max: number,
  label: string,
  value: unknown,
) => void;

/** Capacity of each cache: the addresses and key ids of active traders recur in nearly every record. */
const REPEATED_IDS = 8_192;
const keyIds = new HexTexts(16, REPEATED_IDS);
const addresses = new HexTexts(20, REPEATED_IDS);

export const fieldReaders: Readonly<Record<FieldKind, FieldReader>> = {
  bytes16: (bytes, view, at) => keyIds.get(bytes, view, at),
  bytes20: (bytes, view, at) => addresses.get(bytes, view, at),
  bytes32: (bytes, _view, at) => readHex(bytes, at, 32),
  u8: (bytes, _view, at, max, label) => checked(bytes[at], max, label),
  u16: (_bytes, view, at, max, label) => checked(view.getUint16(at, true), max, label),
  u32: (_bytes, view, at, max, label) => checked(view.getUint32(at, true), max, label),
  uint53: (_bytes, view, at, max, label) => numberIn(view.getFloat64(at, true), max, label),
};

export const fieldWriters: Readonly<Record<FieldKind, FieldWriter>> = {
  bytes16: (bytes, _view, at, _max, label, value) => writeId(bytes, at, 'bytes16', label, value),
  bytes20: (bytes, _view, at, _max, label, value) => writeId(bytes, at, 'bytes20', label, value),
  bytes32: (bytes, _view, at, _max, label, value) => writeId(bytes, at, 'bytes32', label, value),
  u8: (bytes, _view, at, max, label, value) => {
    bytes[at] = numberIn(value, max, label);
  },
  u16: (_bytes, view, at, max, label, value) => view.setUint16(at, numberIn(value, max, label), true),
  u32: (_bytes, view, at, max, label, value) => view.setUint32(at, numberIn(value, max, label), true),
  uint53: (_bytes, view, at, max, label, value) => view.setFloat64(at, numberIn(value, max, label), true),
};

function checked(value: number, max: number, label: string): number {
  if (value > max) throw outOfRange(value, max, label);
  return value;
}

/** The value if it is a whole number from 0 to `max`, and not −0. Throws CodecError, with the label, otherwise. */
export function numberIn(value: unknown, max: number, label: string): number {
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && !Object.is(value, -0);
  if (!isWhole || value < 0 || value > max) {
    throw outOfRange(value, max, label);
  }
  return value;
}

function outOfRange(value: unknown, max: number, label: string): CodecError {
  const got = Object.is(value, -0) ? '-0' : String(value);
  return new CodecError(`${label}: expected an integer from 0 to ${max}, got ${got}`);
}

function writeId(bytes: Uint8Array, at: number, kind: BytesKind, label: string, value: unknown): void {
  if (typeof value !== 'string') throw new CodecError(`${label}: expected hexadecimal text, got ${typeof value}`);
  try {
    writeHexOrThrow(value, bytes, at, KIND_BYTES[kind]);
  } catch (error) {
    throw new CodecError(`${label}: ${reasonOf(error)}`);
  }
}
