// Generates one function that reads and one that writes the fields of each layout: straight-line code that names every field.
// Compiled on first use, since a thread needs few of them; called by the codec alone. A loop over the fields would serve all
// message types alike, so V8 would look up every name anew and copy every object the slow way: measured, two to four times the
// time of a message. The source text is made only of names and numbers from layout.ts, never of anything that is read or
// received.
import { type FieldReader, type FieldWriter, fieldReaders, fieldWriters } from './fields.ts';
import type { Layout } from './layout.ts';

/** Reads the message at `start` of `bytes`; `view` covers the same bytes. Throws CodecError naming the field. */
export type MessageReader = (bytes: Uint8Array, view: DataView, start: number) => Record<string, unknown>;
/** Writes a message's fields at `start`. Throws CodecError naming the field whose value does not fit. */
export type MessageWriter = (bytes: Uint8Array, view: DataView, start: number, values: unknown) => void;

/** The source text of each field's call, still without its end: bytes, view, offset, largest value, label. */
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

/** A function that reads messages of this type and layout. */
export function readerOf(type: string, layout: Layout): MessageReader {
  let read: MessageReader | undefined;
  return (bytes, view, start) => {
    read ??= compileReader(type, layout);
    return read(bytes, view, start);
  };
}

/** A function that writes messages of this type and layout. */
export function writerOf(type: string, layout: Layout): MessageWriter {
  let write: MessageWriter | undefined;
  return (bytes, view, start, values) => {
    write ??= compileWriter(type, layout);
    write(bytes, view, start, values);
  };
}

/** Compiles the text to a function, in which the functions of the fields have the names of their kinds. */
function compiled<T>(byKind: Readonly<Record<string, FieldReader | FieldWriter>>, text: string): T {
  return new Function(...Object.keys(byKind), `return ${text};`)(...Object.values(byKind));
}
