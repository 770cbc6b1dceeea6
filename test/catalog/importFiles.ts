// Files to import, in a folder that is removed afterwards, and the lines that most of them have. Used by the tests of imports.
// Every test file that imports this has a folder of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export const folder = mkdtempSync(join(tmpdir(), 'outcry-import-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file in that folder. */
export function fileOf(name: string, lines: readonly (object | string)[]): string {
  const file = join(folder, name);
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
}

export const TAG = { kind: 'tag', slug: 'sports', label: 'All sports' };
export const SERIES = { kind: 'series', slug: 'weekly', title: 'Week by week', recurrence: 'weekly' };
export const EVENT = {
  kind: 'event',
  slug: 'match',
  title: 'A match',
  tags: ['sports'],
  series: 'weekly',
  neg_risk: true,
};

/** A market of that event. */
export const marketLine = (slug: string, more: object = {}) => ({
  kind: 'market',
  slug,
  question: `Is ${slug}?`,
  event: 'match',
  ...more,
});
