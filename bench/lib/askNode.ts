// One question to a fresh process of the bench: a TypeScript file that gets its request as one JSON argument and answers
// with JSON on its output. Used where each engine needs a process of its own. It knows nothing of the content.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { STRIP_TYPES } from './stripTypes.ts';

const run = promisify(execFile);

/** The environment of an engine's process: as in the start script, huge pages for large tables. */
export const engineEnvironment = (): NodeJS.ProcessEnv => ({
  GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
  ...process.env,
});

/** Returns the file's answer; throws when it fails. */
export async function askNode(file: string, request: unknown): Promise<unknown> {
  const nodeArgs = [...STRIP_TYPES, file, JSON.stringify(request)];
  const { stdout } = await run(process.execPath, nodeArgs, { maxBuffer: 1 << 24, env: engineEnvironment() });
  return JSON.parse(stdout);
}
