// The figure sheet of the core: `npm run bench:core`. What the ratios of `npm run bench` do not show: how time grows with prices,
// resting orders and books, the slowest op of a thousand, garbage, memory. Each row is one engine in one process on an op file of
// its own. It prints a table and says of each bound whether it holds; machines differ, so the exit status never says it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sheet, SheetRequest } from './core/child.ts';
import { askNode } from './lib/askNode.ts';
import { machine } from './lib/statistics.ts';
import { figure, table } from './lib/table.ts';
import { type Mix, makeOpFile, mixes } from './opFile.ts';

const SEED = 20_260;
/** V8 goes on compiling for so long: code that it does not know yet puts numbers on the heap. */
const SETTLE_OPS = 2_000_000;
const TIMED_OPS = Number(process.env.BENCH_CORE_OPS ?? 2_000_000);
const childPath = join(import.meta.dirname, 'core/child.ts');

const MILLION = '1,000,000 resting';
const TEN_THOUSAND = '10,000 resting';
const MANY_BOOKS = '10,000 books';
const rows: readonly Mix[] = [
  mixes.small,
  { ...mixes.mix, name: TEN_THOUSAND, restingOrders: 10_000 },
  mixes.mix,
  mixes.mix999,
  { ...mixes.mix, name: 'mix 9,999', ticks: 9_999, offsetTicksMean: 600 },
  { ...mixes.mix, name: MILLION, restingOrders: 1_000_000 },
  { ...mixes.mix, name: MANY_BOOKS, books: 10_000 },
];

/** Most bytes a resting order takes, and most times the median that the slowest op of a thousand takes. */
const ORDER_BYTES_MAX = 120;
const P999_MEDIANS_MAX = 25;

async function sheetOf(engine: SheetRequest['engine'], mix: Mix, folder: string): Promise<Sheet> {
  const file = makeOpFile({ mix, seed: SEED, settleOps: SETTLE_OPS, timedOps: TIMED_OPS, checkpoints: [TIMED_OPS] });
  const opFilePath = join(folder, 'ops');
  writeFileSync(opFilePath, file.bytes);
  const untimedOps = file.prefillOps + file.settleOps;
  const orders = mix.restingOrders;
  const { ticks, books } = mix;
  const request: SheetRequest = { engine, opFilePath, ticks, books, untimedOps, timedOps: TIMED_OPS, orders };
  // askNode parses what the child printed, which is one sheet.
  return (await askNode(childPath, request)) as Sheet;
}

function say(sentence: string, holds: boolean): void {
  console.log(`${sentence}: ${holds ? 'holds' : 'does not hold'}.`);
}

async function main(): Promise<void> {
  const where = machine();
  console.log(`${where.cpuModel}, ${where.cores} cores, Node ${where.node}, ${where.date}`);
  const folder = mkdtempSync(join(tmpdir(), 'outcry-bench-core-'));
  const sheets: { readonly engine: string; readonly mix: Mix; readonly sheet: Sheet }[] = [];
  try {
    for (const mix of rows) {
      for (const engine of ['book core', 'whole apply'] as const) {
        // To give a thousand wallets shares in that many markets takes longer than everything else.
        if (engine === 'whole apply' && mix.name === MANY_BOOKS) continue;
        sheets.push({ engine, mix, sheet: await sheetOf(engine, mix, folder) });
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const head = ['mix', 'engine', 'ns an op', 'p50', 'p99.9', 'collections', 'bytes an order', 'chase, ns a step'];
  const cells = sheets.map(({ engine, mix, sheet }) => [
    `${mix.name}, ${mix.ticks} ticks`,
    engine,
    ...[sheet.meanNs, sheet.medianNs, sheet.p999Ns, sheet.collections, sheet.bytesAnOrder].map((value) =>
      figure(value),
    ),
    figure(sheet.chaseNs, 1),
  ]);
  console.log(table(head, cells).join('\n'));
  const most = (of: (sheet: Sheet) => number): number => Math.max(...sheets.map(({ sheet }) => of(sheet)));
  const collections = most((sheet) => sheet.collections);
  say(`At most ${collections} collections of garbage in ${figure(TIMED_OPS)} ops, bound 0`, collections === 0);
  const bytes = most((sheet) => sheet.bytesAnOrder);
  say(`At most ${figure(bytes, 1)} bytes a resting order, bound ${ORDER_BYTES_MAX}`, bytes <= ORDER_BYTES_MAX);
  const medians = most((sheet) => sheet.p999Ns / sheet.medianNs);
  say(`p99.9 is at most ${figure(medians, 1)} medians, bound ${P999_MEDIANS_MAX}`, medians <= P999_MEDIANS_MAX);
  const sheetNamed = (name: string): Sheet => {
    const found = sheets.find(({ engine, mix }) => engine === 'book core' && mix.name === name);
    if (found === undefined) throw new Error(`The row ${name} of the sheet is missing.`);
    return found.sheet;
  };
  const sayGrowth = (words: string, few: Sheet, many: Sheet): void => {
    const [growth, chase] = [many.meanNs / few.meanNs, many.chaseNs / few.chaseNs];
    say(`From ${words} time grows ${figure(growth, 1)} times, a chase ${figure(chase, 1)}`, growth <= chase);
  };
  sayGrowth('10,000 to 1,000,000 orders', sheetNamed(TEN_THOUSAND), sheetNamed(MILLION));
  sayGrowth('100 to 10,000 books', sheetNamed(mixes.mix.name), sheetNamed(MANY_BOOKS));
}

await main();
