// Commands and events to bytes and back, driven by the layouts. Called by gateways, followers, journal tools and tests.
// Decoding is strict: bytes that are not exactly one well-formed message of a known version raise a CodecError and never
// yield a wrong message.
import { bytesToHex, hexToBytes } from './bytes.ts';
import { HexTexts } from './hexTexts.ts';
import {
  COMMAND_HEADER_BYTES,
  commandLayouts,
  EVENT_HEADER_BYTES,
  eventLayouts,
  type Field,
  FRAME_HEADER_BYTES,
  FRAME_MORE,
  KIND_BYTES,
  type Layout,
  PROTOCOL_VERSION,
} from './layout.ts';
import { limits } from './limits.ts';
import type { Command, EngineEvent } from './messages.ts';

/** Bytes that are no message of this version, or a value that no message can hold; the text names what and where. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** A field of a layout, ready to be read: everything that does not change from message to message. */
interface DecodedField extends Field {
  readonly name: string;
  readonly offset: number;
  /** Type and field, for errors. */
  readonly label: string;
}

interface Decoder {
  readonly type: string;
  readonly layout: Layout;
  readonly fields: readonly DecodedField[];
  /** All fields at once in their order: messages are copies of it, so that V8 knows their shape before they are filled. */
  readonly blank: Readonly<Record<string, unknown>>;
}

function byType(table: Readonly<Record<string, Layout>>): readonly (Decoder | undefined)[] {
  const sorted: (Decoder | undefined)[] = [];
  for (const [type, layout] of Object.entries(table)) {
    const fields = Object.entries(layout.fields).map(
      ([name, field]): DecodedField => ({ ...field, name, offset: layout.offsets[name], label: `${type}.${name}` }),
    );
    const blank: Record<string, unknown> = { type };
    for (const { name, kind } of fields) blank[name] = kind.startsWith('bytes') ? '' : 0;
    sorted[layout.type] = { type, layout, fields, blank };
  }
  return sorted;
}
const commandByType = byType(commandLayouts);
const eventByType = byType(eventLayouts);

function writeField(
  view: DataView,
  bytes: Uint8Array,
  offset: number,
  name: string,
  field: Field,
  value: unknown,
): void {
  const { kind, max } = field;
  if (kind === 'bytes16' || kind === 'bytes20' || kind === 'bytes32') {
    if (typeof value !== 'string') throw new CodecError(`${name}: expected hexadecimal text, got ${typeof value}`);
    try {
      hexToBytes(value, bytes, offset, KIND_BYTES[kind]);
    } catch (error) {
      throw new CodecError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    return;
  }
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0 || value > max) {
    throw new CodecError(`${name}: expected an integer from 0 to ${max}, got ${String(value)}`);
  }
  if (kind === 'u8') view.setUint8(offset, value);
  else if (kind === 'u16') view.setUint16(offset, value, true);
  else if (kind === 'u32') view.setUint32(offset, value, true);
  else view.setFloat64(offset, value, true);
}

/** Addresses and key ids of those who trade come in nearly every record. */
const REPEATED_IDS = 8_192;
const keyIds = new HexTexts(16, REPEATED_IDS);
const addresses = new HexTexts(20, REPEATED_IDS);

function readField(
  view: DataView,
  bytes: Uint8Array,
  offset: number,
  { kind, max, label }: DecodedField,
): number | string {
  let value: number;
  switch (kind) {
    case 'bytes16':
      return keyIds.get(bytes, view, offset);
    case 'bytes20':
      return addresses.get(bytes, view, offset);
    case 'bytes32':
      return bytesToHex(bytes, offset, 32);
    case 'u8':
      return checked(bytes[offset], max, label);
    case 'u16':
      return checked(view.getUint16(offset, true), max, label);
    case 'u32':
      return checked(view.getUint32(offset, true), max, label);
    default:
      value = view.getFloat64(offset, true);
  }
  if (!Number.isSafeInteger(value) || value < 0 || Object.is(value, -0)) throw outOfRange(value, max, label);
  return checked(value, max, label);
}

function checked(value: number, max: number, label: string): number {
  if (value > max) throw outOfRange(value, max, label);
  return value;
}

function outOfRange(value: number, max: number, label: string): CodecError {
  return new CodecError(`${label}: expected an integer from 0 to ${max}, got ${value}`);
}

/** Throws CodecError unless the bytes of a head that belong to no field are 0: else two records could mean the same. */
export function assertGapsEmpty(bytes: Uint8Array, offset: number, name: string, layout: Layout): void {
  for (const gap of layout.gaps) {
    if (bytes[offset + gap] !== 0)
      throw new CodecError(`${name}: byte ${offset + gap} belongs to no field and is not 0`);
  }
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * The bytes of a command.
 * Throws CodecError naming the field when a value does not fit its layout.
 */
export function encodeCommand(command: Command): Uint8Array {
  const layout: Layout = commandLayouts[command.type];
  const items = command.items ?? [];
  const tail = command.tail;
  const tailBytes = tail?.byteLength ?? 0;
  const itemBytes = layout.item === undefined ? 0 : KIND_BYTES[layout.item];
  if (items.length > layout.itemsMax) {
    throw new CodecError(`${command.type}: ${items.length} items, at most ${layout.itemsMax} are allowed`);
  }
  if (tailBytes > limits.tailBytesMax) {
    throw new CodecError(`${command.type}: a tail of ${tailBytes} bytes, at most ${limits.tailBytesMax} are allowed`);
  }
  const itemsAt = COMMAND_HEADER_BYTES + layout.headBytes;
  const bytes = new Uint8Array(itemsAt + items.length * itemBytes + tailBytes);
  const view = viewOf(bytes);
  bytes[0] = PROTOCOL_VERSION;
  bytes[1] = layout.type;
  view.setUint16(2, items.length, true);
  view.setUint32(4, tailBytes, true);
  const values: Readonly<Record<string, unknown>> = command as unknown as Record<string, unknown>; // fields by name
  for (const name in layout.fields) {
    writeField(view, bytes, layout.offsets[name], `${command.type}.${name}`, layout.fields[name], values[name]);
  }
  if (layout.item !== undefined) {
    const field = { kind: layout.item, max: 0 } as const;
    for (let i = 0; i < items.length; i += 1) {
      writeField(view, bytes, itemsAt + i * itemBytes, `${command.type}.items`, field, items[i]);
    }
  }
  if (tail !== undefined) bytes.set(tail, bytes.length - tailBytes);
  return bytes;
}

/**
 * The command that these bytes are, whole.
 * Throws CodecError when they are anything else.
 */
export function decodeCommand(bytes: Uint8Array): Command {
  return decodeCommandAt(bytes, viewOf(bytes), 0, bytes.length);
}

/** The same for a command from `start` to `end` of larger bytes, which `view` is on too. Its tail is a view into them. */
export function decodeCommandAt(bytes: Uint8Array, view: DataView, start: number, end: number): Command {
  const length = end - start;
  if (length < COMMAND_HEADER_BYTES) throw new CodecError(`command: ${length} bytes are less than a header`);
  if (bytes[start] !== PROTOCOL_VERSION)
    throw new CodecError(`command: version ${bytes[start]} is not ${PROTOCOL_VERSION}`);
  const decoder = commandByType[bytes[start + 1]];
  if (decoder === undefined) throw new CodecError(`command: type ${bytes[start + 1]} is not known`);
  const { type, layout } = decoder;
  const itemCount = view.getUint16(start + 2, true);
  const tailBytes = view.getUint32(start + 4, true);
  const itemBytes = layout.item === undefined ? 0 : KIND_BYTES[layout.item];
  if (itemCount > layout.itemsMax) throw new CodecError(`${type}: ${itemCount} items, at most ${layout.itemsMax}`);
  if (tailBytes > limits.tailBytesMax) throw new CodecError(`${type}: tail of ${tailBytes} bytes`);
  const itemsAt = start + COMMAND_HEADER_BYTES + layout.headBytes;
  const tailAt = itemsAt + itemCount * itemBytes;
  if (tailAt + tailBytes !== end) {
    throw new CodecError(`${type}: ${length} bytes, its header asks for ${tailAt + tailBytes - start}`);
  }
  assertGapsEmpty(bytes, start, type, layout);
  const values = readFields(bytes, view, start, decoder);
  if (layout.item !== undefined) {
    const items: string[] = [];
    for (let at = itemsAt; at < tailAt; at += itemBytes) items.push(bytesToHex(bytes, at, itemBytes));
    values.items = items;
  }
  if (tailBytes > 0) values.tail = bytes.subarray(tailAt, end);
  return values as unknown as Command; // every field of the layout was just read and checked
}

function readFields(bytes: Uint8Array, view: DataView, start: number, decoder: Decoder): Record<string, unknown> {
  const values: Record<string, unknown> = { ...decoder.blank };
  const { fields } = decoder;
  for (let i = 0; i < fields.length; i += 1) {
    const field = fields[i];
    values[field.name] = readField(view, bytes, start + field.offset, field);
  }
  return values;
}

/** The name of the type of an encoded command, without decoding the rest; undefined for bytes that are none. */
export function commandName(bytes: Uint8Array): Command['type'] | undefined {
  const entry = bytes.length >= COMMAND_HEADER_BYTES ? commandByType[bytes[1]] : undefined;
  return entry?.type as Command['type'] | undefined; // the table's keys are the names
}

/** Writes one event at `offset` and returns its length in bytes; `bytes` must have room for it. */
export function encodeEventInto(event: EngineEvent, bytes: Uint8Array, view: DataView, offset: number): number {
  const layout: Layout = eventLayouts[event.type];
  bytes[offset] = layout.type;
  bytes[offset + 1] = 0;
  view.setUint16(offset + 2, layout.headBytes, true);
  for (const gap of layout.gaps) bytes[offset + gap] = 0;
  const values: Readonly<Record<string, unknown>> = event as unknown as Record<string, unknown>; // fields by name
  for (const name in layout.fields) {
    const at = offset + layout.offsets[name];
    writeField(view, bytes, at, `${event.type}.${name}`, layout.fields[name], values[name]);
  }
  return EVENT_HEADER_BYTES + layout.headBytes;
}

function decodeEvent(bytes: Uint8Array, view: DataView, offset: number, end: number): EngineEvent {
  const decoder = offset + EVENT_HEADER_BYTES <= end ? eventByType[bytes[offset]] : undefined;
  if (decoder === undefined) throw new CodecError(`event: none that is known starts at byte ${offset}`);
  const { type, layout } = decoder;
  if (bytes[offset + 1] !== 0 || view.getUint16(offset + 2, true) !== layout.headBytes) {
    throw new CodecError(`${type}: the header at byte ${offset} does not fit its layout`);
  }
  if (offset + EVENT_HEADER_BYTES + layout.headBytes > end) throw new CodecError(`${type}: cut off at byte ${end}`);
  assertGapsEmpty(bytes, offset, type, layout);
  return readFields(bytes, view, offset, decoder) as unknown as EngineEvent; // every field was just read and checked
}

function decodeFrame(
  bytes: Uint8Array,
  view: DataView,
  offset: number,
  bytesEnd: number,
  events: EngineEvent[],
): number {
  if (offset + FRAME_HEADER_BYTES > bytesEnd) throw new CodecError(`frame at byte ${offset}: cut off`);
  if (bytes[offset] !== PROTOCOL_VERSION) throw new CodecError(`frame at byte ${offset}: version ${bytes[offset]}`);
  const bodyBytes = view.getUint32(offset + 4, true);
  const count = view.getUint32(offset + 8, true);
  const end = offset + FRAME_HEADER_BYTES + bodyBytes;
  if (
    bytes[offset + 1] > FRAME_MORE ||
    view.getUint16(offset + 2, true) !== 0 ||
    view.getUint32(offset + 12, true) !== 0
  ) {
    throw new CodecError(`frame at byte ${offset}: unknown flags`);
  }
  if (end > bytesEnd || end - offset > limits.frameBytesMax)
    throw new CodecError(`frame at byte ${offset}: ${bodyBytes} bytes`);
  const before = events.length;
  for (let next = offset + FRAME_HEADER_BYTES; next < end; ) {
    events.push(decodeEvent(bytes, view, next, end));
    next += EVENT_HEADER_BYTES + view.getUint16(next + 2, true);
  }
  if (events.length - before !== count)
    throw new CodecError(`frame at byte ${offset}: ${events.length - before} events, not ${count}`);
  return end;
}

/**
 * All events of one command from its frames (every frame but the last has the "more" flag).
 * Throws CodecError when the bytes are not exactly such frames.
 */
export function decodeEvents(bytes: Uint8Array): EngineEvent[] {
  return decodeEventsAt(bytes, viewOf(bytes), 0, bytes.length);
}

/** The same for frames from `start` to `end` of larger bytes, which `view` is on too. */
export function decodeEventsAt(bytes: Uint8Array, view: DataView, start: number, end: number): EngineEvent[] {
  const events: EngineEvent[] = [];
  let offset = start;
  let hasMore = true;
  while (hasMore) {
    hasMore = offset + 1 < end && bytes[offset + 1] === FRAME_MORE;
    offset = decodeFrame(bytes, view, offset, end, events);
  }
  if (offset !== end) throw new CodecError(`frames: ${end - offset} bytes follow the last one`);
  return events;
}
