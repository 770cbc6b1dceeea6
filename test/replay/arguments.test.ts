// The arguments of the command `replay`: each that cannot be used is refused with the figure and the limit before anything is
// read or sent.
import { expect, test } from 'vitest';
import { runReplay } from '../../server/dev/replay.ts';
import { tempDir } from '../support/tempDir.ts';

const FILE = '/nowhere/flow.csv';

test.each([
  [[], /^replay needs the file of a recorded flow, .* npm run replay -- FILE\.$/],
  [[FILE, 'b'], /^replay: too many arguments/],
  [[FILE, '--bogus'], /^replay: unknown option '--bogus'\.$/],
  [[FILE, '--rows', '0'], /^--rows must be a whole number from 1 to 999999999999999; it is 0\.$/],
  [[FILE, '--rows', '1e3'], /^--rows must be .*; it is 1e3\.$/],
  [[FILE, '--rows', '9'.repeat(16)], /^--rows must be a whole number from 1 /],
  [[FILE, '--check-every', '0'], /^--check-every must be a whole number from 1 to 999999999999999; it is 0\.$/],
  [[FILE, '--accounts', '99'], /^--accounts must be a whole number from 100 to 100000; it is 99\.$/],
  [[FILE, '--accounts', '100001'], /^--accounts must be a whole number from 100 to 100000; it is 100001\.$/],
  [[FILE, '--seed', '-1'], /^--seed must be a whole number from 0 to 999999999999999; it is -1\.$/],
  [[FILE, '--chain', '1'], /^--chain must be 137 or 80002; it is 1\.$/],
  [[FILE, '--url', 'https://127.0.0.1:8080'], /^--url must be an http:\/\/ address such as .*; it is https:/],
  // The lowest and the highest are accepted: only then is the file missed.
  [[FILE, '--rows', '1', '--check-every', '1', '--accounts', '100', '--seed', '0'], /\/nowhere\/flow\.csv/],
  [[FILE, '--accounts', '100000', '--seed', '9'.repeat(15), '--chain', '80002'], /\/nowhere\/flow\.csv/],
])('replay %j is refused', async (args, sentence) => {
  await expect(runReplay(args, {}, tempDir())).rejects.toMatchObject({
    reason: 'usage',
    message: expect.stringMatching(sentence),
  });
});
