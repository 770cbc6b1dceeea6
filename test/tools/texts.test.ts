// How the tools word counts (one of a thing, none of it, many), reports and paths. Sentences that people read: no journal is
// opened, and the figures here are invented.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandLine } from '../../server/lib/commandLine.ts';
import { counted } from '../../server/lib/counted.ts';
import { soundText } from '../../server/tools/verify.ts';

test('a path in a command that a message names is one word to a shell, and bare where it can be', () => {
  const paths = [
    '/srv/outcry-1.2_a',
    '.outcry',
    '/srv/my data',
    "/it's",
    '$HOME/"`id`"\\',
    '~/a',
    'a;b&c|d>e*?',
    'ü',
    '',
  ];
  const words = commandLine(...paths).replace(commandLine(), '');
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\n'${words}`], { encoding: 'utf8' });
  expect(stdout.split('\n').slice(0, -1)).toEqual(paths);
  const bare = paths.slice(0, 2);
  expect(commandLine(...bare)).toBe(`${commandLine()} ${bare.join(' ')}`);
});

test('a count of 1 has its noun in the singular, every other count in the plural', () => {
  expect([0, 1, 2, 1_001].map((count) => counted(count, 'event'))).toEqual([
    '0 events',
    '1 event',
    '2 events',
    '1,001 events',
  ]);
});

test('the verification report states what the journal holds, from when to when, and what was not checked', () => {
  const hashes = { core: 'c', registry: 'r', ids: 'i' };
  const journal = {
    ...{ recordCount: 12_345, firstTMs: 1_000, lastTMs: 61_000, invariantLooks: 3, hashes },
    ...{ snapshotCount: 0, foreignSnapshots: [], snapshotFaults: ['d: e.'] },
  };
  const lines = soundText('dir', { kind: 'sound', journal, signedOrders: undefined }).split('\n');
  expect(lines.filter((_, index) => ![2, 3].includes(index))).toEqual([
    'The journal of dir is sound.',
    '  records     12,345, from 1970-01-01T00:00:01.000Z to 1970-01-01T00:01:01.000Z',
    '  invariants  hold: money and shares are conserved (looked at 3 times, the last at the end)',
    '  signatures  not checked; --signatures does',
    '  snapshots   none',
    '  snapshot    cannot be used, and may be deleted: d: e.',
    '  state       core c, registry r, ids i',
    '',
  ]);
  const empty = { ...journal, recordCount: 0, firstTMs: 0, lastTMs: 0, invariantLooks: 1, snapshotFaults: [] };
  const report = soundText('dir', { kind: 'sound', journal: empty, signedOrders: undefined });
  expect(report).toMatch(/^ {2}records {5}0$/m);
  expect(report).toContain('(looked at once, at the end)');
});

test('the verification report states the numbers of snapshots and signed orders', () => {
  const hashes = { core: 'c', registry: 'r', ids: 'i' };
  const journal = { recordCount: 0, firstTMs: 0, lastTMs: 0, invariantLooks: 1, snapshotFaults: [], hashes };
  const lineOf = (
    name: string,
    snapshotCount: number,
    signedOrders: number,
    foreignSnapshots: readonly string[] = [],
  ) =>
    soundText('dir', { kind: 'sound', journal: { ...journal, snapshotCount, foreignSnapshots }, signedOrders })
      .split('\n')
      .filter((line) => line.startsWith(`  ${name}`))
      .map((line) => line.slice(14));
  const same = 'each with the state that the replay had there';
  expect([0, 1, 3].flatMap((count) => lineOf('snapshot', count, 0))).toEqual(['none', `1, ${same}`, `3, ${same}`]);
  expect(lineOf('snapshot', 0, 0, ['a: b.'])).toEqual(['none', 'not checked, for it is of another version: a: b.']);
  const signed = 'with the id and the signature of what its owner signed';
  expect([0, 1, 2].flatMap((count) => lineOf('signatures', 0, count))).toEqual([
    'no order is there to be checked',
    `1 order, ${signed}`,
    `2 orders, each ${signed}`,
  ]);
});
