// The check of a command's bytes before they get a sequence: they must be one whole command, with every number in its range and
// readable texts. Used by the inline deployment. No command that passes may make a reducer throw; one that does not pass is a
// mistake of the caller and never reaches the log.
import {
  CodecError,
  commandLayouts,
  commandParts,
  decodeCommand,
  type Layout,
  limits,
  numberIn,
  reasonOf,
} from '../protocol/index.ts';
import { textsOf } from '../registry/index.ts';

interface NumberField {
  readonly name: string;
  readonly kind: string;
  readonly at: number;
  readonly max: number;
}

/** The numbers of each command, by the number of its type. */
const numbersOf: (readonly NumberField[])[] = [];
for (const [name, layout] of Object.entries<Layout>(commandLayouts)) {
  numbersOf[layout.type] = Object.entries(layout.fields)
    .filter(([, { kind }]) => !kind.startsWith('bytes'))
    .map(([field, { kind, max }]) => ({ name: `${name}.${field}`, kind, at: layout.offsets[field], max }));
}

/** Commands whose tail is a JSON object of texts, and whether it must have a slug. */
const textTails: Readonly<Record<string, { readonly needsSlug: boolean }>> = {
  CreateEvent: { needsSlug: true },
  CreateMarket: { needsSlug: true },
  UpdateMarket: { needsSlug: false },
};

/** The whole buffer of the last command, kept because commands usually share one. */
let bytes: Uint8Array = new Uint8Array();
let view: DataView = new DataView(bytes.buffer);

/** Throws CodecError unless the bytes are one well-formed command that the reducers can take. */
export function assertWellFormed(command: Uint8Array): void {
  if (view.buffer !== command.buffer) {
    bytes = new Uint8Array(command.buffer);
    view = new DataView(command.buffer);
  }
  const start = command.byteOffset;
  const { type, layout } = commandParts(bytes, view, start, start + command.length).coder;
  for (const field of numbersOf[layout.type]) assertInRange(start, field);
  const tail = textTails[type];
  if (tail !== undefined) assertTexts(command, type, tail.needsSlug);
}

function assertInRange(start: number, { name, kind, at, max }: NumberField): void {
  let value: number;
  if (kind === 'u8') value = view.getUint8(start + at);
  else if (kind === 'u16') value = view.getUint16(start + at, true);
  else if (kind === 'u32') value = view.getUint32(start + at, true);
  else value = view.getFloat64(start + at, true);
  numberIn(value, max, name);
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
