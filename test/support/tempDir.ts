// Temporary folders of tests, mostly data directories: removed even if the test fails. Used by tests that need one for
// themselves; a folder that the tests of a file share is made and removed by its hooks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new folder, removed when the running test and its afterEach hooks have ended. Call it within a test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'outcry-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
