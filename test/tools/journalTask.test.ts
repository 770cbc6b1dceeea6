// A task on a journal for which the system can start no process, as in a container with a limit on processes: the command must
// end with a sentence.
import { afterEach, expect, test } from 'vitest';
import { runJournalTask } from '../../server/tools/journalTask.ts';

const { execPath } = process;
afterEach(() => {
  process.execPath = execPath;
});

test('a task whose process cannot be started fails with the reason', async () => {
  process.execPath = '/nonexistent/node';
  expect(await runJournalTask({ kind: 'verify', dataDir: '/nonexistent' })).toEqual({
    kind: 'failed',
    text: 'The process that reads the journal cannot be started: spawn /nonexistent/node ENOENT.',
    sequence: undefined,
  });
});
