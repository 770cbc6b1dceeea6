// The files after a power loss, in hundreds of images: each opens with every acknowledged operation, or is refused by name;
// the historian's index is kept, or rebuilt. POWER_IMAGES sets how many.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const IMAGES = process.env.POWER_IMAGES ?? '300';

test('no acknowledged operation is lost in a power loss', { timeout: 1_200_000 }, () => {
  const run = join(import.meta.dirname, './powerLoss.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [run, '--images', IMAGES], { encoding: 'utf8' });
  console.info(stdout);
  expect(status, stdout + stderr).toBe(0);
  if (stdout.startsWith('There is no C compiler')) return;
  expect(stdout).toMatch(new RegExp(`images ${IMAGES}: .*acknowledged operations lost: 0\n$`));
});
