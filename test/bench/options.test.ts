// The options of the benches: an invalid one is refused before anything is measured, which takes minutes; and how a bench, or
// another command for developers, ends when nobody reads what it prints. Nothing is measured here.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { figuresFile } from '../../bench/lib/options.ts';
import { tempDir } from '../support/tempDir.ts';

test('a file for figures that cannot be written is refused, and one that can keeps its content until then', () => {
  const folder = tempDir();
  const file = join(folder, 'new', 'figures.json');
  expect(figuresFile(file)).toBe(file);
  writeFileSync(file, 'of an earlier run');
  figuresFile(file);
  expect(readFileSync(file, 'utf8')).toBe('of an earlier run');
  for (const path of ['', folder, join(file, 'below.json')]) {
    expect(() => figuresFile(path)).toThrow(`--json must name a file that can be written, not "${path}": `);
  }
});

const root = join(import.meta.dirname, '../..');
const benches = ['main', 'core', 'history', 'catalog', 'recovery', 'durability', 'streams'];

test.each(benches)('%s prints its options when asked, and for one that it does not know', (bench) => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [...nodeOptions, `bench/${bench}.ts`, ...args], { cwd: root, encoding: 'utf8' });
  const asked = run('--help');
  expect(asked.stdout).toMatch(/^npm run bench.* (-- \[options\]\n {2}--|takes no options\n)/);
  expect(asked).toMatchObject({ status: 0, stderr: '' });
  const unknown = run('--fastest');
  expect(unknown).toMatchObject({ status: 2, stdout: '' });
  expect(unknown.stderr).toContain("'--fastest'");
  expect(unknown.stderr).toContain(asked.stdout);
});

test('a command whose output is closed ends without a word', async () => {
  const args = ['test/simulation/main.ts', '--commands', '1', '--per-seed', '1', '--jobs', '1'];
  const child = spawn(process.execPath, [...nodeOptions, ...args], { cwd: root });
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (data) => {
    said += data;
  });
  const [status] = await once(child, 'close');
  expect(said).toBe('');
  expect(status).toBe(1);
});
