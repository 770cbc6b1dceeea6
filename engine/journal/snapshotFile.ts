// A snapshot as one file: a head (JSON: the record that the state follows, what it holds) and sections, typed arrays and plain
// values, each with its own checksum. Written and read by the pipeline through `Sections`. A whole file is read and checked
// before any of it is handed out: an unsound one changes nothing.
// CRC-32 here, not the journal's CRC32C: zlib's runs at memory speed, and a start reads hundreds of megabytes.
import { closeSync, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { lineBytes, reasonOf, requireSound, type Sections, SnapshotUnusable } from '../protocol/index.ts';
import { requireSameVersion } from './errors.ts';
import { codeOf, isRefusedBySystem } from './files.ts';

/** Version of the file format. The content of each part has a version of its own, in `SnapshotFacts`. */
const FORMAT_VERSION = 1;
const MAGIC = 'OUTCRYSN';
/** Before the head, little-endian: 8 bytes magic, u32 version, u32 bytes of the head, u32 CRC-32 of the head, u32 zero. */
const PREFIX_BYTES = 24;
const HEAD_BYTES_MAX = 256 * 1024 * 1024;
/** Sections begin at multiples of this in the file; lineBytes places them in memory. */
const ALIGNMENT = 64;
/** Bytes read before their checksum is computed: they are in the processor's cache then, and a load takes a fifth less. */
const PIECE_BYTES = 256 * 1024;
/** Bytes written before they are synced: some milliseconds of the disk's time. */
const SYNC_BYTES = 4 * 1024 * 1024;
const NUMBERS = 'numbers';

/** The record that a snapshot follows, and the programs that can load it. */
export interface SnapshotFacts {
  /** The last record that is in it. */
  readonly sequence: number;
  readonly tMs: number;
  /** The journal's running hash after that record, hex: it identifies the journal and all that it held up to there. */
  readonly journalHash: string;
  /** Versions of the parts, by name: a program loads only what it would write itself. */
  readonly versions: Readonly<Record<string, number>>;
}

type Kind = 'int32' | 'float64' | 'uint8' | 'plain';

interface SectionRow {
  readonly name: string;
  readonly kind: Kind;
  readonly offset: number;
  readonly bytes: number;
  readonly crc: number;
}

interface Head {
  readonly facts: SnapshotFacts;
  readonly numbers: readonly string[];
  readonly sections: readonly SectionRow[];
}

const ELEMENT_BYTES: Readonly<Record<Kind, number>> = { int32: 4, float64: 8, uint8: 1, plain: 1 };
const aligned = (offset: number): number => Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** The content to write: arrays as they lie, without a copy. They must not change before the file is written. */
interface Gathered {
  readonly sections: { readonly name: string; readonly kind: Kind; readonly bytes: Uint8Array<ArrayBuffer> }[];
  readonly numbers: Map<string, number>;
  readonly onSection: () => void;
}

class WrittenSections implements Sections {
  readonly isLoading = false;
  private readonly gathered: Gathered;
  private readonly prefix: string;

  constructor(gathered: Gathered, prefix = '') {
    this.gathered = gathered;
    this.prefix = prefix;
  }

  part(name: string): Sections {
    return new WrittenSections(this.gathered, `${this.prefix}${name}/`);
  }

  number(name: string, value: number): number {
    this.gathered.numbers.set(this.prefix + name, value);
    return value;
  }

  int32(name: string, array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
    return this.add(name, 'int32', array);
  }

  float64(name: string, array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    return this.add(name, 'float64', array);
  }

  uint8(name: string, array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    return this.add(name, 'uint8', array);
  }

  plain<T>(name: string, value: T): T {
    this.add(name, 'plain', serialize(value));
    return value;
  }

  private add<A extends ArrayBufferView<ArrayBuffer>>(name: string, kind: Kind, array: A): A {
    this.gathered.sections.push({ name: this.prefix + name, kind, bytes: bytesOf(array) });
    this.gathered.onSection();
    return array;
  }
}

/**
 * Writes a snapshot into a file that is open for writing, from its beginning. The arrays that `visit` lists must not change
 * meanwhile.
 * @param onSection called for each section listed, and repeatedly while sections are written; what it throws ends the writing
 */
export function writeSections(
  descriptor: number,
  facts: SnapshotFacts,
  visit: (sections: Sections) => void,
  onSection: () => void = () => {},
): void {
  const gathered: Gathered = { sections: [], numbers: new Map(), onSection };
  visit(new WrittenSections(gathered));
  const numbers = Float64Array.from(gathered.numbers.values());
  const parts = [...gathered.sections, { name: NUMBERS, kind: 'float64', bytes: bytesOf(numbers) } as const];
  let offset = 0; // from the end of the head, which is not known yet
  const sections = parts.map(({ name, kind, bytes }): SectionRow => {
    const row = { name, kind, offset, bytes: bytes.length, crc: crc32(bytes) };
    offset = aligned(offset + bytes.length);
    return row;
  });
  const head = Buffer.from(JSON.stringify({ facts, numbers: [...gathered.numbers.keys()], sections } satisfies Head));
  const start = aligned(PREFIX_BYTES + head.length);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.write(MAGIC, 'latin1');
  prefix.writeUInt32LE(FORMAT_VERSION, 8);
  prefix.writeUInt32LE(head.length, 12);
  prefix.writeUInt32LE(crc32(head), 16);
  const file = new SteadyFile(descriptor, onSection);
  file.write(prefix, 0);
  file.write(head, PREFIX_BYTES);
  for (const [index, { bytes }] of parts.entries()) {
    file.write(bytes, start + sections[index].offset);
    onSection();
  }
}

/** A file that is synced piece by piece as it is written: other writes to the disk wait for one piece, not for the file. */
class SteadyFile {
  private readonly descriptor: number;
  private readonly onPiece: () => void;
  private unsyncedBytes = 0;

  constructor(descriptor: number, onPiece: () => void) {
    this.descriptor = descriptor;
    this.onPiece = onPiece;
  }

  write(bytes: Uint8Array, position: number): void {
    const { descriptor } = this;
    for (let done = 0; done < bytes.length; ) {
      const wanted = Math.min(bytes.length - done, SYNC_BYTES - this.unsyncedBytes);
      const count = writeSync(descriptor, bytes, done, wanted, position + done);
      done += count;
      this.unsyncedBytes += count;
      if (this.unsyncedBytes < SYNC_BYTES) continue;
      fdatasyncSync(descriptor);
      this.unsyncedBytes = 0;
      this.onPiece();
    }
  }
}

/** A file that was read and found sound: its facts, and its sections, each handed out once. */
export class SnapshotFile {
  readonly facts: SnapshotFacts;
  private readonly sections: LoadedSections;

  /** Reads and checks a whole file. Throws SnapshotUnusable, or the system's error if it does not let us read it now. */
  constructor(path: string) {
    const descriptor = openFile(path);
    try {
      const sizeBytes = fstatSync(descriptor).size;
      const { head, start } = readHead(descriptor, sizeBytes);
      this.facts = head.facts;
      this.sections = new LoadedSections(contentOf(head, (row) => readSection(descriptor, sizeBytes, start, row)));
    } finally {
      closeSync(descriptor);
    }
  }

  /**
   * Passes the sections to `visit`. Throws SnapshotUnusable when a section is missing or a part finds a fault: what has been
   * loaded by then must not be used.
   */
  load(visit: (sections: Sections) => void): void {
    try {
      visit(this.sections);
    } catch (error) {
      if (error instanceof SnapshotUnusable) throw error;
      throw new SnapshotUnusable(`loading it fails: ${reasonOf(error)}`, error);
    }
  }

  /** Throws SnapshotUnusable unless every section of a part has been taken. */
  requireTaken(part: string): void {
    const unknown = this.sections.untaken.find((name) => name.startsWith(`${part}/`));
    requireSound(unknown === undefined, `its section ${unknown} is unknown`);
  }
}

/** The facts of a file, without its sections. Throws as SnapshotFile does, SnapshotOfAnotherVersion for another file format. */
export function readFacts(path: string): SnapshotFacts {
  const descriptor = openFile(path);
  try {
    return readHead(descriptor, fstatSync(descriptor).size).head.facts;
  } finally {
    closeSync(descriptor);
  }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw readFailure(error);
  }
}

/**
 * What to throw when a file cannot be opened or read: SnapshotUnusable, or the error itself if the system only does not let us
 * read it now, as when too many files are open. That says nothing about the file.
 */
function readFailure(error: unknown): unknown {
  // One that is gone was pruned meanwhile.
  const isRefused = isRefusedBySystem(error) && codeOf(error) !== 'ENOENT';
  return isRefused ? error : new SnapshotUnusable(reasonOf(error), error);
}

function readAll(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSome(descriptor, bytes, done, position);
    requireSound(count > 0, `it ends after ${position + done} bytes`);
    done += count;
  }
}

function readSome(descriptor: number, bytes: Uint8Array, done: number, position: number): number {
  try {
    return readSync(descriptor, bytes, done, bytes.length - done, position + done);
  } catch (error) {
    throw readFailure(error);
  }
}

function readHead(descriptor: number, sizeBytes: number): { readonly head: Head; readonly start: number } {
  requireSound(sizeBytes >= PREFIX_BYTES, `it has ${sizeBytes} bytes`);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  readAll(descriptor, prefix, 0);
  requireSound(prefix.toString('latin1', 0, MAGIC.length) === MAGIC, 'it does not begin as a snapshot does');
  const version = prefix.readUInt32LE(8);
  requireSameVersion(
    version === FORMAT_VERSION,
    `it has format version ${version}, this program reads ${FORMAT_VERSION}`,
  );
  const headBytes = prefix.readUInt32LE(12);
  const fits = headBytes <= HEAD_BYTES_MAX && PREFIX_BYTES + headBytes <= sizeBytes;
  requireSound(fits, `its head of ${headBytes} bytes does not fit into ${sizeBytes}`);
  const bytes = Buffer.alloc(headBytes);
  readAll(descriptor, bytes, PREFIX_BYTES);
  requireSound(crc32(bytes) === prefix.readUInt32LE(16), 'its head does not match its checksum');
  return { head: parseHead(bytes), start: aligned(PREFIX_BYTES + headBytes) };
}

function parseHead(bytes: Buffer): Head {
  try {
    return JSON.parse(bytes.toString('utf8')); // written by this file under this version, as its checksum says
  } catch (error) {
    throw new SnapshotUnusable(`its head cannot be read: ${reasonOf(error)}`, error);
  }
}

function readSection(descriptor: number, sizeBytes: number, start: number, row: SectionRow): Uint8Array<ArrayBuffer> {
  const { name, kind, offset, bytes, crc } = row;
  const position = start + offset;
  const isPlaced = Number.isSafeInteger(position) && offset >= 0 && bytes >= 0 && position + bytes <= sizeBytes;
  requireSound(isPlaced, `its section ${name} of ${bytes} bytes does not fit into ${sizeBytes}`);
  requireSound(bytes % ELEMENT_BYTES[kind] === 0, `its section ${name} has ${bytes} bytes`);
  const content = lineBytes(bytes);
  let found = 0;
  for (let at = 0; at < bytes; at += PIECE_BYTES) {
    const piece = content.subarray(at, at + PIECE_BYTES);
    readAll(descriptor, piece, position + at);
    found = crc32(piece, found);
  }
  requireSound(found === crc, `its section ${name} does not match its checksum`);
  return content;
}

/** Sections by kind and name, each of which is handed out once. */
interface Content {
  readonly arrays: Map<string, Uint8Array<ArrayBuffer>>;
  readonly plain: Map<string, unknown>;
  readonly numbers: Map<string, number>;
}

function contentOf(head: Head, read: (row: SectionRow) => Uint8Array<ArrayBuffer>): Content {
  const content: Content = { arrays: new Map(), plain: new Map(), numbers: new Map() };
  for (const row of head.sections) {
    const bytes = read(row);
    if (row.kind === 'plain') content.plain.set(row.name, deserialized(row.name, bytes));
    else content.arrays.set(`${row.kind} ${row.name}`, bytes);
  }
  const values = content.arrays.get(`float64 ${NUMBERS}`);
  content.arrays.delete(`float64 ${NUMBERS}`);
  requireSound(values?.length === head.numbers.length * 8, 'its numbers are not all there');
  const numbers = new Float64Array(values.buffer, values.byteOffset, head.numbers.length);
  for (const [index, name] of head.numbers.entries()) content.numbers.set(name, numbers[index]);
  return content;
}

function deserialized(name: string, bytes: Uint8Array<ArrayBuffer>): unknown {
  try {
    return deserialize(bytes);
  } catch (error) {
    throw new SnapshotUnusable(`its section ${name} cannot be read: ${reasonOf(error)}`, error);
  }
}

class LoadedSections implements Sections {
  readonly isLoading = true;
  private readonly content: Content;
  private readonly prefix: string;

  constructor(content: Content, prefix = '') {
    this.content = content;
    this.prefix = prefix;
  }

  /** Names of the sections and numbers that have not been taken. */
  get untaken(): string[] {
    const { arrays, plain, numbers } = this.content;
    return [...arrays.keys()]
      .map((key) => key.slice(key.indexOf(' ') + 1))
      .concat([...plain.keys()], [...numbers.keys()]);
  }

  part(name: string): Sections {
    return new LoadedSections(this.content, `${this.prefix}${name}/`);
  }

  number(name: string): number {
    const value = this.take(this.content.numbers, name);
    requireSound(!Number.isNaN(value), `its number ${this.prefix}${name} is NaN`);
    return value;
  }

  int32(name: string): Int32Array<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = this.take(this.content.arrays, name, 'int32 ');
    return new Int32Array(buffer, byteOffset, byteLength / 4);
  }

  float64(name: string): Float64Array<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = this.take(this.content.arrays, name, 'float64 ');
    return new Float64Array(buffer, byteOffset, byteLength / 8);
  }

  uint8(name: string): Uint8Array<ArrayBuffer> {
    return this.take(this.content.arrays, name, 'uint8 ');
  }

  plain<T>(name: string): T {
    return this.take(this.content.plain, name) as T; // as it was written, under the part's version
  }

  private take<V>(held: Map<string, V>, name: string, kind = ''): V {
    const key = `${kind}${this.prefix}${name}`;
    const value = held.get(key);
    requireSound(value !== undefined, `it has no section ${key}`);
    held.delete(key);
    return value;
  }
}
