// A progress bar and the terminal that it changes: whatever ends the process, the cursor is visible afterwards. Each bar is
// in a process of its own, which takes its standard error for a terminal. And the pace of the lines shown elsewhere.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { showProgressLines } from '../../server/process/progress.ts';
import { progressOf } from '../../server/run.ts';

const module = join(import.meta.dirname, '../../server/process/progress.ts');
const HIDDEN = '\u001b[?25l';
const SHOWN = '\u001b[?25h';

/** The output and end of a process that starts a bar on what it takes for a terminal. */
function withBar(then: string) {
  const code = `import { showProgress } from '${module}';
    process.stderr.isTTY = true;
    const bar = showProgress(process.stderr, 'Working', 'records');
    bar.update(1, 10);
    ${then}`;
  const { stderr, status, signal } = spawnSync(
    process.execPath,
    [...nodeOptions, '--input-type=module', '--eval', code],
    { encoding: 'utf8' },
  );
  expect(stderr).toContain('Working');
  return { status, signal, isHidden: stderr.lastIndexOf(HIDDEN) > stderr.lastIndexOf(SHOWN) };
}

test('stopping the progress bar shows the cursor again', () => {
  expect(withBar('bar.stop();')).toEqual({ status: 0, signal: null, isHidden: false });
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  '%s shows the cursor again and ends the process as it would without a bar',
  (name) => {
    const wait = 'setInterval(() => {}, 1_000);';
    const unhandled = withBar(`process.kill(process.pid, '${name}'); ${wait}`);
    expect(unhandled).toEqual({ status: null, signal: name, isHidden: false });
    const handled = withBar(
      `process.on('${name}', () => process.exit(5)); process.kill(process.pid, '${name}'); ${wait}`,
    );
    expect(handled).toEqual({ status: 5, signal: null, isHidden: false });
  },
);

test('process.exit() with a running progress bar shows the cursor again', () => {
  expect(withBar('process.exit(3);')).toEqual({ status: 3, signal: null, isHidden: false });
});

test('the pace of a task counts from its first update, however long ago the process started and whatever was done before', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const stream = new PassThrough({ encoding: 'utf8' });
  const progress = showProgressLines(stream, 'Indexing', 'records');
  for (const total of [40_000, 80_000]) {
    vi.advanceTimersByTime(3_600_000); // an exchange that has run for an hour gets an import
    progress.update(total - 39_600, total);
    expect(stream.read()).toBe(null);
    vi.advanceTimersByTime(10_000);
    progress.update(total - 29_600, total);
    expect(stream.read()).toBe(`Indexing: ${total - 29_600} of ${total} records, 1000 per second, about 30 s left.\n`);
    progress.update(total - 29_500, total);
    expect(stream.read()).toBe(null); // a line every ten seconds
    progress.stop();
  }
});

test.each([
  ['--json, whose log has one object on each line', { isJson: true, isQuiet: false }, 0],
  ['--quiet', { isJson: false, isQuiet: true }, 0],
  ['neither', { isJson: false, isQuiet: false }, 1],
])('progress on the journal is shown according to the flags: %s', (_flag, config, times) => {
  const [update, stop] = [vi.fn(), vi.fn()];
  const show = progressOf(config, 'Reading the journal', () => ({ update, stop }));
  show(9, 10);
  expect([update, stop].map(({ mock }) => mock.calls.length)).toEqual([times, 0]);
  show(10, 10); // the last record ends it
  expect([update, stop].map(({ mock }) => mock.calls.length)).toEqual([2 * times, times]);
});
