// One question to a fresh process of the bench: a TypeScript file that gets its request as one JSON argument and answers
// with JSON on its output. Used where each engine needs a process of its own. It knows nothing of the content.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { nodeEnvironment, nodeOptions } from '../../.ci/nodeOptions.mjs';

const run = promisify(execFile);

/** The environment of an engine's process: as npm scripts start theirs. */
export const engineEnvironment = (): NodeJS.ProcessEnv => ({ ...nodeEnvironment, ...process.env });

/** Returns the file's answer; throws when it fails. */
export async function askNode(file: string, request: unknown): Promise<unknown> {
  const nodeArgs = [...nodeOptions, file, JSON.stringify(request)];
  const { stdout } = await run(process.execPath, nodeArgs, { maxBuffer: 1 << 24, env: engineEnvironment() });
  return JSON.parse(stdout);
}
