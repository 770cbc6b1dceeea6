// The command `import FILE`: loads a catalog of JSON lines into a running exchange (--url) or a stopped one (--data-dir).
// It passes the lines on in chunks while it reads the file; every bad line is reported, and then nothing is imported.
// Called by cli.ts alone; it writes to the terminal.
import { isUtf8 } from 'node:buffer';
import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { reasonOf } from '../../engine/index.ts';
import { nestingDepth } from '../http/body.ts';
import { counted, figure, isOrAre } from '../lib/counted.ts';
import { fatal } from '../process/fatal.ts';
import { showProgress } from '../process/progress.ts';

/** Most bytes of one chunk: small enough that the exchange keeps trading between two of them. */
const CHUNK_BYTES_MAX = 200_000;
const CHUNK_LINES_MAX = 1_000;
/** Most bytes of one line: more than all texts of an event or market together, and half of what a request may carry. */
const LINE_BYTES_MAX = 524_288;
/** Deepest nesting of arrays and objects in a line: half of what a request may have. */
const LINE_DEPTH_MAX = 16;
/** Bad lines that are printed; the others are counted. */
const BAD_LINES_SHOWN = 100;
/** Bad lines stored before they are reduced to the first ones. */
const BAD_LINES_KEPT = 10_000;

/** A line of the file, from 1, as JSON. */
interface NumberedLine {
  readonly line: number;
  readonly row: unknown;
}

export interface BadLine {
  readonly line: number;
  readonly error: string;
}

/** Where an import goes. */
export interface ImportTarget {
  /** Accepts lines; resolves with the bad ones. */
  readonly take: (lines: readonly NumberedLine[]) => Promise<readonly BadLine[]>;
  readonly commit: () => Promise<{ readonly events: number; readonly markets: number }>;
  readonly drop: () => Promise<void>;
}

/** A line as it is in the file. The text of an overlong line is not kept; undefined: it is not UTF-8. */
interface Line {
  readonly text: string | undefined;
  readonly bytes: number;
}

/** Consecutive lines of a plain or gzipped file, and the number of its (compressed) bytes read so far. */
interface ReadLines {
  readonly lines: readonly Line[];
  readonly bytesRead: number;
}

const READ_BYTES = 1_048_576;
const NEW_LINE = 0x0a;
const NOTHING = Buffer.alloc(0);

/** All lines of a file. @throws FatalError if it cannot be read */
async function* linesOf(file: string): AsyncGenerator<ReadLines> {
  const source = createReadStream(file, { highWaterMark: READ_BYTES });
  const input = file.endsWith('.gz') ? source.pipe(createGunzip({ chunkSize: READ_BYTES })) : source;
  source.on('error', (error) => input.destroy(error));
  let rest = NOTHING;
  let droppedBytes = 0; // of the current, still incomplete line
  const lineOf = (bytes: Buffer): Line => {
    const line = { text: isUtf8(bytes) ? bytes.toString() : undefined, bytes: droppedBytes + bytes.length };
    droppedBytes = 0;
    return line;
  };
  try {
    for await (const read of input) {
      const bytes = Buffer.concat([rest, read]);
      const lines: Line[] = [];
      let from = 0;
      for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, from)) {
        lines.push(lineOf(bytes.subarray(from, end)));
        from = end + 1;
      }
      rest = bytes.subarray(from);
      if (rest.length > LINE_BYTES_MAX) {
        droppedBytes += rest.length;
        rest = NOTHING;
      }
      yield { lines, bytesRead: source.bytesRead };
    }
  } catch (error) {
    fatal('usage', `The file ${file} cannot be read: ${reasonOf(error)}.`);
  }
  if (rest.length > 0 || droppedBytes > 0) yield { lines: [lineOf(rest)], bytesRead: source.bytesRead };
}

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1_000);

/** Size of a file in bytes, for the progress bar; 0 if it cannot be determined: reading the file will then report why. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** Passes all lines to the target; resolves with their number and the bad ones. Empty lines are skipped. */
async function handOver(file: string, target: ImportTarget) {
  const total = kilobytes(sizeOf(file));
  const progress = showProgress(process.stderr, 'Reading the file', 'kB');
  const bad = new BadLines();
  let chunk: NumberedLine[] = [];
  let chunkBytes = 0;
  let line = 0;
  const flush = async (): Promise<void> => {
    if (chunk.length > 0) for (const { line, error } of await target.take(chunk)) bad.add(line, error);
    chunk = [];
    chunkBytes = 0;
  };
  try {
    for await (const { lines, bytesRead } of linesOf(file)) {
      for (const { text, bytes } of lines) {
        line += 1;
        const row = parseLine(line === 1 ? text?.replace(/^\ufeff/, '') : text, bytes, line, bad);
        if (row === undefined) continue;
        if (chunkBytes + bytes > CHUNK_BYTES_MAX || chunk.length >= CHUNK_LINES_MAX) await flush();
        chunk.push({ line, row });
        chunkBytes += bytes;
      }
      progress.update(kilobytes(bytesRead), total);
    }
    await flush();
  } finally {
    progress.stop(); // a message about a failure must not follow the bar on its line
  }
  return { lineCount: line, bad };
}

/** The JSON of a line; undefined for an empty line, and for a malformed or overlong one, which is recorded as bad. */
function parseLine(text: string | undefined, bytes: number, line: number, bad: BadLines): unknown {
  if (bytes > LINE_BYTES_MAX) {
    bad.add(line, `it has ${bytes} bytes; a line may have at most ${LINE_BYTES_MAX}`);
    return undefined;
  }
  if (text === undefined) {
    bad.add(line, 'it is not UTF-8 text');
    return undefined;
  }
  if (text.trim() === '') return undefined;
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch (error) {
    bad.add(line, `it is not JSON: ${reasonOf(error)}`);
    return undefined;
  }
  if (nestingDepth(Buffer.from(text), LINE_DEPTH_MAX) <= LINE_DEPTH_MAX) return row;
  bad.add(line, `it nests arrays and objects deeper than the limit of ${LINE_DEPTH_MAX} levels`);
  return undefined;
}

/** The bad lines of a file: the first ones, and their total number. */
class BadLines {
  count = 0;
  private kept: BadLine[] = [];

  /** Lines arrive nearly in order: errors in fields are reported one chunk later than malformed JSON. */
  add(line: number, error: string): void {
    this.count += 1;
    this.kept.push({ line, error });
    if (this.kept.length > BAD_LINES_KEPT) this.kept = this.first();
  }

  first(): BadLine[] {
    return this.kept.toSorted((left, right) => left.line - right.line).slice(0, BAD_LINES_SHOWN);
  }
}

/**
 * Imports a file. If it cannot be imported as a whole, the target drops what it was given.
 * @returns the number of events and markets created
 * @throws FatalError naming the bad lines, or the reason why the file cannot be read
 */
export async function importFile(file: string, target: ImportTarget) {
  try {
    return await importLines(file, target);
  } catch (error) {
    // The target itself may have failed and be unable to drop the import; the first error is the one to report.
    await target.drop().catch(() => undefined);
    throw error;
  }
}

async function importLines(file: string, target: ImportTarget) {
  const { lineCount, bad } = await handOver(file, target);
  if (lineCount === 0) fatal('usage', `The file ${file} has no lines.`);
  if (bad.count > 0) {
    const shown = bad.first();
    const rest = bad.count > shown.length ? `\n… and ${figure(bad.count - shown.length)} more.` : '';
    // A line may contain anything, and a terminal interprets control characters.
    const lines = shown.map(({ line, error }) => `${file}:${line}: ${error.replaceAll(/\p{Cc}/gu, '?')}`).join('\n');
    const counts = `${figure(bad.count)} of ${counted(lineCount, 'line')} ${isOrAre(bad.count)} invalid`;
    fatal('usage', `${lines}${rest}\n${counts}; nothing was imported.`);
  }
  return target.commit();
}
