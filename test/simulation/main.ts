// The command `npm run simulate`: plays seeds until so many commands are through, or for so many hours, and stops at the first
// failure with the line that repeats it and a short scenario. `--canary NAME` plays a build with a known fault, `--scenario
// FILE` plays steps that were printed before, `--jobs N` shares the seeds. Run by hand and by simulation.test.ts; it changes nothing but what it prints.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { InvalidArgumentError, program } from 'commander';
import { STRIP_TYPES } from '../../bench/lib/stripTypes.ts';
import { breakBuild, type CanaryName, canaries } from './canaries.ts';
import type { SeedRun } from './run.ts';

interface Flags {
  readonly seed: number;
  readonly commands: number;
  readonly perSeed: number;
  readonly jobs: number;
  readonly stride: number;
  readonly hours?: number;
  readonly closely: boolean;
  readonly canary?: CanaryName;
  readonly scenario?: string;
  readonly shrinkSeconds: number;
  readonly quiet: boolean;
}

const PROGRESS_EVERY_MS = 10_000;

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError(`It must be a number above 0, not ${text}.`);
  return value;
}

function canaryNamed(name: string): CanaryName {
  if (Object.hasOwn(canaries, name)) return name as CanaryName; // it is one of the keys
  throw new InvalidArgumentError(`There is no canary ${name}.`);
}

program
  .name('simulate')
  .option('--seed <N>', 'first seed', positive, 1)
  .option('--commands <M>', 'commands in all', positive, 100_000)
  .option('--per-seed <K>', 'commands of one seed', positive, 4_000)
  .option('--jobs <N>', 'processes at once, each with seeds of its own', positive, 1)
  .option('--stride <N>', 'play only every so many seeds', positive, 1)
  .option('--hours <H>', 'go on for so many hours instead', positive)
  .option('--closely', 'compare every command of every seed with the reference exchange', false)
  .option('--canary <NAME>', `a build with a known fault: ${Object.keys(canaries).join(', ')}`, canaryNamed)
  .option('--scenario <FILE>', 'play the steps of a file')
  .option('--shrink-seconds <S>', 'how long a failing seed is made smaller', positive, 60)
  .option('--quiet', 'say only how it ended', false);

const flags: Flags = program.parse().opts();
if (flags.canary !== undefined) breakBuild(canaries[flags.canary]);
// Loaded only now, so that a canary's fault is in it.
const { runSeed, runSteps, scenarioSettings } = await import('./run.ts');
const { shrinkSteps } = await import('./shrinkSteps.ts');
const { printSteps, readSteps } = await import('./steps.ts');

const total = {
  seeds: 0,
  commands: 0,
  answered: 0,
  lost: 0,
  unavailable: 0,
  restarts: 0,
  damages: 0,
  compared: 0,
  trades: 0,
  questions: 0,
};

function count(run: SeedRun): void {
  const { counts, witness } = run.simulation;
  total.seeds += 1;
  total.commands += run.commandCount;
  total.answered += counts.answered;
  total.lost += counts.lost;
  total.unavailable += counts.unavailable;
  total.restarts += counts.restarts - 1;
  total.damages += counts.damages;
  total.questions += run.questions;
  total.compared += witness.comparedCount;
  for (const { trades } of witness.audit.markets) total.trades += trades;
}

async function report(run: SeedRun): Promise<never> {
  const { seed, steps, options, failure, commandCount } = run;
  const canary = flags.canary === undefined ? '' : ` --canary ${flags.canary}`;
  const closely = options.isClose ? ' --closely' : '';
  const repeat = `npm run simulate -- --seed ${seed} --commands ${flags.perSeed} --per-seed ${flags.perSeed}${canary}${closely}`;
  console.log(
    `Seed ${seed} failed after ${total.commands} commands in all, at its command ${commandCount}: ${failure?.message}`,
  );
  console.log(`Run it again: ${repeat}`);
  const small = await shrinkSteps(steps, options, failure?.signature ?? '', flags.shrinkSeconds);
  console.log(`Shrunk to ${small.length} steps (settings ${JSON.stringify(options.settings)}):`);
  console.log(printSteps(small));
  const again = await runSteps(small, options);
  console.log(again?.stack ?? 'It does not show when it is played again.');
  process.exit(1);
}

async function playScenario(file: string): Promise<never> {
  const failure = await runSteps(readSteps(readFileSync(file, 'utf8')), scenarioSettings);
  console.log(failure?.stack ?? 'All is well.');
  process.exit(failure === undefined ? 0 : 1);
}

async function main(): Promise<void> {
  if (flags.scenario !== undefined) await playScenario(flags.scenario);
  const startMs = performance.now();
  const endsMs = flags.hours === undefined ? Number.POSITIVE_INFINITY : startMs + flags.hours * 3_600_000;
  const commandsMax = flags.hours === undefined ? flags.commands : Number.POSITIVE_INFINITY;
  let toldMs = startMs;
  for (let seed = flags.seed; total.commands < commandsMax && performance.now() < endsMs; seed += flags.stride) {
    const commands = Math.min(flags.perSeed, commandsMax - total.commands);
    const run = flags.closely ? await runSeed(seed, commands, true) : await runSeed(seed, commands);
    count(run);
    if (run.failure !== undefined) await report(run);
    if (flags.quiet || performance.now() < toldMs + PROGRESS_EVERY_MS) continue;
    toldMs = performance.now();
    console.log(`${total.commands} commands of ${total.seeds} seeds`);
  }
  console.log(
    `${total.commands} commands of ${total.seeds} seeds from ${flags.seed} on: no divergence. ${total.trades} trades, ` +
      `${total.restarts} restarts, ${total.damages} damages found, ${total.lost} commands lost with the power, ` +
      `${total.unavailable} refused for want of a disk, ${total.compared} compared with the reference, ${total.questions} questions to the historian.`,
  );
  console.log(
    `${rateText(total.commands, startMs)}, ${rate(total.commands, process.cpuUsage().user / 1e6)} of processor time.`,
  );
}

const rate = (commands: number, seconds: number): string => `${Math.round(commands / seconds)} a second`;

/** How long commands took that were begun then (performance.now()), and how many that is a second. */
function rateText(commands: number, startMs: number): string {
  const seconds = (performance.now() - startMs) / 1_000;
  return `${seconds.toFixed(1)} s: ${rate(commands, seconds)}`;
}

/** Shares the seeds among processes; the first failure ends them all. */
async function shareOut(): Promise<number> {
  const { jobs, seed, commands, perSeed } = flags;
  const startMs = performance.now();
  const share = Math.ceil(commands / jobs / perSeed) * perSeed;
  const rest = ['--per-seed', perSeed, '--stride', jobs, '--shrink-seconds', flags.shrinkSeconds, '--quiet'];
  if (flags.closely) rest.push('--closely');
  if (flags.canary !== undefined) rest.push('--canary', flags.canary);
  rest.push(...(flags.hours === undefined ? ['--commands', share] : ['--hours', flags.hours]));
  const children = Array.from({ length: jobs }, (_, job) =>
    spawn(process.execPath, [...STRIP_TYPES, import.meta.filename, '--seed', seed + job, ...rest].map(String), {
      stdio: 'inherit',
    }),
  );
  const statuses = children.map(
    (child) => new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? 1))),
  );
  const failed = statuses.map(async (status) => ((await status) === 0 ? new Promise<number>(() => {}) : status));
  const status = await Promise.race([...failed, Promise.all(statuses).then(() => 0)]);
  for (const child of children) child.kill();
  if (status === 0 && flags.hours === undefined) {
    console.log(`All ${share * jobs} commands of ${jobs} processes in ${rateText(share * jobs, startMs)}.`);
  }
  return status;
}

if (flags.jobs > 1 && flags.scenario === undefined) process.exitCode = await shareOut();
else {
  await main();
  process.exit(); // exchanges that lost their disk would still try it again for minutes
}
