// The check of a command's bytes before they get a sequence: they must be one whole command, with every number in its range and
// readable texts. Used by the inline deployment. No command that passes may make a reducer throw; one that does not pass is a
// mistake of the caller and never reaches the log.
import {
  assertGapsEmpty,
  COMMAND_HEADER_BYTES,
  CodecError,
  commandLayouts,
  decodeCommand,
  KIND_BYTES,
  type Layout,
  limits,
  PROTOCOL_VERSION,
  reasonOf,
} from '../protocol/index.ts';
import { textsOf } from '../registry/index.ts';

interface NumberField {
  readonly name: string;
  readonly kind: string;
  readonly at: number;
  readonly max: number;
}

interface Shape {
  readonly name: string;
  readonly layout: Layout;
  readonly numbers: readonly NumberField[];
}

/** By the number of the command type. */
const shapes: (Shape | undefined)[] = [];
for (const [name, layout] of Object.entries<Layout>(commandLayouts)) {
  const numbers = Object.entries(layout.fields)
    .filter(([, { kind }]) => !kind.startsWith('bytes'))
    .map(([field, { kind, max }]) => ({ name: `${name}.${field}`, kind, at: layout.offsets[field], max }));
  shapes[layout.type] = { name, layout, numbers };
}

/** Commands whose tail is a JSON object of texts, and whether it must have a slug. */
const textTails: Readonly<Record<string, { readonly needsSlug: boolean }>> = {
  CreateEvent: { needsSlug: true },
  CreateMarket: { needsSlug: true },
  UpdateMarket: { needsSlug: false },
};

/** A view on the buffer of the last command, kept because commands usually share one buffer. */
let view: DataView = new DataView(new ArrayBuffer(COMMAND_HEADER_BYTES));

/** Throws CodecError unless the bytes are one well-formed command that the reducers can take. */
export function assertWellFormed(command: Uint8Array): void {
  const shape = command.length < COMMAND_HEADER_BYTES ? undefined : shapes[command[1]];
  if (shape === undefined || command[0] !== PROTOCOL_VERSION) {
    throw new CodecError(
      `command: ${command.length} bytes of version ${command[0]} and type ${command[1]} are not known`,
    );
  }
  if (view.buffer !== command.buffer) view = new DataView(command.buffer);
  const start = command.byteOffset;
  const { name, layout, numbers } = shape;
  const itemCount = view.getUint16(start + 2, true);
  const tailBytes = view.getUint32(start + 4, true);
  const itemBytes = layout.item === undefined ? 0 : itemCount * KIND_BYTES[layout.item];
  const length = COMMAND_HEADER_BYTES + layout.headBytes + itemBytes + tailBytes;
  if (length !== command.length)
    throw new CodecError(`${name}: ${command.length} bytes, its header asks for ${length}`);
  if (itemCount > layout.itemsMax) throw new CodecError(`${name}: ${itemCount} items, at most ${layout.itemsMax}`);
  if (tailBytes > limits.tailBytesMax) throw new CodecError(`${name}: a tail of ${tailBytes} bytes is too long`);
  for (const field of numbers) assertInRange(start, field);
  assertGapsEmpty(command, 0, name, layout);
  const tail = textTails[name];
  if (tail !== undefined) assertTexts(command, name, tail.needsSlug);
}

function assertInRange(start: number, { name, kind, at, max }: NumberField): void {
  let value: number;
  if (kind === 'u8') value = view.getUint8(start + at);
  else if (kind === 'u16') value = view.getUint16(start + at, true);
  else if (kind === 'u32') value = view.getUint32(start + at, true);
  else value = view.getFloat64(start + at, true);
  if (!Number.isSafeInteger(value) || value < 0 || value > max || Object.is(value, -0)) {
    throw new CodecError(`${name}: expected an integer from 0 to ${max}, got ${value}`);
  }
}

/** Whether a value nests in at most so many levels. */
function nests(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => nests(inner, levels - 1));
}

function assertTexts(command: Uint8Array, name: string, needsSlug: boolean): void {
  let texts: Readonly<Record<string, unknown>>;
  try {
    texts = textsOf(decodeCommand(command).tail);
  } catch (error) {
    throw new CodecError(`${name}: its tail is not a JSON object: ${reasonOf(error)}`);
  }
  const { slug } = texts;
  const hasSlug = 'slug' in texts;
  const { textsDepthMax } = limits;
  if (!nests(texts, textsDepthMax)) throw new CodecError(`${name}: its texts nest deeper than ${textsDepthMax} levels`);
  if ((needsSlug || hasSlug) && (typeof slug !== 'string' || slug === '')) {
    throw new CodecError(`${name}: its texts need a slug`);
  }
}
