// A server process for the fault tests: started on a folder and a port, told where to crash, asked for the hash of its
// state, and killed. Used by the crash run and by the tests of failing disks. It never looks into the folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeOptions } from '../../.ci/nodeOptions.mjs';
import { follow, type ProcessEnd, serverEnvironment } from '../support/process.ts';
import type { CrashPoint, ParentMessage, StateReport } from './crashPoints.ts';

const root = join(import.meta.dirname, '../..');
const POLL_MS = 20;

export interface ChildOptions {
  readonly dataDir: string;
  readonly port: number;
  /** A program with arguments that runs the server, instead of running it directly. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a stop may take no longer than for anybody: for disks that keep it from ending. */
  readonly hasStopLimit?: boolean;
  /** Whether its journal gives up a flush that hangs at once, not after ten minutes. */
  readonly isImpatient?: boolean;
}

export interface Child {
  readonly url: string;
  readonly pid: number;
  /** Everything printed so far, on both streams. */
  readonly output: string;
  /** Resolves when the process has ended. */
  readonly ended: Promise<ProcessEnd>;
  readonly isRunning: boolean;
  /** Resolves with true once the server answers, with false when it has ended before. */
  ready(): Promise<boolean>;
  /** The hash of its current state; undefined when it ends before it answers. */
  state(): Promise<StateReport | undefined>;
  /** Makes the process kill itself when it passes the point for the n-th time from now. */
  crashAt(point: CrashPoint, passage: number): void;
  kill(signal: NodeJS.Signals): void;
}

/** Whether the server answers; a port that merely accepts connections may only be under a probe. */
async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/ok`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function spawnChild(options: ChildOptions): ChildProcess {
  const { dataDir, port, under = [], env = {}, hasStopLimit = false, isImpatient = false } = options;
  const loaded = [
    'test/faults/crashPoints.ts',
    ...(hasStopLimit ? [] : ['test/support/patientStop.ts']),
    ...(isImpatient ? ['test/faults/impatient.ts'] : []),
  ];
  const command = [
    ...[...under, process.execPath, ...nodeOptions, ...loaded.flatMap((file) => ['--import', join(root, file)])],
    join(root, 'server/main.ts'),
    ...['start', '--quiet', '--no-house', '--no-throttle', '--log-level', 'warn', '--port', String(port)],
    ...['--data-dir', dataDir],
  ];
  return spawn(command[0], command.slice(1), {
    cwd: root,
    env: serverEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

/** Starts a server; `ready` tells whether it ever answers. */
export function startChild(options: ChildOptions): Child {
  const child = spawnChild(options);
  const { state: printed, ended } = follow(child);
  let isRunning = true;
  child.once('close', () => {
    isRunning = false;
  });
  // A process that has just ended takes no message; `ended` reports its end.
  const send = (message: ParentMessage): void => void child.send(message, () => {});
  const url = `http://127.0.0.1:${options.port}`;
  return {
    url,
    pid: child.pid ?? -1,
    get output() {
      return printed.output;
    },
    ended,
    get isRunning() {
      return isRunning;
    },
    async ready() {
      while (isRunning) {
        if (await answers(url)) return true;
        await sleep(POLL_MS);
      }
      return false;
    },
    async state() {
      if (!isRunning) return undefined;
      const report = new Promise<StateReport>((resolve) => {
        child.once('message', (message) => resolve(message as StateReport)); // the preloaded module sends nothing else
      });
      send('state');
      return Promise.race([report, ended.then(() => undefined)]);
    },
    crashAt(point, passage) {
      send({ crashAt: point, passage });
    },
    kill(signal) {
      child.kill(signal);
    },
  };
}
