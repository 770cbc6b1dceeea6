// A sample of the core's mutants, another for each commit: the traces must detect each that is a different program, and each
// survivor must have the reason why it is not. MUTANTS_SAMPLE sets how many, MUTANTS_SEED which; `npm run mutate` tries all of
// them. The run is a process of its own, since each mutant loads the core anew.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { environmentNumber } from '../support/wholeNumber.ts';
import { coreFiles, mutantsOf } from './sites.ts';
import { needlessReasons } from './survivors.ts';

const root = join(import.meta.dirname, '..', '..');
const sample = environmentNumber('MUTANTS_SAMPLE', 40);
const seed = process.env.MUTANTS_SEED ?? String(seedOfCommit());
/**
 * Of all mutants: reasons must not explain away much of a sample. A twentieth of all are equivalent, so that chance leaves
 * fewer than this in one sample of 10^9.
 */
const KILLED_OF_ALL_MIN = 0.65;

/** The first 32 bits of the commit's hash; 1 where there is no repository, as in an archive of the sources. */
function seedOfCommit(): number {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return /^[\da-f]{40}/.test(stdout ?? '') ? Number.parseInt(stdout.slice(0, 8), 16) : 1;
}

const mutate = (...args: readonly string[]) =>
  spawnSync(process.execPath, [...nodeOptions, 'test/mutants/main.ts', ...args], { cwd: root, encoding: 'utf8' });

test('a sample of core mutants is detected, and each survivor has a reason', { timeout: 1_200_000 }, () => {
  const { status, stdout, stderr } = mutate('--sample', String(sample), '--seed', seed);
  console.info(`${stdout.trim()}\nTo repeat: npm run mutate -- --sample ${sample} --seed ${seed}`);
  const [killed, tried] = (/(\d+) of (\d+) mutants killed/.exec(stdout) ?? []).slice(1).map(Number);
  expect(tried, stderr).toBe(sample);
  expect(status, `a mutant survives without a reason:\n${stdout}`).toBe(0);
  expect(killed / tried, stdout).toBeGreaterThanOrEqual(KILLED_OF_ALL_MIN);
});

test('each reason is for a place that the core still has', () => {
  expect(needlessReasons(mutantsOf(coreFiles, true))).toEqual([]);
});

test.each([
  [['--file', 'ledger'], 'ledger.ts'],
  [['--workers', '0'], 'It must be a whole number from 1, not 0.'],
])('options under which no mutant would be tried are rejected: %j', (args, sentence) => {
  const { status, stderr } = mutate(...args);
  expect(stderr).toContain(sentence);
  expect(status).toBe(2);
});
