// A sample of the mutants of the core: the traces must notice nearly all. MUTANTS_SAMPLE sets how many, MUTANTS_SEED which;
// `npm run mutate` tries all of them. The run is a process of its own, since each mutant loads the core anew.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STRIP_TYPES } from '../../bench/lib/stripTypes.ts';

const root = join(import.meta.dirname, '..', '..');
const sample = Number(process.env.MUTANTS_SAMPLE ?? 20);
const seed = process.env.MUTANTS_SEED ?? '1';
/** A sample this small may hold a few that cannot be killed. */
const KILLED_SHARE_MIN = 0.75;

test('a sample of small changes of the core is noticed', { timeout: 1_200_000 }, () => {
  const args = [...STRIP_TYPES, 'test/mutants/main.ts', '--sample', String(sample), '--seed', seed];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  console.info(stdout.trim());
  const [, killed, tried] = /(\d+) of (\d+) mutants killed/.exec(stdout) ?? [];
  expect(Number(tried), stderr).toBe(sample);
  expect(Number(killed), stdout).toBeGreaterThanOrEqual(Math.floor(sample * KILLED_SHARE_MIN));
});
