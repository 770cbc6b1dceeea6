// A server process of a test file's own, in a fresh folder and without house liquidity, so that nobody trades but the tests:
// started before them, stopped after them. Imported for what it exports, which is there once the tests run. Files that need
// traders too take them from twoTraders.ts or threeTraders.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/process.ts';

export let world: ServerProcess;
let dataDir: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'outcry-conformance-'));
  world = await startServerProcess({ dataDir, args: ['--no-house'] });
});
afterAll(async () => {
  await world.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
