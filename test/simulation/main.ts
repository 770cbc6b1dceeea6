// The command `npm run simulate`: plays seeds for a number of commands or hours, and stops at the first failure with the
// command line that repeats it and a short scenario. `--canary NAME` plays a build with a known fault, `--scenario FILE`
// a scenario printed before. Seeds are handed out one at a time to as many processes as the machine has cores, or `--jobs
// N`; a single seed is played here. Run by hand and by simulation.test.ts; it only prints.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError, Option, program } from 'commander';
import { type Child, startChild } from '../../bench/lib/talk.ts';
import { flagsOf } from '../support/flags.ts';
import { wholeNumberFrom } from '../support/wholeNumber.ts';
import { breakBuild, type CanaryName, canaries } from './canaries.ts';
import { hasHistorian, hasReference } from './looks.ts';
import type { PlayerRequest } from './player.ts';
import type { Scenario } from './scenario.ts';
import { addCounts, noCounts, type Tally, tallyOf } from './tally.ts';

interface Flags {
  readonly seed: number;
  readonly commands: number;
  readonly perSeed: number;
  readonly jobs: number;
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

program
  .name('simulate')
  .option('--seed <N>', 'first seed', wholeNumberFrom(1), 1)
  .option('--commands <M>', 'commands in all', wholeNumberFrom(1), 100_000)
  .option('--per-seed <K>', 'commands of one seed', wholeNumberFrom(1), 4_000)
  .option(
    '--jobs <N>',
    'processes at once, between which the seeds are shared',
    wholeNumberFrom(1),
    availableParallelism(),
  )
  .option('--hours <H>', 'play for so many hours instead', positive)
  .option('--closely', 'compare every command of every seed with the reference exchange', false)
  .addOption(new Option('--canary <NAME>', 'a build with a known fault').choices(Object.keys(canaries)))
  .option('--scenario <FILE>', 'play the scenario of a file, with everything compared')
  .option('--shrink-seconds <S>', 'how long a failing seed is shrunk', positive, 60)
  .option('--quiet', 'print only the result', false);

const flags: Flags = flagsOf(program);
// The process that plays loads the exchange, once a canary's fault
// is in place; a process that only hands out seeds does without.
if (flags.canary !== undefined) breakBuild(canaries[flags.canary]);

type Seed = Pick<PlayerRequest, 'seed' | 'commands'>;

const children: Child[] = [];
const total = noCounts();
/** What has happened in some seed, by name. */
const seen = new Set<string>();
const startMs = performance.now();

/** Plays a seed in this process. */
async function playHere({ seed, commands }: Seed): Promise<Tally> {
  const { runSeed } = await import('./run.ts');
  return tallyOf(() => runSeed(seed, commands, flags.closely));
}

/** Starts a process that plays seeds. */
function newPlayer(): (seed: Seed) => Promise<Tally> {
  const child = startChild(join(import.meta.dirname, 'player.ts'));
  children.push(child);
  const { closely: isEachClose, canary } = flags;
  // player.ts answers with a Tally.
  return async (seed) => (await child.ask({ ...seed, isEachClose, canary } satisfies PlayerRequest)) as Tally;
}

/** How many commands to play, unless the hours end first. */
const COMMANDS = flags.hours === undefined ? flags.commands : Number.POSITIVE_INFINITY;

/** The seeds to play, one after another. */
function* seedsToPlay(): Generator<Seed, void> {
  const { hours, perSeed } = flags;
  const endsMs = hours === undefined ? Number.POSITIVE_INFINITY : startMs + hours * 3_600_000;
  let left = COMMANDS;
  for (let seed = flags.seed; left > 0 && performance.now() < endsMs; seed += 1) {
    const commands = Math.min(perSeed, left);
    left -= commands;
    yield { seed, commands };
  }
}

const failed: { readonly seed: Seed; readonly failure: string }[] = [];

/** Seeds that wait for the first player, at most so many: a long run must end in time, however many players it has. */
const forFirst: Seed[] = [];
const FOR_FIRST_MAX = 64;

/**
 * The next seed for a player, undefined when none is left. Seeds with the reference exchange or the historian wait for the first
 * player until there are no others, or too many: one process alone then compiles that code, a fifth of all.
 */
function nextSeed(seeds: Generator<Seed, void>, isFirst: boolean): Seed | undefined {
  if (forFirst.length >= (isFirst ? 1 : FOR_FIRST_MAX)) return forFirst.shift();
  for (;;) {
    const { value } = seeds.next();
    if (value === undefined) return forFirst.shift();
    if (isFirst || !(hasReference(value.seed) || hasHistorian(value.seed))) return value;
    forFirst.push(value);
  }
}

/** Plays seeds until none is left. A failed seed is the last, for all players. */
async function playAll(
  seeds: Generator<Seed, void>,
  play: (seed: Seed) => Promise<Tally>,
  isFirst: boolean,
): Promise<void> {
  for (let seed = nextSeed(seeds, isFirst); seed !== undefined; seed = nextSeed(seeds, isFirst)) {
    const { failure, outcomes, ...counts } = await play(seed);
    addCounts(total, counts);
    for (const outcome of outcomes) seen.add(outcome);
    if (failure !== undefined) {
      failed.push({ seed, failure });
      seeds.return();
      forFirst.length = 0;
      return;
    }
    showProgress();
  }
}

let lastProgressMs = startMs;

function showProgress(): void {
  if (flags.quiet || performance.now() < lastProgressMs + PROGRESS_EVERY_MS) return;
  lastProgressMs = performance.now();
  console.log(`${total.commands} commands of ${total.seeds} seeds`);
}

/** Reports a failed seed, plays it again and shrinks it. */
async function report({ seed, commands }: Seed, failure: string): Promise<never> {
  const canary = flags.canary === undefined ? '' : ` --canary ${flags.canary}`;
  const closely = flags.closely ? ' --closely' : '';
  const repeat = `npm run simulate -- --seed ${seed} --commands ${commands} --per-seed ${commands}${canary}${closely}`;
  console.log(`Seed ${seed} failed after ${total.commands} commands in all: ${failure}`);
  console.log(`Run it again: ${repeat}`);
  const { runSeed, runSteps } = await import('./run.ts');
  const run = await runSeed(seed, commands, flags.closely, true);
  if (run.failure === undefined) {
    console.log('It does not fail when it is played again.');
    process.exit(1);
  }
  const { shrinkSteps } = await import('./shrinkSteps.ts');
  const { printScenario } = await import('./scenario.ts');
  const small = await shrinkSteps(run.steps, run.options, run.failure.signature, flags.shrinkSeconds);
  console.log(`Shrunk to ${small.length} steps:`);
  console.log(printScenario({ settings: run.options.settings, steps: small }));
  const again = await runSteps(small, run.options);
  console.log(again?.stack ?? 'It does not fail when the steps are played again.');
  process.exit(1);
}

/** The scenario of a file; ends the command with the reason if it cannot be read, or has no steps to play. */
async function scenarioOf(file: string): Promise<Scenario> {
  const { readScenario } = await import('./scenario.ts');
  try {
    const scenario = readScenario(readFileSync(file, 'utf8'));
    if (scenario.steps.length === 0) throw new Error('it has no steps');
    return scenario;
  } catch (error) {
    return program.error(
      `error: the scenario ${file} cannot be played: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

async function playScenario(file: string): Promise<never> {
  const { runSteps } = await import('./run.ts');
  const { settings, steps } = await scenarioOf(file);
  const failure = await runSteps(steps, { settings, isClose: true, keepsRecords: true });
  console.log(failure?.stack ?? 'All is well.');
  process.exit(failure === undefined ? 0 : 1);
}

async function main(): Promise<void> {
  if (flags.scenario !== undefined) await playScenario(flags.scenario);
  const { perSeed, seed } = flags;
  const jobs = Math.min(flags.jobs, Math.ceil(COMMANDS / perSeed));
  const seeds = seedsToPlay();
  const players = jobs === 1 ? [playHere] : Array.from({ length: jobs }, newPlayer);
  await Promise.all(players.map((play, index) => playAll(seeds, play, index === 0)));
  const seconds = (performance.now() - startMs) / 1_000;
  for (const child of children) child.end();
  for (const { seed: failing, failure } of failed) await report(failing, failure);
  console.log(
    `${total.commands} commands of ${total.seeds} seeds from ${seed} on: no divergence. ${total.trades} trades, ` +
      `${total.restarts} restarts, ${total.restores} starts from a snapshot, ${total.damages} damages found, ${total.lost} commands lost with the power, ` +
      `${total.unavailable} refused for want of a disk, ${total.compared} compared with the reference, ${total.questions} questions to the historian.`,
  );
  const { possibleOutcomes } = await import('./outcomes.ts');
  const unseen = possibleOutcomes.filter((outcome) => !seen.has(outcome));
  console.log(`Not seen: ${unseen.length === 0 ? 'nothing' : unseen.join(', ')}.`);
  console.log(
    `${seconds.toFixed(1)} s: ${rate(seconds)} a second, ${rate(total.processorSeconds)} a second of processor time.`,
  );
}

const rate = (seconds: number): number => Math.round(total.commands / seconds);

await main();
