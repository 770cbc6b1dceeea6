// Part a: nanoseconds per op of the book core and of the whole apply, beside the peer, on the same op file. Each round runs
// every engine once, one after another, each in its own process; ratios are taken within a round, so a machine that is slow
// for a minute slows both sides. A checksum gate compares fills, volume, notional and resting orders of every run with the
// generator's model. Called by main.ts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildAnswer, ChildRequest, EngineName } from './engines/child.ts';
import { askTwin, buildTwin } from './engines/twin.ts';
import { askNode } from './lib/askNode.ts';
import { type Spread, spread } from './lib/statistics.ts';
import { figure, floorText, type Report, spreadText, table } from './lib/table.ts';
import { type Mix, makeOpFile, mixes, type OpFile, totalsFault } from './opFile.ts';

const childPath = join(import.meta.dirname, 'engines/child.ts');
const PEER: EngineName = 'nodejs-order-book';
const OURS = [
  'book core',
  'book core, 32-byte ids',
  'whole apply',
  'whole apply, events unread',
] as const satisfies readonly EngineName[];
/** The floors of the ratios, by mix and engine. */
const FLOORS: readonly { readonly mix: Mix; readonly engine: EngineName; readonly floor: number }[] = [
  { mix: mixes.mix, engine: 'book core', floor: 110 },
  { mix: mixes.mix999, engine: 'book core', floor: 50 },
  { mix: mixes.small, engine: 'book core', floor: 35 },
  { mix: mixes.mix, engine: 'whole apply', floor: 35 },
  { mix: mixes.mix, engine: 'whole apply, events unread', floor: 35 },
];
const SEED = 20_260;
/** Ops before the clock starts: the compiler is done with the book core by then, with the whole engine only after a million. */
const SETTLE_OPS = 400_000;
/** The peer is some hundred times slower: it runs only the first ops, and ratios are taken over these. */
const PEER_OPS_MAX = 200_000;

interface MatchingOptions {
  readonly rounds: number;
  readonly timedOps: number;
  readonly onProgress: (text: string) => void;
}

/** The book core's algorithm in C++: ours may take TWIN_TIMES_MAX times as long. */
const TWIN = 'book core in C++';
const TWIN_TIMES_MAX = 3.5;
type RunName = EngineName | typeof TWIN;

interface Run {
  readonly engine: RunName;
  /** Nanoseconds per op over the ops that the peer runs too. */
  readonly sharedNs: number;
  /** Nanoseconds per op over all timed ops; undefined for an engine that did not run them all. */
  readonly allNs: number | undefined;
}

/** Runs the three mixes and compares; throws only when a child process fails. */
export async function benchMatching(options: MatchingOptions): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-bench-'));
  const faults: string[] = [];
  const figures: unknown[] = [];
  const rows: string[][] = [];
  const floors: string[] = [];
  try {
    const twin = await buildTwin(folder);
    for (const mix of Object.values(mixes)) {
      const rounds = await benchMix(mix, folder, twin, options, faults);
      const names: readonly RunName[] = [PEER, ...OURS, ...(twin === undefined ? [] : ([TWIN] as const))];
      const perEngine = names.map((engine) => summarize(engine, rounds));
      figures.push({ mix, timedOps: options.timedOps, sharedOps: sharedOps(options), engines: perEngine });
      rows.push(...perEngine.map((summary) => rowOf(mix, summary)));
      for (const { engine, floor } of FLOORS.filter((asked) => asked.mix === mix)) {
        floors.push(floorText(`${engine}, ${mix.name}`, floor, '×', summarize(engine, rounds).ratio, 1));
      }
      if (mix === mixes.mix) {
        floors.push(twin === undefined ? 'No C++ compiler is here, so the book core has no twin.' : twinText(rounds));
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  const title =
    `a. Matching: ns an operation, ${figure(mixes.mix.restingOrders)} orders resting (small: ` +
    `${figure(mixes.small.restingOrders)}), medians of ${options.rounds} rounds (least to greatest)`;
  const first = `first ${figure(sharedOps(options))} ops`;
  const head = ['mix', 'engine', first, `all ${figure(options.timedOps)}`, 'peer / ours, same ops'];
  return { title, lines: [...table(head, rows), ...floors], figures, faults };
}

const sharedOps = (options: MatchingOptions): number => Math.min(options.timedOps, PEER_OPS_MAX);

/** The book core's time over its twin's, on all ops of a round. */
function twinText(rounds: readonly (readonly Run[])[]): string {
  const nsOf = (runs: readonly Run[], name: RunName): number => runs.find(({ engine }) => engine === name)?.allNs ?? 0;
  const times = spread(rounds.map((runs) => nsOf(runs, 'book core') / nsOf(runs, TWIN)));
  const verdict = times.median <= TWIN_TIMES_MAX ? 'within' : 'ABOVE';
  return `book core over its twin in C++: ${spreadText(times, 2)}×, ${verdict} the ${TWIN_TIMES_MAX}× allowed`;
}

async function benchMix(
  mix: Mix,
  folder: string,
  twin: string | undefined,
  options: MatchingOptions,
  faults: string[],
): Promise<Run[][]> {
  const { timedOps, onProgress } = options;
  const shared = sharedOps(options);
  const checkpoints = shared === timedOps ? [shared] : [shared, timedOps];
  onProgress(`${mix.name}: making ${figure(timedOps)} ops`);
  const opFile = makeOpFile({ mix, seed: SEED, settleOps: SETTLE_OPS, timedOps, checkpoints });
  const opFilePath = join(folder, 'ops');
  writeFileSync(opFilePath, opFile.bytes);
  const rounds: Run[][] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const runs: Run[] = [];
    for (const engine of [PEER, ...OURS]) {
      onProgress(`${mix.name}: round ${round + 1} of ${options.rounds}, ${engine}`);
      const request: ChildRequest = {
        engine,
        opFilePath,
        ticks: mix.ticks,
        books: mix.books,
        untimedOps: opFile.prefillOps + opFile.settleOps,
        checkpoints: engine === PEER ? [shared] : checkpoints,
      };
      // askNode parses what the child printed, which is one entry a checkpoint.
      const answers = (await askNode(childPath, request)) as readonly ChildAnswer[];
      runs.push(toRun(engine, answers, timedOps));
      faults.push(...faultsOf(mix, engine, answers, opFile));
    }
    if (twin !== undefined) {
      const untimedOps = opFile.prefillOps + opFile.settleOps;
      const answers = await askTwin(twin, { opFilePath, ticks: mix.ticks, books: mix.books, untimedOps, checkpoints });
      runs.push(toRun(TWIN, answers, timedOps));
      faults.push(...faultsOf(mix, TWIN, answers, opFile));
    }
    rounds.push(runs);
  }
  return rounds;
}

/** The run of an engine that stopped the clock at these answers' counts of ops, where `timedOps` were to be timed in all. */
export function toRun(engine: RunName, answers: readonly ChildAnswer[], timedOps: number): Run {
  const [first] = answers;
  const all = answers.find((answer) => answer.timedOps === timedOps);
  return { engine, sharedNs: first.nanoseconds / first.timedOps, allNs: all && all.nanoseconds / timedOps };
}

function faultsOf(mix: Mix, engine: RunName, answers: readonly ChildAnswer[], opFile: OpFile): string[] {
  return answers.flatMap(({ timedOps, totals }) => {
    const expected = opFile.expected.find((entry) => entry.timedOps === timedOps);
    if (expected === undefined) return [`${mix.name}: nothing is known about ${timedOps} timed ops.`];
    const fault = totalsFault(engine, timedOps, totals, expected.totals);
    return fault === undefined ? [] : [`${mix.name}: ${fault}`];
  });
}

interface Summary {
  readonly engine: RunName;
  readonly sharedNs: Spread;
  readonly allNs: Spread | undefined;
  /** The peer's time over ours, on the same ops of the same round. */
  readonly ratio: Spread;
}

export function summarize(engine: RunName, rounds: readonly (readonly Run[])[]): Summary {
  const runOf = (runs: readonly Run[], name: RunName): Run => {
    const found = runs.find((one) => one.engine === name);
    if (found === undefined) throw new Error(`A round without ${name}.`);
    return found;
  };
  const all = rounds.flatMap((runs) => runOf(runs, engine).allNs ?? []);
  return {
    engine,
    sharedNs: spread(rounds.map((runs) => runOf(runs, engine).sharedNs)),
    allNs: all.length > 0 ? spread(all) : undefined,
    ratio: spread(rounds.map((runs) => runOf(runs, PEER).sharedNs / runOf(runs, engine).sharedNs)),
  };
}

/** The cells of an engine: its time for the ops that the peer runs too, its time for all, and the peer's over its own. */
export function rowOf(mix: Mix, { engine, sharedNs, allNs, ratio }: Summary): string[] {
  const all = allNs === undefined ? '' : figure(allNs.median);
  const times = engine === PEER ? '' : `${spreadText(ratio, 1)}×`;
  return [`${mix.name}, ${mix.ticks} ticks`, engine, spreadText(sharedNs), all, times];
}
