// The servers of the load bench as child processes: the exchange with a data directory of its own, and the bare POST
// server. Each prints one line of JSON with its port once it answers. Used by orders.ts; every process started here is also
// ended here.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { STRIP_TYPES } from '../lib/stripTypes.ts';

export interface ServerProcess {
  readonly port: number;
  readonly pid: number | undefined;
  /** Asks the server to stop and resolves when it has ended. */
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, '../..');

/** Starts the exchange on a free port, as `outcry start` without house and throttle; answers are durable. */
export function startExchange(dataDir: string): Promise<ServerProcess> {
  const options = [
    '--no-house',
    '--no-throttle',
    '--port',
    '0',
    '--json',
    '--log-level',
    'warn',
    '--data-dir',
    dataDir,
  ];
  return start([join(root, 'server/main.ts'), 'start', ...options]);
}

/** Starts the bare uWebSockets.js server, which parses a body and answers. */
export function startPostServer(): Promise<ServerProcess> {
  return start([join(import.meta.dirname, './postServer.ts')]);
}

async function start(args: readonly string[]): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...STRIP_TYPES, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const port = await Promise.race([portOf(child), ended]);
  if (typeof port !== 'object' || port === null)
    throw new Error(`${args[0]} ended with status ${port} before it answered.`);
  return {
    port: port.port,
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The port in the first line of the child's output; an object, to tell it from an exit status. */
async function portOf(child: ChildProcess): Promise<{ readonly port: number }> {
  if (child.stdout === null) throw new Error('The child has no output.');
  for await (const line of createInterface({ input: child.stdout })) {
    const said: unknown = JSON.parse(line);
    if (typeof said === 'object' && said !== null && 'port' in said && typeof said.port === 'number') {
      child.stdout.resume();
      return { port: said.port };
    }
  }
  throw new Error('The child named no port.');
}
