// The command `import FILE`: loads a catalog of JSON lines into an exchange, one that runs (--url) or one that does not
// (--data-dir). It hands the lines over in pieces while it reads the file; every bad line is named, and then nothing is
// imported. Called by cli.ts alone; it writes to the terminal.
import { createReadStream, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { reasonOf } from '../../engine/index.ts';
import { nestingDepth } from '../http/body.ts';
import { counted, figure, isOrAre } from '../lib/counted.ts';
import { fatal } from '../process/fatal.ts';
import { showProgress } from '../process/progress.ts';

/** Bytes of one piece: small enough that the exchange goes on trading between two of them. */
const PIECE_BYTES_MAX = 200_000;
const PIECE_LINES_MAX = 1_000;
/** Bytes of one line: more than all texts of an event or market may have together, and half of what a request may carry. */
const LINE_BYTES_MAX = 524_288;
/** Arrays and objects in one another, in a line: half of what a request may have. */
const LINE_DEPTH_MAX = 16;
/** Bad lines that are printed; the others are counted. */
const BAD_LINES_SHOWN = 100;
/** So many of them are kept until the first are picked. */
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
  /** Takes lines; resolves with those that are not right. */
  readonly take: (lines: readonly NumberedLine[]) => Promise<readonly BadLine[]>;
  readonly commit: () => Promise<{ readonly events: number; readonly markets: number }>;
  readonly drop: () => Promise<void>;
}

/** A line as it lies in the file. Of one that is longer than lines may be, the text is not kept. */
interface Line {
  readonly text: string;
  readonly bytes: number;
}

/** Some lines in a row of a plain or gzipped file, and how many of its bytes (compressed ones) have been read. */
interface ReadLines {
  readonly lines: readonly Line[];
  readonly bytesRead: number;
}

const READ_BYTES = 1_048_576;

/** All lines of a file. @throws FatalError where it cannot be read */
async function* linesOf(file: string): AsyncGenerator<ReadLines> {
  const source = createReadStream(file, { highWaterMark: READ_BYTES });
  const input = file.endsWith('.gz') ? source.pipe(createGunzip({ chunkSize: READ_BYTES })) : source;
  source.on('error', (error) => input.destroy(error));
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let droppedBytes = 0; // of the line whose end is still to come
  const lineOf = (text: string): Line => {
    const line = { text, bytes: droppedBytes + Buffer.byteLength(text) };
    droppedBytes = 0;
    return line;
  };
  try {
    for await (const bytes of input) {
      const texts = (rest + decoder.write(bytes)).split('\n');
      rest = texts.pop() ?? '';
      const lines = texts.map(lineOf);
      if (rest.length > LINE_BYTES_MAX) {
        droppedBytes += Buffer.byteLength(rest);
        rest = '';
      }
      yield { lines, bytesRead: source.bytesRead };
    }
  } catch (error) {
    fatal('usage', `The file ${file} cannot be read: ${reasonOf(error)}.`);
  }
  rest += decoder.end();
  if (rest !== '' || droppedBytes > 0) yield { lines: [lineOf(rest)], bytesRead: source.bytesRead };
}

const kilobytes = (bytes: number): number => Math.ceil(bytes / 1_000);

/** Bytes of a file, for the bar; 0 where the system does not say: whoever reads it then says why not. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** Hands all lines over; resolves with their number and the bad ones. Empty lines are passed over. */
async function handOver(file: string, target: ImportTarget) {
  const total = kilobytes(sizeOf(file));
  const progress = showProgress(process.stderr, 'Reading the file', 'kB');
  const bad = new BadLines();
  let piece: NumberedLine[] = [];
  let pieceBytes = 0;
  let line = 0;
  const flush = async (): Promise<void> => {
    if (piece.length > 0) for (const { line, error } of await target.take(piece)) bad.add(line, error);
    piece = [];
    pieceBytes = 0;
  };
  for await (const { lines, bytesRead } of linesOf(file)) {
    for (const { text, bytes } of lines) {
      line += 1;
      const row = parseLine(line === 1 ? text.replace(/^\ufeff/, '') : text, bytes, line, bad);
      if (row === undefined) continue;
      if (pieceBytes + bytes > PIECE_BYTES_MAX || piece.length >= PIECE_LINES_MAX) await flush();
      piece.push({ line, row });
      pieceBytes += bytes;
    }
    progress.update(kilobytes(bytesRead), total);
  }
  await flush();
  progress.stop();
  return { lineCount: line, bad };
}

/** The JSON of a line; undefined for an empty line, and for one that is none or too long, which is then noted. */
function parseLine(text: string, bytes: number, line: number, bad: BadLines): unknown {
  if (bytes > LINE_BYTES_MAX) {
    bad.add(line, `it has ${bytes} bytes, and a line may have at most ${LINE_BYTES_MAX}`);
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
  bad.add(line, `it nests arrays and objects deeper than ${LINE_DEPTH_MAX} levels, which is the limit`);
  return undefined;
}

/** The bad lines of a file: the first of them, and how many there are. */
class BadLines {
  count = 0;
  private kept: BadLine[] = [];

  /** They come nearly in order: what is wrong with a line's fields is told a piece later than that it is no JSON. */
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
 * Imports a file. Whatever keeps it from being imported whole, the target forgets what it was given.
 * @returns what was made
 * @throws FatalError naming the bad lines, or what keeps the file from being read
 */
export async function importFile(file: string, target: ImportTarget) {
  try {
    return await importLines(file, target);
  } catch (error) {
    // The target may be what failed: then it cannot be told to forget either, and what failed first is what matters.
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
    // What a line holds may be anything, and a terminal obeys control characters.
    const lines = shown.map(({ line, error }) => `${file}:${line}: ${error.replaceAll(/\p{Cc}/gu, '?')}`).join('\n');
    const counts = `${figure(bad.count)} of ${counted(lineCount, 'line')} ${isOrAre(bad.count)} not right`;
    fatal('usage', `${lines}${rest}\n${counts}; nothing was imported.`);
  }
  return target.commit();
}
