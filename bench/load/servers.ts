// The servers of the benches as child processes: the exchange with a data directory of its own, and the bare POST server.
// Each prints one line of JSON with its port once it answers. Used by orders.ts and catalog.ts; every process started here
// is also ended here.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';

export interface ServerProcess {
  readonly port: number;
  readonly pid: number | undefined;
  /** Asks the server to stop and resolves when it has ended. */
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');

/** Starts the exchange on a free port, as `outcry start` with these further flags; answers are durable. */
export function startExchange(dataDir: string, flags: readonly string[]): Promise<ServerProcess> {
  const main = join(root, 'server/main.ts');
  return start([main, 'start', '--data-dir', dataDir, '--port', '0', '--json', ...flags]);
}

/** Starts the bare uWebSockets.js server, which parses a body and answers. */
export function startPostServer(): Promise<ServerProcess> {
  return start([join(import.meta.dirname, './postServer.ts')]);
}

async function start(args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...nodeOptions, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  process.once('exit', () => child.kill());
  const port = await portIn(child.stdout);
  if (port === undefined) throw new Error(`${args[0]} ended with status ${await ended} before it answered.`);
  return {
    port,
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The port in the first line of a server's output that names one; undefined when the output ends without one. */
async function portIn(output: Readable): Promise<number | undefined> {
  for await (const line of createInterface({ input: output })) {
    const facts: unknown = JSON.parse(line);
    if (typeof facts === 'object' && facts !== null && 'port' in facts && typeof facts.port === 'number') {
      output.resume();
      return facts.port;
    }
  }
  return undefined;
}
