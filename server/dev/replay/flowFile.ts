// Reads a recorded flow: a CSV file (plain or .gz) of level changes and trade prints, and the token ids in a JSON file
// beside it. Called once, before the replay starts. It must never repair a line: an unreadable one is reported by its
// number.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { codeOf, MICRO_PER_LOT } from '../../../engine/index.ts';
import { counted } from '../../lib/counted.ts';
import { fatal } from '../../process/fatal.ts';

/** A side of a book in the first token's terms: B bids, A asks. */
export type BookSide = 'B' | 'A';

/** A row that changed one level: + added to it, - took from it, X was implied by the reported best price. */
export interface LevelRow {
  readonly op: '+' | '-' | 'X';
  /** Time stated by the recorded venue, ms since the epoch. */
  readonly tMs: number;
  /** Number of the market in the file, from 0. */
  readonly market: number;
  readonly side: BookSide;
  /** In the first token's terms. */
  readonly pricePips: number;
  /** The level's total size after the row, rounded down to lots; 0 if the level is gone. */
  readonly levelLots: number;
}

/** A trade print: a taker bought (side B) or sold (side A) the first token, or did the equivalent in the second. */
export interface PrintRow {
  readonly op: 'T';
  readonly tMs: number;
  readonly market: number;
  /** The taker's side in the first token's terms: B bought, A sold. */
  readonly side: BookSide;
  readonly pricePips: number;
  /** Size printed, rounded down to lots. */
  readonly sizeLots: number;
}

export type FlowRow = LevelRow | PrintRow;

/** A whole recording. */
export interface Flow {
  readonly rows: readonly FlowRow[];
  /** The two token ids (decimal) of each market, by the market's number. */
  readonly tokens: readonly (readonly [string, string])[];
}

export const FLOW_HEADER = 'ts_ms,market,op,side,price_milli,amount_micro,level_after_micro_or_outcome';

const PIPS_PER_MILLI = 10;
const PRICE_MILLI_MAX = 999;
const LINE = /^(\d{1,16}),(\d{1,4}),([-+XT]),([BA]),(\d{1,3}),(\d{1,16}),(\d{1,16})$/;

/** One line of the file as a row. @throws FatalError (usage) that names the line by its number (from 1) */
export function parseFlowLine(line: string, lineNumber: number): FlowRow {
  const match = LINE.exec(line);
  if (match === null) fatal('usage', `Line ${lineNumber} of the flow is not "${FLOW_HEADER}": ${line.slice(0, 120)}.`);
  const [, tMs, market, op, side, priceMilli, amountMicro, last] = match;
  const price = Number(priceMilli);
  if (price < 1 || price > PRICE_MILLI_MAX) {
    fatal('usage', `Line ${lineNumber} of the flow has the price ${price}; it must lie from 1 to ${PRICE_MILLI_MAX}.`);
  }
  const common = {
    tMs: Number(tMs),
    market: Number(market),
    side: side === 'B' ? ('B' as const) : ('A' as const),
    pricePips: price * PIPS_PER_MILLI,
  };
  if (op === 'T') return { op, ...common, sizeLots: Math.floor(Number(amountMicro) / MICRO_PER_LOT) };
  const levelLots = Math.floor(Number(last) / MICRO_PER_LOT);
  return { op: op === '+' || op === '-' ? op : 'X', ...common, levelLots };
}

/** The rows of a flow's text, after checking its header line. @throws FatalError (usage) for the first bad line */
export function parseFlow(text: string): FlowRow[] {
  const lines = text.split('\n');
  if (lines[0].trimEnd() !== FLOW_HEADER) fatal('usage', `The first line of a flow is "${FLOW_HEADER}".`);
  const rows: FlowRow[] = [];
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index].trimEnd();
    if (line !== '') rows.push(parseFlowLine(line, index + 1));
  }
  return rows;
}

const tokenId = z.string().regex(/^\d{1,78}$/, 'must be the decimal digits of a token id');
const tokensSchema = z.array(z.object({ market: z.int().min(0), tokens: z.tuple([tokenId, tokenId]) })).min(1);

/** The token ids by market number. @throws FatalError (usage) that says what is wrong */
function parseTokens(text: string, path: string): (readonly [string, string])[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    fatal('usage', `The token file ${path} is not JSON.`);
  }
  const result = tokensSchema.safeParse(content);
  if (!result.success) {
    const [issue] = result.error.issues;
    fatal('usage', `The token file ${path} is not usable: ${issue.path.join('.')} ${issue.message}.`);
  }
  const markets = [...result.data].sort((left, right) => left.market - right.market);
  if (markets.some(({ market }, index) => market !== index)) {
    fatal('usage', `The token file ${path} must number its markets from 0 without a gap.`);
  }
  return markets.map(({ tokens }) => tokens);
}

/** The path of a flow's token ids: flow_X.csv(.gz) has them in tokens_X.json in the same folder. */
export function tokensPathOf(flowPath: string): string {
  const name = basename(flowPath)
    .replace(/\.gz$/, '')
    .replace(/\.csv$/, '')
    .replace(/^flow/, 'tokens');
  return join(dirname(flowPath), `${name}.json`);
}

function readBytes(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = codeOf(error);
    fatal('usage', `${what} ${path} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}.`);
  }
}

function readText(path: string, what: string): string {
  const bytes = readBytes(path, what);
  try {
    return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  } catch {
    fatal('usage', `${what} ${path} is not a whole gzip file.`);
  }
}

/**
 * Reads a recording and the token ids beside it.
 * @param rowsMax the number of leading rows to return
 * @throws FatalError (usage) if a file is missing or a line cannot be read
 */
export function readFlow(path: string, rowsMax = Number.POSITIVE_INFINITY): Flow {
  const rows = parseFlow(readText(path, 'The flow'));
  if (rows.length === 0) fatal('usage', `The flow ${path} has no rows.`);
  const tokensPath = tokensPathOf(path);
  const tokens = parseTokens(readText(tokensPath, 'The token file of the flow,'), tokensPath);
  const unknown = rows.find(({ market }) => market >= tokens.length);
  if (unknown !== undefined) {
    fatal(
      'usage',
      `The flow has a market ${unknown.market}; ${tokensPath} has ${counted(tokens.length, 'market')}, numbered from 0.`,
    );
  }
  return { rows: rows.slice(0, rowsMax), tokens };
}
