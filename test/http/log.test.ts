// The log where it cannot be written: on a full disk, or to a reader who has gone. No line causes an error, lost lines are
// counted, and an exchange whose output nobody reads goes on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { makeLogger } from '../../server/process/log.ts';
import { PATIENCE } from '../support/patience.ts';
import { freePort } from '../support/ports.ts';
import { tempDir } from '../support/tempDir.ts';

/** A file that accepts `room` more bytes, and then reports a full disk. */
function smallFile() {
  const file = {
    text: '',
    room: Number.POSITIVE_INFINITY,
    write: (bytes: Uint8Array): number => {
      const count = Math.min(bytes.length, file.room);
      if (count === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      file.room -= count;
      file.text += Buffer.from(bytes.subarray(0, count)).toString();
      return count;
    },
  };
  return file;
}

test('a full disk drops log lines and counts them, and later lines are written intact', () => {
  const file = smallFile();
  const log = makeLogger({ mode: 'production', isJson: true, logLevel: 'info' }, file.write);
  log.info('first');
  file.room = 20; // a part of a line
  for (const text of ['second', 'third', 'fourth']) log.error({ text }, 'lost');
  file.room = Number.POSITIVE_INFINITY;
  log.info('fifth');
  const lines = file.text.trimEnd().split('\n');
  expect(lines.length).toBe(4);
  const read = [lines[0], ...lines.slice(2)].map((line) => JSON.parse(line));
  expect(read.map(({ msg }) => msg)).toEqual(['first', 'fifth', 'Some log lines could not be written.']);
  expect(read[2].lostCount).toBe(3);
});

test('in development the log is human-readable and leaves out lines below the log level', () => {
  const file = smallFile();
  const log = makeLogger({ mode: 'development', isJson: false, logLevel: 'warn' }, file.write);
  log.info('not shown');
  log.warn({ count: 3 }, 'Something happened.');
  expect(file.text).toMatch(/^\[\d\d:\d\d:\d\d\].*WARN.*: .*Something happened\..*\n {4}.*count.*: 3\n$/);
});

test.each([
  ['of a venue', 'production', false],
  ['with --json in development', 'development', true],
] as const)('the log %s is one JSON object on each line', (_name, mode, isJson) => {
  const file = smallFile();
  const log = makeLogger({ mode, isJson, logLevel: 'warn' }, file.write);
  log.warn({ count: 3 }, 'Something happened.');
  log.error('It happened again.');
  const lines = file.text.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, count: 3, msg: 'Something happened.' },
    { level: 50, msg: 'It happened again.' },
  ]);
});

test.runIf(process.platform === 'linux')(
  'an exchange with stdout and stderr on /dev/full keeps serving and exits with status 0',
  async () => {
    const dataDir = tempDir();
    const full = openSync('/dev/full', 'w');
    const port = await freePort();
    const main = join(import.meta.dirname, '../../server/main.ts');
    const args = ['start', '--port', String(port), '--no-house', '--log-level', 'info', '--data-dir', dataDir];
    const patientStop = join(import.meta.dirname, '../support/patientStop.ts');
    const nodeArgs = [...nodeOptions, '--import', patientStop];
    const child = spawn(process.execPath, [...nodeArgs, main, ...args], { stdio: ['ignore', full, full] });
    const ended = once(child, 'exit');
    const isUp = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/ok`).then(
        ({ ok }) => ok,
        () => false,
      );
    await vi.waitUntil(async () => child.exitCode !== null || (await isUp()), PATIENCE);
    expect(await isUp()).toBe(true);
    // Lines printed after it began to listen have been refused by now.
    await fetch(`http://127.0.0.1:${port}/events?limit=500`);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    closeSync(full);
  },
);
