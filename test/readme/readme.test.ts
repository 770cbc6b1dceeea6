// The README against the repository: its table of endpoints is the one in the code, the steps of "Inside" name functions that
// exist, and CI runs the command that it tells readers to run. `UPDATE_README=1 npm test -- test/readme` rewrites the table.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mayHideDuplicate, type RejectionName, rejections } from '../../engine/protocol/rejections.ts';
import { contractNames } from '../../server/auth/contracts.ts';
import { WALLET_CONSTANTS } from '../../server/auth/wallets.ts';
import { rowsOfGroup } from '../../server/config/throttleTable.ts';
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

/** What the row about resending says of each check that comes before the one for duplicates; '' if its outcome cannot change. */
const EARLIER_CHECKS: Readonly<Partial<Record<RejectionName, string>>> = {
  KEY_UNKNOWN: '', // 401 already for the request
  WALLET_NOT_OWNED: 'wallets',
  MARKET_UNKNOWN: '',
  POST_ONLY_TYPE: '',
  EXPIRATION_INVALID: 'expiration',
  TIMESTAMP_OUT_OF_RANGE: 'timestamp',
  AMOUNT_NOT_POSITIVE: '',
  AMOUNT_ACCURACY: 'tick size',
  PRICE_OFF_TICK: 'tick size',
  SIZE_TOO_LARGE: '',
  SIZE_BELOW_MINIMUM: 'minimum sizes',
  MARKETABLE_BUY_BELOW_MINIMUM: 'minimum sizes',
  MARKET_NOT_OPEN: "market's status",
  EXCHANGE_DISABLED: "exchange's mode",
  EXCHANGE_RESTARTING: "exchange's mode",
  EXCHANGE_CANCEL_ONLY: "exchange's mode",
  EXCHANGE_POST_ONLY: "exchange's mode",
  BANNED: 'flags',
  CLOSED_ONLY: 'flags',
};

test('the README names every check that may refuse an order sent again before it is found to be a duplicate', () => {
  const names = Object.keys(rejections) as RejectionName[]; // keys of the list, widened by Object.keys
  expect(Object.keys(EARLIER_CHECKS).sort()).toEqual(names.filter(mayHideDuplicate).sort());
  const row = between('| the same order twice |', '\n');
  for (const words of Object.values(EARLIER_CHECKS)) expect(row).toContain(words);
});

test('the README names every row of rates that counts a request beside its own', () => {
  const shared = new Set(
    endpoints.flatMap(({ throttle }) => rowsOfGroup(throttle)).filter((row) => !/ |keys/.test(row)),
  );
  const sentence = between('A request counts towards its own row', 'A throttled request');
  expect([...shared].filter((row) => !sentence.includes(`\`${row}\``))).toEqual([]);
});

test('the README names every address that an operator can set', () => {
  const table = between('To use your own addresses', '**Behind a proxy.**');
  const names = ['contracts', ...contractNames, 'wallets', ...Object.keys(WALLET_CONSTANTS)];
  expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
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
