// Kills by SIGKILL at random moments and at every named point, under load from several signed clients: everything
// acknowledged is there after the restart, nothing else, and nothing twice. CRASH_KILLS sets how many.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const KILLS = process.env.CRASH_KILLS ?? '10';
const start = (script: string, args: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, script), ...args], { encoding: 'utf8' });

test('a SIGKILL neither loses nor duplicates what was acknowledged, nor invents operations', {
  timeout: 600_000,
}, () => {
  const { status, stdout, stderr } = start('./crashRun.ts', ['--kills', KILLS]);
  console.info(stdout);
  expect(status, stdout + stderr).toBe(0);
  const figures = /kills (\d+), acknowledged operations (\d+), lost 0, doubled 0, ghosts 0\n$/.exec(stdout);
  expect(figures?.[1], stdout).toBe(KILLS);
  expect(Number(figures?.[2])).toBeGreaterThan(Number(KILLS));
});

test.each([
  ['./crashRun.ts', ['--kills', '0'], 'It must be a whole number from 1, not 0.'],
  ['./crashRun.ts', ['--kills', 'x'], 'It must be a whole number from 1, not x.'],
  ['./powerLoss.ts', ['--images', '0'], 'It must be a whole number from 1, not 0.'],
  ['./powerLoss.ts', ['--rounds', 'x'], 'It must be a whole number from 1, not x.'],
])('options under which nothing would be tried are rejected: %s %j', (script, args, sentence) => {
  const { status, stderr } = start(script, args);
  expect(stderr).toContain(sentence);
  expect(status).toBe(2);
});
