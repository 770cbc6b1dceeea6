// The command `import FILE`: loads a catalog of JSON lines into an exchange, one that runs (--url) or one that does not
// (--data-dir). It reads the file twice, first to count and name lines that are no JSON, then to hand them over in pieces;
// every bad line is named, and then nothing is imported. Called by cli.ts alone; it writes to the terminal.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { fatal } from '../fatal.ts';
import { showProgress } from '../progress.ts';

/** Bytes of one piece: small enough that the exchange goes on trading between two of them. */
const PIECE_BYTES_MAX = 200_000;
const PIECE_LINES_MAX = 1_000;
/** Bad lines that are printed; the others are counted. */
const BAD_LINES_SHOWN = 100;

/** A line of the file, from 1, as JSON. */
export interface NumberedLine {
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

/** The lines of a plain or gzipped file. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  const input = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  bytes.on('error', (error) => input.destroy(error));
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) yield line;
}

async function countLines(file: string): Promise<number> {
  let count = 0;
  for await (const _ of linesOf(file)) count += 1;
  return count;
}

/** Hands all lines over; resolves with the bad ones. Empty lines are passed over. */
async function handOver(file: string, target: ImportTarget, total: number): Promise<readonly BadLine[]> {
  const progress = showProgress(process.stderr, 'Reading the file', 'lines');
  const bad: BadLine[] = [];
  let piece: NumberedLine[] = [];
  let pieceBytes = 0;
  let line = 0;
  const flush = async (): Promise<void> => {
    if (piece.length > 0) bad.push(...(await target.take(piece)));
    progress.update(line, total);
    piece = [];
    pieceBytes = 0;
  };
  for await (const text of linesOf(file)) {
    line += 1;
    const row = parseLine(text, line, bad);
    if (row !== undefined) piece.push({ line, row });
    pieceBytes += text.length;
    if (pieceBytes >= PIECE_BYTES_MAX || piece.length >= PIECE_LINES_MAX) await flush();
  }
  await flush();
  progress.stop();
  return bad;
}

/** The JSON of a line; undefined for an empty line and for one that is none, which is then noted. */
function parseLine(text: string, line: number, bad: BadLine[]): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    bad.push({ line, error: `it is not JSON: ${error instanceof Error ? error.message : String(error)}` });
    return undefined;
  }
}

/**
 * Imports a file.
 * @returns what was made
 * @throws FatalError naming the bad lines, or what keeps the file from being read
 */
export async function importFile(file: string, target: ImportTarget) {
  let total = 0;
  try {
    total = await countLines(file);
  } catch (error) {
    fatal('usage', `The file ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const bad = await handOver(file, target, total);
  if (bad.length > 0) {
    await target.drop();
    const shown = bad.toSorted((left, right) => left.line - right.line).slice(0, BAD_LINES_SHOWN);
    const rest = bad.length > shown.length ? `\n… and ${bad.length - shown.length} more.` : '';
    const lines = shown.map(({ line, error }) => `${file}:${line}: ${error}`).join('\n');
    fatal('usage', `${lines}${rest}\n${bad.length} of ${total} lines are not right; nothing was imported.`);
  }
  return target.commit();
}
