// The README against the repository: its table of endpoints is the one in the code, the steps of "Inside" name functions that
// exist, and CI runs the command that it tells readers to run. `UPDATE_README=1 npm test -- test/readme` rewrites the table.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuthLevel } from '../../server/http/endpoint.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { commandLine } from '../../server/lib/commandLine.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

const AUTH_TEXTS: Readonly<Record<AuthLevel, string>> = {
  none: '',
  l1: 'wallet signature',
  l2: 'API key',
  'l1-or-l2': 'API key or wallet signature',
  'l2-or-builder': 'API key or builder key',
  'l2-read': 'API key, may be read-only',
  builder: 'API key, for its own builder code',
  admin: 'admin token',
  watch: 'metrics or admin token; none on loopback in development, unless a metrics token is set',
  dev: 'development only',
};

function between(start: string, end: string): string {
  const from = readme.indexOf(start);
  const to = readme.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`README.md has no part from ${start} to ${end}`);
  return readme.slice(from + start.length, to).trim();
}

function endpointTable(): string {
  const rows = endpoints.map(({ method, path, auth, isAllowlisted, summary }) => {
    const needs = isAllowlisted === true ? 'an allowlisted address, if there is an allowlist' : AUTH_TEXTS[auth];
    return `| ${method} ${path} | ${needs} | ${summary.replace(/\.$/, '')} |`;
  });
  return ['| request | needs | does |', '|---|---|---|', ...rows].join('\n');
}

test('the README table of endpoints equals the one in the code', () => {
  const table = endpointTable();
  if (process.env.UPDATE_README === '1') {
    const shown = between('<!-- endpoints -->', '<!-- /endpoints -->');
    writeFileSync(
      join(root, 'README.md'),
      readme.replace(shown, () => table),
    );
    return;
  }
  expect(between('<!-- endpoints -->', '<!-- /endpoints -->')).toBe(table);
});

test('every step of a posted order names a function that exists in its file', () => {
  const steps = [...between('<!-- steps -->', '<!-- /steps -->').matchAll(/^\d+\. `([^`]+)` → `([^`]+)`/gm)];
  expect(steps.length).toBeGreaterThan(10);
  for (const [, file, name] of steps) {
    const text = readFileSync(join(root, file), 'utf8');
    const isDefined = new RegExp(`(function |const |readonly |private |^ {2})${name}\\b\\s*[(=<]`, 'm').test(text);
    expect(isDefined, `${file} defines no ${name}`).toBe(true);
  }
});

test('the section "Inside" has at most 80 lines', () => {
  expect(between('## Inside', '\n## Dependencies').split('\n').length).toBeLessThanOrEqual(80);
});

test('CI runs the command that the README names', () => {
  const run = readFileSync(join(root, '.ci/run'), 'utf8');
  const commands = run.split('\n').filter((line) => /^\s*(npm|npx|node)\b/.test(line));
  expect(commands.map((line) => line.trim())).toEqual(['npm test']);
  expect(readme).toContain('\n    npm test ');
});

test('README and messages run commands of the exchange by an npm script, which starts Node as the exchange needs it', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts.outcry).toBe('exec node .ci/ensure.mjs server/main.ts');
  expect(commandLine('verify')).toBe('npm run -s outcry -- verify');
  expect(readme).toContain(`\`${commandLine('serve')}\` runs a venue`);
  expect(readme).not.toContain('node server/main.ts');
});

test('the README table of dependencies names every dependency', () => {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const table = between('## Dependencies', '\nLicence');
  for (const name of Object.keys(manifest.dependencies))
    expect(table, `README.md says nothing of ${name}`).toContain(name);
});
