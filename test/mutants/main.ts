// The command `npm run mutate`: changes the core in one small place after the other and counts how many changes the traces or the
// effort detect. `--sample N` tries that many, drawn by `--seed`; `--every` tries every place instead of one a line, and lists
// the reasons that no survivor needs. A survivor must be an equivalent program, for a reason in survivors.ts that is printed
// with it; one without a reason makes the exit status 1, and so does a reason without a survivor. Run by hand and by
// mutants.test.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Option, program } from 'commander';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { Exchange } from '../../engine/core/index.ts';
import { Random } from '../model/random.ts';
import { flagsOf } from '../support/flags.ts';
import { wholeNumberFrom } from '../support/wholeNumber.ts';
import { differenceFrom, EFFORT } from './killer.ts';
import { coreFiles, type Mutant, mutantsOf, type Operator } from './sites.ts';
import { needlessReasons, reasonOf } from './survivors.ts';
import { readRecording, writeRecording } from './traces.ts';

interface Flags {
  readonly sample?: number;
  readonly seed: number;
  readonly every: boolean;
  readonly file?: string;
  readonly workers: number;
}

const TRACES = { seeds: 16, commands: 800 } as const;
/** A worker is replaced after this many mutants: loaded modules are never unloaded. */
const MUTANTS_A_WORKER = 60;
/** A mutant without an answer for this long (ms) is in an endless loop. */
const MUTANT_TIMEOUT_MS = 60_000;

program
  .name('mutate')
  .option('--sample <N>', 'try only so many', wholeNumberFrom(1))
  .option('--seed <N>', 'which ones a sample draws', wholeNumberFrom(0), 1)
  .option('--every', 'every place of every line', false)
  .addOption(new Option('--file <NAME>', 'only this file of the core').choices(coreFiles))
  .option('--workers <N>', 'processes at once', wholeNumberFrom(1), 2);
const flags: Flags = flagsOf(program);

interface Outcome {
  readonly mutant: Mutant;
  /** What detected it; undefined when it survived. */
  readonly detectedBy: string | undefined;
}

const folder = mkdtempSync(join(tmpdir(), 'outcry-mutants-'));
const traceFile = join(folder, 'traces');

function described({ file, line, operator, from, to, text }: Mutant): string {
  return `${file}:${line} ${operator}: ${from} → ${to}  in  ${text}`;
}

class WorkerProcess {
  private readonly outcomes: Outcome[];
  private child: ChildProcess | undefined;
  private tried = 0;
  private answer: ((detectedBy: string | undefined) => void) | undefined;

  constructor(outcomes: Outcome[]) {
    this.outcomes = outcomes;
  }

  async tryAll(queue: Mutant[]): Promise<void> {
    for (let mutant = queue.pop(); mutant !== undefined; mutant = queue.pop()) {
      const detectedBy = await this.tryOne(mutant);
      this.outcomes.push({ mutant, detectedBy });
      if (detectedBy === undefined) console.log(`survives: ${described(mutant)}`);
      if (this.tried >= MUTANTS_A_WORKER) this.stop();
      if (this.outcomes.length % 100 === 0) console.log(`${this.outcomes.length} tried`);
    }
    this.stop();
  }

  private tryOne(mutant: Mutant): Promise<string | undefined> {
    const child = this.child ?? this.start();
    this.tried += 1;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.stop();
        resolve('it loops endlessly');
      }, MUTANT_TIMEOUT_MS);
      this.answer = (detectedBy) => {
        clearTimeout(timer);
        resolve(detectedBy);
      };
      child.stdin?.write(`${mutant.id}\n`);
    });
  }

  private start(): ChildProcess {
    const script = fileURLToPath(new URL('./worker.ts', import.meta.url));
    // Mutants are stripped where they run, and Node warns of its stripper in each of these processes.
    const args = [
      ...nodeOptions,
      '--disable-warning=ExperimentalWarning',
      script,
      traceFile,
      flags.every ? 'every' : 'one',
    ];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.child = child;
    this.tried = 0;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (this.child !== child) return; // it answers too late
      const { detectedBy }: { readonly detectedBy?: string } = JSON.parse(line);
      this.answer?.(detectedBy);
    });
    child.on('exit', () => {
      if (this.child !== child) return;
      this.child = undefined;
      this.answer?.('its process ended');
    });
    return child;
  }

  stop(): void {
    const { child } = this;
    this.child = undefined;
    child?.kill('SIGKILL');
  }
}

function drawSample(mutants: readonly Mutant[]): Mutant[] {
  const among = flags.file === undefined ? [...mutants] : mutants.filter(({ file }) => file === flags.file);
  // In random order, so that a run stopped early has covered a bit of everything.
  const random = new Random(flags.seed);
  return Array.from({ length: Math.min(flags.sample ?? among.length, among.length) }, () =>
    among.splice(random.int(0, among.length - 1), 1),
  ).flat();
}

function report(outcomes: readonly Outcome[]): number {
  const rows = new Map<Operator, { tried: number; killed: number }>();
  for (const { mutant, detectedBy } of outcomes) {
    const row = rows.get(mutant.operator) ?? { tried: 0, killed: 0 };
    rows.set(mutant.operator, { tried: row.tried + 1, killed: row.killed + (detectedBy === undefined ? 0 : 1) });
  }
  for (const [operator, { tried, killed }] of rows) console.log(`${operator.padEnd(10)} ${killed} of ${tried} killed`);
  const survivors = outcomes.filter(({ detectedBy }) => detectedBy === undefined).map(({ mutant }) => mutant);
  let unexplained = 0;
  for (const mutant of survivors.sort((x, y) => x.id - y.id)) {
    const reason = reasonOf(mutant);
    if (reason === undefined) unexplained += 1;
    console.log(described(mutant));
    console.log(`    ${reason ?? 'SURVIVES WITHOUT A REASON'}`);
  }
  const isWhole = flags.every && flags.sample === undefined && flags.file === undefined;
  const needless = isWhole ? needlessReasons(survivors) : [];
  for (const reason of needless) console.log(`No survivor needs the reason ${reason}`);
  const killed = outcomes.length - survivors.length;
  const equivalent = survivors.length - unexplained;
  const share = ((100 * killed) / Math.max(1, outcomes.length - equivalent)).toFixed(1);
  const byEffort = outcomes.filter(({ detectedBy }) => detectedBy === EFFORT).length;
  console.log(
    `${killed} of ${outcomes.length} mutants killed, ${byEffort} of them only by what they do for time and memory; ` +
      `${equivalent} are equivalent programs: ` +
      `${share} % of the others killed, ${unexplained} survive without a reason.`,
  );
  return unexplained === 0 && needless.length === 0 ? 0 : 1;
}

async function main(): Promise<number> {
  writeRecording(traceFile, TRACES.seeds, TRACES.commands);
  // If the killer took the unchanged core for a mutant, it would report every mutant as killed.
  const difference = differenceFrom(readRecording(traceFile), Exchange, { invariants: true, snapshots: true });
  if (difference !== undefined) throw new Error(`The unchanged core differs from its own recording: ${difference}.`);
  const mutants = mutantsOf(coreFiles, flags.every);
  const queue = drawSample(mutants);
  console.log(`${queue.length} of ${mutants.length} mutants of ${coreFiles.length} files of the core`);
  const outcomes: Outcome[] = [];
  workers.push(...Array.from({ length: flags.workers }, () => new WorkerProcess(outcomes)));
  await Promise.all(workers.map((worker) => worker.tryAll(queue)));
  return report(outcomes);
}

const workers: WorkerProcess[] = [];
// A worker whose mutant loops endlessly does not notice that its parent is gone.
process.on('exit', () => {
  for (const worker of workers) worker.stop();
  rmSync(folder, { recursive: true, force: true });
});
for (const [signal, status] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
  // Not `once`: the same signal may come a second time, from the parent, and would end the process before it has cleaned up.
  process.on(signal, () => process.exit(status));
}
process.exitCode = await main();
