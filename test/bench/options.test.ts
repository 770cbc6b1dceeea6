// The options of the benches: an invalid one is refused before anything is measured, which takes minutes. Nothing is measured
// here.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
