// The whole exchange in simulation: many commands over many seeds without a divergence, builds with a known fault found
// within their bound and for the reason that canaries.ts states, and scenarios that read back what was printed.
// SIMULATE_COMMANDS sets how many commands, SIMULATE_SEED the first seed. The runs are processes of their own, at the speed
// of the exchange rather than of the tests.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { walletOf } from '../model/names.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { canaries } from './canaries.ts';
import { runSteps } from './run.ts';
import { printScenario, readScenario, type Scenario } from './scenario.ts';
import { Simulation } from './simulation.ts';
import type { Step } from './steps.ts';

const root = join(import.meta.dirname, '..', '..');
const commands = process.env.SIMULATE_COMMANDS ?? '1000000';
const seed = process.env.SIMULATE_SEED ?? '1';

/** From this many commands on, a part of the simulation that did little or nothing is a fault and no chance. */
const ENOUGH_TO_JUDGE = 1_000_000;
/** At least this many a million commands, which is about a quarter of what they usually give. */
const FLOORS_A_MILLION = [
  ['trades', 32_000],
  ['restarts', 75],
  ['starts from a snapshot', 22],
  ['damages found', 30],
  ['commands lost with the power', 2_300],
  ['refused for want of a disk', 850],
  ['compared with the reference', 14_000],
  ['questions to the historian', 400],
] as const;
/** What need not happen in a simulation: the tests of model and registry see to it. */
const MAY_BE_UNSEEN: ReadonlySet<string> = new Set([
  // Money must be gone in the few seconds of a delay, and nothing before have cancelled the order.
  'cancel FUNDS',
]);

/** The line that reports a failed seed. */
const FAILED = /^Seed \d+ failed after \d+ commands in all: at its command \d+: (?<failure>.*)$/m;

function simulate(...args: readonly string[]): { readonly status: number | null; readonly text: string } {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const nodeArgs = [...nodeOptions, 'test/simulation/main.ts', ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, nodeArgs, options);
  return { status, text: `${stdout}${stderr}` };
}

test('no seed diverges', { timeout: 1_200_000 }, () => {
  const { status, text } = simulate('--seed', seed, '--commands', commands, '--jobs', '2', '--quiet');
  console.info(text.trim());
  expect(status, text).toBe(0);
  expect(text).toContain('no divergence');
  if (Number(commands) < ENOUGH_TO_JUDGE) return;
  const millions = Number(commands) / 1_000_000;
  for (const [what, least] of FLOORS_A_MILLION) {
    const count = Number(new RegExp(`(\\d+) ${what}`).exec(text)?.[1] ?? 0);
    expect(count, what).toBeGreaterThan(least * millions);
  }
  const unseen = /^Not seen: (?<names>.*)\.$/m.exec(text)?.groups?.names ?? 'the line with what is not seen';
  if (unseen === 'nothing') return;
  expect(unseen.split(', ').filter((name) => !MAY_BE_UNSEEN.has(name))).toEqual([]);
});

test.each(Object.entries(canaries))(
  'the simulation detects a build with the fault "%s" for the right reason',
  { timeout: 600_000 },
  (name, canary) => {
    // In one process: of two seeds that run side by side, either may be the first to fail.
    const args = `--canary ${name} --commands ${canary.commandsMax} --jobs 1 --quiet --shrink-seconds 1`;
    const { status, text } = simulate(...args.split(' '));
    expect(status, text).toBe(1);
    expect(FAILED.exec(text)?.groups?.failure, text).toMatch(canary.failure);
    expect(text).toContain('Run it again: npm run simulate -- --seed');
  },
);

test('the printed command repeats the run of a seed that had fewer commands', { timeout: 600_000 }, () => {
  const first = simulate(...'--canary view --seed 3 --commands 100 --quiet --shrink-seconds 1'.split(' ')).text;
  const again = /^Run it again: npm run simulate -- (?<args>.*)$/m.exec(first)?.groups?.args ?? '';
  const second = simulate(...again.split(' '), '--quiet', '--shrink-seconds', '1').text;
  const failed = FAILED.exec(first)?.[0];
  expect(failed, first).toContain('at its command 100: ');
  expect(FAILED.exec(second)?.[0], second).toBe(failed);
});

test('a seed that fails in one of two parallel processes is reported exactly once', { timeout: 600_000 }, () => {
  const { status, text } = simulate(
    ...['--canary', 'view', '--commands', '80000', '--jobs', '2', '--quiet', '--shrink-seconds', '1'],
  );
  expect(status, text).toBe(1);
  expect(text.match(/^Seed \d+ failed after/gm), text).toHaveLength(1);
  expect(text).toContain('Run it again: npm run simulate -- --seed');
  expect(text).toContain('Shrunk to');
});

test('a failing seed shrinks to a short scenario that fails again', { timeout: 600_000 }, () => {
  // Of this seed: its accounts get credit when they are opened, so the scenario needs no deposits.
  const { text } = simulate('--canary', 'view', '--seed', '7', '--commands', '4000', '--quiet');
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('Shrunk to'));
  const until = lines.findIndex((line, index) => index > from && line.startsWith('Error'));
  const scenario = lines.slice(from + 1, until);
  expect(scenario.length, text).toBeLessThanOrEqual(20);
  const folder = mkdtempSync(join(tmpdir(), 'outcry-scenario-'));
  try {
    const file = join(folder, 'scenario.txt');
    writeFileSync(file, scenario.join('\n'));
    expect(simulate('--canary', 'view', '--scenario', file).text).toContain('the book shows its');
    expect(simulate('--scenario', file).text).toContain('All is well.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a batch whose answer was lost is found again when the disk fails for good after it', async () => {
  const simulation = new Simulation({ settings: PLAIN_SETTINGS, isClose: true, keepsRecords: true });
  await simulation.open();
  const wallet = walletOf(0, 0);
  const command = { type: 'Deposit', wallet, owner: wallet, amountMicro: 5_000_000, isFaucet: 0 } as const;
  await simulation.play({ kind: 'command', waitMs: 0, command });
  await simulation.play({ kind: 'lose answer' });
  await simulation.play({ kind: 'dead' });
  expect(simulation.answers.counts).toMatchObject({ answered: 0, unavailable: 2 });
  expect(simulation.counts.restarts).toBe(1);
  await simulation.play({ kind: 'flush' });
  expect(simulation.witness.records.map((record) => record.command.type)).toEqual(['Started', 'Deposit', 'Started']);
  await simulation.finish(true);
});

test('a command refused for want of a disk is excused although the disk is well again when the refusal is heard', async () => {
  const steps: readonly Step[] = [
    { kind: 'full' },
    { kind: 'command', waitMs: 0, command: { type: 'Tick' } },
    { kind: 'flush' },
  ];
  expect(await runSteps(steps, { settings: PLAIN_SETTINGS, isClose: true, keepsRecords: true })).toBeUndefined();
});

test('a printed scenario parses back to the same settings and steps', () => {
  const damage = { kind: 'flip', place: 0.25, bit: 3 } as const;
  const otherSettings = { ...PLAIN_SETTINGS, orderWindowMs: 5_000 };
  const steps: readonly Step[] = [
    { kind: 'command', waitMs: 5, command: { type: 'Tick' } },
    { kind: 'hand over' },
    { kind: 'flush' },
    { kind: 'refuse', writes: 2 },
    { kind: 'lose answer' },
    { kind: 'full' },
    { kind: 'dead' },
    { kind: 'snapshot' },
    { kind: 'crash', isWritten: true, damage, isTwice: true, isFromSnapshot: false },
    { kind: 'crash', isWritten: false, damage: undefined, isTwice: false, isFromSnapshot: true },
    { kind: 'crash', isWritten: true, damage, isTwice: true, isFromSnapshot: true },
    { kind: 'restart', isFromSnapshot: false },
    { kind: 'restart', isFromSnapshot: true },
    { kind: 'crash', isWritten: true, damage, isTwice: true, isFromSnapshot: true, settings: otherSettings },
    { kind: 'restart', isFromSnapshot: true, settings: otherSettings },
    { kind: 'jump', byMs: -70 },
    { kind: 'sleep', forMs: 1_500 },
    { kind: 'command', waitMs: 0, command: { type: 'Tick' } },
  ];
  const settings = { ...PLAIN_SETTINGS, minedDelayMs: 700, creditMicro: 5_000_000 };
  const scenario: Scenario = { settings, steps };
  expect(readScenario(printScenario(scenario))).toEqual(scenario);
});

test('a scenario may omit settings but not misname them or give them no whole number', () => {
  expect(readScenario('settings creditMicro=5').settings).toEqual({ ...PLAIN_SETTINGS, creditMicro: 5 });
  expect(readScenario('the disk has written')).toEqual({ settings: PLAIN_SETTINGS, steps: [{ kind: 'flush' }] });
  expect(() => readScenario('settings credit=5')).toThrow('credit is none of the settings orderWindowMs,');
  expect(() => readScenario('settings creditMicro=much')).toThrow('written name=number, not creditMicro=much');
});

test.each([
  ['', 'it has no steps'],
  ['settings creditMicro=5', 'it has no steps'],
  ['alice sings', 'no command has the form "alice sings"'],
])('a scenario that cannot be played ends the command with the reason: %j', (scenario, reason) => {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-scenario-'));
  try {
    const file = join(folder, 'scenario.txt');
    writeFileSync(file, scenario);
    const { status, text } = simulate('--scenario', file);
    expect(text).toMatch(/^error: the scenario .*\n$/);
    expect(text).toContain(reason);
    expect(status).toBe(2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
