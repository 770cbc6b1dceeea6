// Kills by SIGKILL at random moments and at every named point, under load from several signed clients: everything
// acknowledged is there after the restart, nothing else, and nothing twice. CRASH_KILLS sets how many.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const KILLS = process.env.CRASH_KILLS ?? '10';

test('a SIGKILL neither loses nor duplicates what was acknowledged, nor invents operations', {
  timeout: 600_000,
}, () => {
  const run = join(import.meta.dirname, './crashRun.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [run, '--kills', KILLS], { encoding: 'utf8' });
  console.info(stdout);
  expect(status, stdout + stderr).toBe(0);
  const figures = /kills (\d+), acknowledged operations (\d+), lost 0, doubled 0, ghosts 0\n$/.exec(stdout);
  expect(figures?.[1], stdout).toBe(KILLS);
  expect(Number(figures?.[2])).toBeGreaterThan(Number(KILLS));
});
