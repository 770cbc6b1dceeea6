// The figure sheet of the core, run by `npm run bench:core`: what the ratios of `npm run bench` do not show, namely how
// time grows with prices, resting orders and books, the slowest op of a thousand, garbage and memory. Each row is one
// engine on its own op file, in a process of its own for each round; all rows take turns in every round. It prints medians
// with their spread and says for each bound whether it holds. The exit status is 1 only when an engine's results are wrong:
// machines differ, so it does not depend on bounds.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Sheet, SheetRequest } from './core/child.ts';
import { SINGLE_OPS, SINGLE_WARM_UP_OPS } from './core/timeOps.ts';
import { collectionsText, resultFaults, verdictText } from './core/verdicts.ts';
import { askNode } from './lib/askNode.ts';
import { optionsOrUsage, wholeNumber } from './lib/options.ts';
import { machine, machineText, median, percentile, type Spread, spread } from './lib/statistics.ts';
import { figure, spreadText, table } from './lib/table.ts';
import type { Totals } from './lib/totals.ts';
import { type Mix, makeOpFile, mixes } from './opFile.ts';

const USAGE = `npm run bench:core -- [options]
  --rounds N   rounds in which all rows take turns, default 5
  --ops N      ops timed in a row, default 2000000`;

function readOptions() {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '5' }, ops: { type: 'string', default: '2000000' } },
  });
  return { rounds: wholeNumber('rounds', values.rounds), ops: wholeNumber('ops', values.ops) };
}

const options = optionsOrUsage(readOptions, USAGE) ?? process.exit(2);
const SEED = 20_260;
/** V8 keeps compiling for this many ops, and code that it has not compiled yet allocates numbers on the heap. */
const SETTLE_OPS = 2_000_000;
/** Ops timed in a row. Those timed one by one come after them. */
const TIMED_OPS = options.ops;
/** All ops after the untimed ones. */
const LATER_OPS = TIMED_OPS + SINGLE_WARM_UP_OPS + SINGLE_OPS;
const childPath = join(import.meta.dirname, 'core/child.ts');

const MILLION = '1,000,000 resting';
const TEN_THOUSAND = '10,000 resting';
const MANY_BOOKS = '10,000 books';
/** As thin as those of MANY_BOOKS, ten orders a book on average, so these two rows differ only in the number of books. */
const FEW_THIN_BOOKS = '100 books of 10 orders';
const mixesOfRows: readonly Mix[] = [
  mixes.small,
  { ...mixes.mix, name: TEN_THOUSAND, restingOrders: 10_000 },
  mixes.mix,
  mixes.mix999,
  { ...mixes.mix, name: 'mix 9,999', ticks: 9_999, offsetTicksMean: 600 },
  { ...mixes.mix, name: MILLION, restingOrders: 1_000_000 },
  { ...mixes.mix, name: MANY_BOOKS, books: 10_000 },
  { ...mixes.mix, name: FEW_THIN_BOOKS, restingOrders: 1_000 },
];

/** Bounds: bytes a resting order, and the slowest op of a thousand as a multiple of the median. */
const ORDER_BYTES_MAX = 120;
const P999_MEDIANS_MAX = 25;

/** A mix's request for a child, without the engine, and what every engine must have reached after all ops. */
interface Task {
  readonly request: Omit<SheetRequest, 'engine' | 'singlesPath'>;
  readonly expected: Totals;
}

/** One row of the table: an engine on a mix, with one sheet a round. */
interface Row extends Task {
  readonly mix: Mix;
  readonly engine: SheetRequest['engine'];
  readonly sheets: Sheet[];
  /** Times of single ops, one array a round. */
  readonly singles: Float64Array[];
}

/** Writes a mix's op file. */
function taskOf(mix: Mix, opFilePath: string): Task {
  const file = makeOpFile({ mix, seed: SEED, settleOps: SETTLE_OPS, timedOps: LATER_OPS, checkpoints: [LATER_OPS] });
  writeFileSync(opFilePath, file.bytes);
  const { ticks, books, restingOrders: orders } = mix;
  const untimedOps = file.prefillOps + file.settleOps;
  return {
    request: { opFilePath, ticks, books, orders, untimedOps, timedOps: TIMED_OPS },
    expected: file.expected[0].totals,
  };
}

async function measure(folder: string): Promise<readonly Row[]> {
  const singlesPath = join(folder, 'singles');
  const rows: Row[] = [];
  for (const [index, mix] of mixesOfRows.entries()) {
    const task = taskOf(mix, join(folder, `ops ${index}`));
    rows.push({ mix, engine: 'book core', ...task, sheets: [], singles: [] });
    // Giving a thousand wallets shares in that many markets takes longer than everything else.
    if (mix.name !== MANY_BOOKS) rows.push({ mix, engine: 'whole apply', ...task, sheets: [], singles: [] });
  }
  for (let round = 0; round < options.rounds; round += 1) {
    for (const { engine, request: task, sheets, singles } of rows) {
      const request: SheetRequest = { engine, singlesPath, ...task };
      // askNode parses what the child printed, which is one Sheet.
      sheets.push((await askNode(childPath, request)) as Sheet);
      singles.push(new Float64Array(new Uint8Array(readFileSync(singlesPath)).buffer));
    }
  }
  return rows;
}

/**
 * The median over the rounds of each op's time, ns, sorted ascending. The clock also runs while the machine does something
 * else (a timer, another guest). Every round runs the same ops, so an op's own cost recurs in each round, whereas an
 * interruption hits a different op each time.
 */
function opMedians({ singles }: Row): Float64Array {
  return singles[0].map((_, op) => median(singles.map((times) => times[op]))).sort();
}

const spreadOf = ({ sheets }: Row, figureOf: (sheet: Sheet) => number): Spread => spread(sheets.map(figureOf));

/**
 * p99.9 over the median of single ops, and the same for counting
 * loops of that duration, which shows what the machine adds to both.
 */
const slownessOf = (row: Row): { readonly medians: number; readonly counting: number } => ({
  medians: spreadOf(row, (sheet) => sheet.p999Ns / sheet.medianNs).median,
  counting: spreadOf(row, (sheet) => sheet.countingP999Ns / sheet.countingMedianNs).median,
});

function printVerdict(sentence: string, holds: boolean): void {
  console.log(verdictText(sentence, holds));
}

/**
 * Prints how much longer an op takes in the second row than in the
 * first, beside how much longer a step of a pointer chase takes.
 */
function printGrowth(words: string, few: Row, many: Row): void {
  const timesOf = (figureOf: (sheet: Sheet) => number): Spread =>
    spread(many.sheets.map((sheet, round) => figureOf(sheet) / figureOf(few.sheets[round])));
  const growth = timesOf(({ meanNs }) => meanNs);
  const chase = timesOf(({ chaseNs }) => chaseNs);
  const sentence = `From ${words} time grows ${spreadText(growth, 1)} times, a chase ${spreadText(chase, 1)}`;
  printVerdict(sentence, growth.median <= chase.median);
}

async function main(): Promise<number> {
  const where = machine();
  console.log(machineText(where));
  const folder = mkdtempSync(join(tmpdir(), 'outcry-bench-core-'));
  const rows = await measure(folder).finally(() => rmSync(folder, { recursive: true }));
  const medianTimes = rows.map(opMedians);
  const head = [
    'mix',
    'engine',
    'ns an op',
    'p50',
    'p99.9',
    'p99.9 of medians',
    'p99.9 of counting as long',
    'collections',
    'bytes an order',
    'chase, ns a step',
  ];
  const cells = rows.map((row, index) => [
    `${row.mix.name}, ${row.mix.ticks} ticks`,
    row.engine,
    spreadText(spreadOf(row, ({ meanNs }) => meanNs)),
    spreadText(spreadOf(row, ({ medianNs }) => medianNs)),
    spreadText(spreadOf(row, ({ p999Ns }) => p999Ns)),
    figure(percentile(medianTimes[index], 0.999)),
    spreadText(spreadOf(row, ({ countingP999Ns }) => countingP999Ns)),
    spreadText(spreadOf(row, ({ collections }) => collections)),
    figure(spreadOf(row, ({ bytesAnOrder }) => bytesAnOrder).median),
    spreadText(spreadOf(row, ({ chaseNs }) => chaseNs)),
  ]);
  console.log([`Medians of ${options.rounds} rounds (least to greatest)`, ...table(head, cells)].join('\n'));
  const collections = rows.map(({ sheets }) => sheets.map((sheet) => sheet.collections));
  console.log(collectionsText(collections, TIMED_OPS));
  const bytes = Math.max(...rows.map((row) => spreadOf(row, ({ bytesAnOrder }) => bytesAnOrder).max));
  printVerdict(`At most ${figure(bytes, 1)} bytes a resting order, bound ${ORDER_BYTES_MAX}`, bytes <= ORDER_BYTES_MAX);
  const slowest = rows.map(slownessOf).reduce((worst, next) => (next.medians > worst.medians ? next : worst));
  printVerdict(
    `p99.9 by the clock is at most ${figure(slowest.medians, 1)} medians, bound ${P999_MEDIANS_MAX}, and of counting for as ` +
      `long as these ops take, which touches no memory, ${figure(slowest.counting, 1)}`,
    slowest.medians <= P999_MEDIANS_MAX,
  );
  const own = Math.max(...medianTimes.map((times) => percentile(times, 0.999) / percentile(times, 0.5)));
  printVerdict(
    `p99.9 of ops' medians is at most ${figure(own, 1)} medians, bound ${P999_MEDIANS_MAX}`,
    own <= P999_MEDIANS_MAX,
  );
  const rowNamed = (name: string): Row => {
    const found = rows.find(({ engine, mix }) => engine === 'book core' && mix.name === name);
    if (found === undefined) throw new Error(`The row ${name} of the sheet is missing.`);
    return found;
  };
  printGrowth('10,000 to 1,000,000 orders', rowNamed(TEN_THOUSAND), rowNamed(MILLION));
  printGrowth('100 to 10,000 books with as many orders in all', rowNamed(mixes.mix.name), rowNamed(MANY_BOOKS));
  printGrowth('100 to 10,000 books of 10 orders each', rowNamed(FEW_THIN_BOOKS), rowNamed(MANY_BOOKS));
  const faults = rows.flatMap((row) => resultFaults(row, LATER_OPS, row.expected));
  for (const fault of faults) console.error(fault);
  return faults.length > 0 ? 1 : 0;
}

process.exitCode = await main();
