// The figure sheet of the core: `npm run bench:core`. What the ratios of `npm run bench` do not show: how time grows with prices
// and resting orders, the slowest op of a thousand, garbage, memory. Each row is one engine in one process on an op file of
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

const rows: readonly Mix[] = [
  mixes.small,
  { ...mixes.mix, name: '10,000 resting', restingOrders: 10_000 },
  mixes.mix,
  mixes.mix999,
  { ...mixes.mix, name: 'mix 9,999', ticks: 9_999, offsetTicksMean: 600 },
  { ...mixes.mix, name: '1,000,000 resting', restingOrders: 1_000_000 },
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
  const request: SheetRequest = { engine, opFilePath, ticks: mix.ticks, untimedOps, timedOps: TIMED_OPS, orders };
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
  const core = sheets.filter(({ engine }) => engine === 'book core');
  const few = core.find(({ mix }) => mix.restingOrders === 10_000)?.sheet;
  const many = core.find(({ mix }) => mix.restingOrders === 1_000_000)?.sheet;
  if (few === undefined || many === undefined) throw new Error('A row of the sheet is missing.');
  const growth = many.meanNs / few.meanNs;
  const chase = many.chaseNs / few.chaseNs;
  say(
    `From 10,000 to 1,000,000 orders time grows ${figure(growth, 1)} times, a chase ${figure(chase, 1)}`,
    growth <= chase,
  );
}

await main();
