// A progress bar and the terminal that it changes: whatever ends the process, the cursor is visible afterwards. Each bar is
// in a process of its own, which takes its standard error for a terminal.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';

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
