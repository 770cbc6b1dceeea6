// Commands and events to bytes and back, driven by the layouts. Called by gateways, followers, journal tools, the check of new
// commands, and tests. Decoding is strict: bytes that are not exactly one well-formed message of a known version raise a
// CodecError, and never yield a wrong message.
import { dataViewOf, readHex } from './bytes.ts';
import { type MessageReader, type MessageWriter, readerOf, writerOf } from './compiled.ts';
import { CodecError, fieldWriters } from './fields.ts';
import {
  COMMAND_AT,
  COMMAND_HEADER_BYTES,
  commandLayouts,
  EVENT_AT,
  EVENT_HEADER_BYTES,
  eventLayouts,
  FRAME_AT,
  FRAME_HEADER_BYTES,
  FRAME_MORE,
  KIND_BYTES,
  type Layout,
  PROTOCOL_VERSION,
  RECORD_ALIGNMENT,
} from './layout.ts';
import { limits } from './limits.ts';
import { Message } from './message.ts';
import type { Command, EngineEvent } from './messages.ts';

interface Coder {
  readonly type: string;
  readonly layout: Layout;
  readonly read: MessageReader;
  readonly write: MessageWriter;
}

function byType(table: Readonly<Record<string, Layout>>): readonly (Coder | undefined)[] {
  const sorted: (Coder | undefined)[] = [];
  for (const [type, layout] of Object.entries(table)) {
    sorted[layout.type] = { type, layout, read: readerOf(type, layout), write: writerOf(type, layout) };
  }
  return sorted;
}
const commandByType = byType(commandLayouts);
const eventByType = byType(eventLayouts);

/** The coder of a message type; the callers' types guarantee that it has a layout. */
function coderOf(table: readonly (Coder | undefined)[], { type }: Layout): Coder {
  const coder = table[type];
  if (coder === undefined) throw new CodecError(`type ${type} is not known`);
  return coder;
}

/**
 * Throws CodecError unless the padding bytes of the head at `offset` are 0: otherwise two different records could mean the same.
 * The error names the byte by its place in the message.
 */
function assertGapsEmpty(bytes: Uint8Array, offset: number, name: string, layout: Layout): void {
  for (const gap of layout.gaps) {
    if (bytes[offset + gap] !== 0) throw new CodecError(`${name}: byte ${gap} belongs to no field and is not 0`);
  }
}

/**
 * Commands share buffers of this size: a buffer of its own would cost a command more than everything that is written into it.
 * The buffer of a command must therefore never be transferred to a thread.
 */
const SHARED_BYTES = 1 << 14;
let shared = new Message(new ArrayBuffer(SHARED_BYTES));
let sharedEnd = 0;

/** Allocates zeroed room for a command in the shared buffer, from `start` on; large commands get a buffer of their own. */
function roomFor(length: number): { readonly room: Message; readonly start: number } {
  const alignedBytes = Math.ceil(length / RECORD_ALIGNMENT) * RECORD_ALIGNMENT;
  if (alignedBytes > SHARED_BYTES / 16) return { room: new Message(new ArrayBuffer(alignedBytes)), start: 0 };
  if (sharedEnd + alignedBytes > SHARED_BYTES) {
    shared = new Message(new ArrayBuffer(SHARED_BYTES));
    sharedEnd = 0;
  }
  const start = sharedEnd;
  sharedEnd += alignedBytes;
  return { room: shared, start };
}

/**
 * Encodes a command.
 * Throws CodecError naming the field when a value does not fit its layout.
 */
export function encodeCommand(command: Command): Uint8Array {
  const { type, layout, write } = coderOf(commandByType, commandLayouts[command.type]);
  const { item } = layout;
  const items = command.items ?? [];
  const tail = command.tail;
  const tailBytes = tail?.byteLength ?? 0;
  const itemBytes = item === undefined ? 0 : KIND_BYTES[item];
  if (items.length > layout.itemsMax) {
    throw new CodecError(`${command.type}: ${items.length} items, at most ${layout.itemsMax} are allowed`);
  }
  if (tailBytes > limits.tailBytesMax) {
    throw new CodecError(`${command.type}: a tail of ${tailBytes} bytes, at most ${limits.tailBytesMax} are allowed`);
  }
  const headBytes = COMMAND_HEADER_BYTES + layout.headBytes;
  const length = headBytes + items.length * itemBytes + tailBytes;
  const { room, start } = roomFor(length);
  const { bytes, view } = room;
  bytes[start + COMMAND_AT.version] = PROTOCOL_VERSION;
  bytes[start + COMMAND_AT.type] = layout.type;
  view.setUint16(start + COMMAND_AT.itemCount, items.length, true);
  view.setUint32(start + COMMAND_AT.tailBytes, tailBytes, true);
  write(bytes, view, start, command);
  if (item !== undefined) {
    const itemsAt = start + headBytes;
    const writeItem = fieldWriters[item];
    for (let i = 0; i < items.length; i += 1) {
      writeItem(bytes, view, itemsAt + i * itemBytes, 0, `${type}.items`, items[i]);
    }
  }
  if (tail !== undefined) bytes.set(tail, start + length - tailBytes);
  return new Uint8Array(bytes.buffer, start, length);
}

/**
 * Decodes bytes that are exactly one command.
 * Throws CodecError when they are anything else.
 */
export function decodeCommand(bytes: Uint8Array): Command {
  return decodeCommandAt(bytes, dataViewOf(bytes), 0, bytes.length);
}

/** The same for the command at start..end of larger bytes, which `view` covers too. Its tail is a view into them. */
export function decodeCommandAt(bytes: Uint8Array, view: DataView, start: number, end: number): Command {
  const { coder, itemsAt, tailAt } = commandParts(bytes, view, start, end);
  const values = coder.read(bytes, view, start);
  const { item } = coder.layout;
  if (item !== undefined) {
    const items: string[] = [];
    for (let at = itemsAt; at < tailAt; at += KIND_BYTES[item]) items.push(readHex(bytes, at, KIND_BYTES[item]));
    values.items = items;
  }
  if (tailAt < end) values.tail = bytes.subarray(tailAt, end);
  return values as unknown as Command; // every field of the layout was just read and checked
}

interface CommandParts {
  readonly coder: Coder;
  readonly itemsAt: number;
  readonly tailAt: number;
}

/**
 * The parts of the command at start..end, which `view` covers too.
 * Throws CodecError unless it is of a known version and type, as long as its header says, and has empty gaps.
 */
export function commandParts(bytes: Uint8Array, view: DataView, start: number, end: number): CommandParts {
  const length = end - start;
  if (length < COMMAND_HEADER_BYTES) throw new CodecError(`command: ${length} bytes are less than a header`);
  const version = bytes[start + COMMAND_AT.version];
  if (version !== PROTOCOL_VERSION) throw new CodecError(`command: version ${version} is not ${PROTOCOL_VERSION}`);
  const coder = commandByType[bytes[start + COMMAND_AT.type]];
  if (coder === undefined) throw new CodecError(`command: type ${bytes[start + COMMAND_AT.type]} is not known`);
  const { type, layout } = coder;
  const itemCount = view.getUint16(start + COMMAND_AT.itemCount, true);
  const tailBytes = view.getUint32(start + COMMAND_AT.tailBytes, true);
  const itemBytes = layout.item === undefined ? 0 : KIND_BYTES[layout.item];
  if (itemCount > layout.itemsMax) throw new CodecError(`${type}: ${itemCount} items, at most ${layout.itemsMax}`);
  if (tailBytes > limits.tailBytesMax) throw new CodecError(`${type}: tail of ${tailBytes} bytes`);
  const itemsAt = start + COMMAND_HEADER_BYTES + layout.headBytes;
  const tailAt = itemsAt + itemCount * itemBytes;
  if (tailAt + tailBytes !== end) {
    throw new CodecError(`${type}: ${length} bytes, its header asks for ${tailAt + tailBytes - start}`);
  }
  assertGapsEmpty(bytes, start, type, layout);
  return { coder, itemsAt, tailAt };
}

/** The type name of an encoded command, without decoding the rest; undefined when the bytes are not a command. */
export function commandName(bytes: Uint8Array): Command['type'] | undefined {
  const entry = bytes.length >= COMMAND_HEADER_BYTES ? commandByType[bytes[COMMAND_AT.type]] : undefined;
  return entry?.type as Command['type'] | undefined; // the table's keys are the names
}

/** Writes one event at `offset` and returns its length in bytes; `bytes` must have room for it. */
export function encodeEventInto(event: EngineEvent, bytes: Uint8Array, view: DataView, offset: number): number {
  const { layout, write } = coderOf(eventByType, eventLayouts[event.type]);
  bytes[offset + EVENT_AT.type] = layout.type;
  bytes[offset + EVENT_AT.zero] = 0;
  view.setUint16(offset + EVENT_AT.headBytes, layout.headBytes, true);
  for (const gap of layout.gaps) bytes[offset + gap] = 0;
  write(bytes, view, offset, event);
  return EVENT_HEADER_BYTES + layout.headBytes;
}

function decodeEvent(bytes: Uint8Array, view: DataView, offset: number, end: number): EngineEvent {
  const decoder = offset + EVENT_HEADER_BYTES <= end ? eventByType[bytes[offset + EVENT_AT.type]] : undefined;
  if (decoder === undefined) throw new CodecError(`event: no known event starts at byte ${offset}`);
  const { type, layout, read } = decoder;
  if (bytes[offset + EVENT_AT.zero] !== 0 || view.getUint16(offset + EVENT_AT.headBytes, true) !== layout.headBytes) {
    throw new CodecError(`${type}: the header at byte ${offset} does not fit its layout`);
  }
  if (offset + EVENT_HEADER_BYTES + layout.headBytes > end) throw new CodecError(`${type}: cut off at byte ${end}`);
  assertGapsEmpty(bytes, offset, type, layout);
  return read(bytes, view, offset) as unknown as EngineEvent; // every field was just read and checked
}

function decodeFrame(
  bytes: Uint8Array,
  view: DataView,
  offset: number,
  bytesEnd: number,
  events: EngineEvent[],
): number {
  if (offset + FRAME_HEADER_BYTES > bytesEnd) throw new CodecError(`frame at byte ${offset}: cut off`);
  const version = bytes[offset + FRAME_AT.version];
  if (version !== PROTOCOL_VERSION) throw new CodecError(`frame at byte ${offset}: version ${version}`);
  const bodyBytes = view.getUint32(offset + FRAME_AT.bodyBytes, true);
  const count = view.getUint32(offset + FRAME_AT.eventCount, true);
  const end = offset + FRAME_HEADER_BYTES + bodyBytes;
  if (
    bytes[offset + FRAME_AT.flags] > FRAME_MORE ||
    view.getUint16(offset + FRAME_AT.zero, true) !== 0 ||
    view.getUint32(offset + FRAME_AT.lastZero, true) !== 0
  ) {
    throw new CodecError(`frame at byte ${offset}: unknown flags`);
  }
  if (end > bytesEnd || end - offset > limits.frameBytesMax)
    throw new CodecError(`frame at byte ${offset}: ${bodyBytes} bytes`);
  const before = events.length;
  for (let next = offset + FRAME_HEADER_BYTES; next < end; ) {
    events.push(decodeEvent(bytes, view, next, end));
    next += EVENT_HEADER_BYTES + view.getUint16(next + EVENT_AT.headBytes, true);
  }
  if (events.length - before !== count)
    throw new CodecError(`frame at byte ${offset}: ${events.length - before} events, not ${count}`);
  return end;
}

/**
 * Decodes all events of one command from its frames (every frame but the last has the "more" flag).
 * Throws CodecError when the bytes are not exactly such frames.
 */
export function decodeEvents(bytes: Uint8Array): EngineEvent[] {
  return decodeEventsAt(bytes, dataViewOf(bytes), 0, bytes.length);
}

/** The same for the frames at start..end of larger bytes, which `view` covers too. */
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
