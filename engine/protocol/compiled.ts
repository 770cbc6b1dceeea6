// One function that reads and one that writes the fields of each layout, made of the layouts' own text when they are first
// needed, since a thread needs few of them: straight lines that name every field. A loop over the fields would serve all types
// of message alike, and so V8 would look up every name anew and copy every object the slow way: measured, twice to four times
// the time of a message. Called by the codec alone. Only names and figures of layout.ts go into the text, never anything that
// is read or received.
import { type FieldReader, type FieldWriter, fieldReaders, fieldWriters } from './fields.ts';
import type { Layout } from './layout.ts';

/** Reads the message at `start` of the bytes, which `view` is on too. Throws CodecError naming the field. */
export type MessageReader = (bytes: Uint8Array, view: DataView, start: number) => Record<string, unknown>;
/** Writes a message's fields at `start`. Throws CodecError naming the field whose value does not fit. */
export type MessageWriter = (bytes: Uint8Array, view: DataView, start: number, values: unknown) => void;

/** What each field's function is called with, as text: bytes, view, place, largest value, name. */
function fieldCalls(
  type: string,
  { fields, offsets }: Layout,
): readonly { readonly name: string; readonly call: string }[] {
  return Object.entries(fields).map(([name, { kind, max }]) => {
    const label = JSON.stringify(`${type}.${name}`);
    return { name, call: `${kind}(bytes, view, start + ${offsets[name]}, ${max}, ${label}` };
  });
}

function compileReader(type: string, layout: Layout): MessageReader {
  const fields = fieldCalls(type, layout).map(({ name, call }) => `${name}: ${call})`);
  return compiled(fieldReaders, `(bytes, view, start) => ({ ${[`type: '${type}'`, ...fields].join(', ')} })`);
}

function compileWriter(type: string, layout: Layout): MessageWriter {
  const fields = fieldCalls(type, layout).map(({ name, call }) => `${call}, values.${name});`);
  return compiled(fieldWriters, `(bytes, view, start, values) => { ${fields.join(' ')} }`);
}

/** Reads messages of this type and layout. */
export function readerOf(type: string, layout: Layout): MessageReader {
  let read: MessageReader | undefined;
  return (bytes, view, start) => {
    read ??= compileReader(type, layout);
    return read(bytes, view, start);
  };
}

/** Writes messages of this type and layout. */
export function writerOf(type: string, layout: Layout): MessageWriter {
  let write: MessageWriter | undefined;
  return (bytes, view, start, values) => {
    write ??= compileWriter(type, layout);
    write(bytes, view, start, values);
  };
}

/** The function of that text, in which the fields' functions go by their kinds. */
function compiled<T>(byKind: Readonly<Record<string, FieldReader | FieldWriter>>, text: string): T {
  return new Function(...Object.keys(byKind), `return ${text};`)(...Object.values(byKind));
}
