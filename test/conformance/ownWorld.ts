// A server process for one test file, in a fresh folder and without house liquidity, so that only the tests trade: started
// before them, stopped after them. Imported for its export, which is set once the tests run. Files that also need traders
// take them from twoTraders.ts or threeTraders.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/process.ts';

export let world: ServerProcess;
let dataDir: string;
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'outcry-conformance-'));
  world = await startServerProcess({ dataDir });
});
afterAll(async () => {
  await world.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
