// The server as a process of its own, started as a user would start it, for tests of signals, crashes and restarts, and for
// tests that may use nothing but HTTP. It never inherits OUTCRY_* variables or PORT from the environment of the test run.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';

const root = join(import.meta.dirname, '../..');

interface ServerProcessOptions {
  /** When omitted, no folder is passed. */
  readonly dataDir?: string;
  /** Further arguments, after the port and the folder; without `--house` the house is off. */
  readonly args?: readonly string[];
  /** `start` by default. */
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Starts with `--quiet` on this port, and waits until the server answers instead of for its banner. */
  readonly quietPort?: number;
  /** Working directory; the repository's root by default. */
  readonly cwd?: string;
}

/** How a process ended. */
export interface ProcessEnd {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Everything printed so far, on both streams. */
  readonly output: string;
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<ProcessEnd>;
  /** Sends a signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<ProcessEnd>;
  /** Asks the process to stop (SIGTERM) and waits for the end; throws unless its status is 0. */
  stop(): Promise<void>;
}

/** A process that has ended, either before it was ready or because it was not a server. */
interface FinishedProcess extends ProcessEnd {
  /** Everything printed, on both streams. */
  readonly output: string;
  /** Everything printed on standard output alone: what another program would read. */
  readonly stdout: string;
}

/** The environment of a server: that of the test run without the exchange's own variables, and `more`. */
export function serverEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('OUTCRY_') && name !== 'PORT');
  return { ...Object.fromEntries(kept), ...more };
}

/** Runs a command line, from the repository's root unless told otherwise; for `follow`. */
export function spawnServer(args: readonly string[], options: ServerProcessOptions): ChildProcess {
  const { cwd = root, env } = options;
  const main = join(root, 'server/main.ts');
  const loaded = ['test/support/openApiProbe.ts', 'test/support/patientStop.ts'];
  const imports = loaded.flatMap((file) => ['--import', join(root, file)]);
  return spawn(process.execPath, [...nodeOptions, ...imports, main, ...args], {
    cwd,
    env: serverEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve({ status, signal }));
  });
}

/** Runs a command line to its end and returns its output: for wrong flags, --help and refusals to start. */
export async function runToEnd(args: readonly string[], options: ServerProcessOptions = {}): Promise<FinishedProcess> {
  const { state, ended } = follow(spawnServer(args, options));
  return { ...(await ended), output: state.output, stdout: state.stdout };
}

/** Follows a running process: what it prints, on both streams and on standard output alone, its end, and a way to end it. */
export function follow(child: ChildProcess) {
  const ended = endOf(child);
  const state = { output: '', stdout: '' };
  const gather = (text: string): void => {
    state.output += text;
    child.emit('printed');
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    state.stdout += text;
    gather(text);
  });
  child.stderr?.setEncoding('utf8').on('data', gather);
  const kill = (signal: NodeJS.Signals): Promise<ProcessEnd> => {
    child.kill(signal);
    return ended;
  };
  return { child, state, ended, kill };
}

function urlInBanner(output: string): string | undefined {
  const found = /"url":"(http[^"]+)"|URL\s+(http\S+)/.exec(output);
  return found !== null && /^ready$|"ready":true/m.test(output) ? (found[1] ?? found[2]) : undefined;
}

/**
 * The URL as soon as the server reports that it is ready, or, where it is silent (`--quiet` and a given port), as soon as it
 * answers; `tooSoon` once the process has ended.
 */
async function readyUrl(
  child: ChildProcess,
  state: { readonly output: string },
  quietPort: number | undefined,
  tooSoon: Promise<never>,
): Promise<string> {
  while (child.exitCode === null && child.signalCode === null) {
    const url = urlInBanner(state.output);
    if (url !== undefined) return url;
    if (quietPort === undefined) await Promise.race([once(child, 'printed'), tooSoon]);
    else {
      await sleep(50);
      const isUp = await fetch(`http://127.0.0.1:${quietPort}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isUp) return `http://127.0.0.1:${quietPort}`;
    }
  }
  return tooSoon;
}

/** Starts a server on a free port and waits until it is ready; throws with its output when it ends before that. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { dataDir, args = [], command = 'start', quietPort } = options;
  const folder = dataDir === undefined ? [] : ['--data-dir', dataDir];
  const quiet = quietPort === undefined ? [] : ['--quiet'];
  const house = args.includes('--house') ? [] : ['--no-house'];
  const { child, state, ended, kill } = follow(
    spawnServer([command, '--port', String(quietPort ?? 0), ...quiet, ...house, ...folder, ...args], options),
  );
  const tooSoon = ended.then(({ status, signal }): never => {
    throw new Error(`the server ended with ${status ?? signal} before it was ready:\n${state.output}`);
  });
  tooSoon.catch(() => {}); // once it is ready, the caller watches for its end
  const url = await readyUrl(child, state, quietPort, tooSoon);
  return {
    url,
    pid: child.pid ?? -1,
    get output() {
      return state.output;
    },
    ended,
    kill,
    async stop() {
      const { status, signal } = await kill('SIGTERM');
      if (status !== 0) throw new Error(`the server stopped with ${status ?? signal}:\n${state.output}`);
    },
  };
}
