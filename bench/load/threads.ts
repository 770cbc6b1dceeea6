// How much processor time each thread of a process took: read from /proc before and after a run. Used by orders.ts to show
// where an order's time goes. Without /proc it knows nothing.
import { readdirSync, readFileSync } from 'node:fs';

/** The role of a thread. V8's own threads collect garbage and compile; LMDB writes on libuv's. */
export const THREAD_ROLES = ['main', 'recovery', 'historian', 'LMDB', 'V8'] as const;
export type ThreadRole = (typeof THREAD_ROLES)[number];

/** Nanoseconds on a processor by role; NaN where the system does not report it. */
export type ThreadTimes = Readonly<Record<ThreadRole, number>>;

/** Roles by the system's name of a thread. The main thread and V8's threads bear the program's name. */
const ROLE_OF_NAME: Readonly<Record<string, ThreadRole | undefined>> = {
  recovery: 'recovery',
  historian: 'historian',
  'libuv-worker': 'LMDB',
};

const everyRole = (value: number): Record<ThreadRole, number> => ({
  main: value,
  recovery: value,
  historian: value,
  LMDB: value,
  V8: value,
});

/** The processor time of a process so far: the first number of each thread's schedstat is nanoseconds on a processor. */
export function threadTimes(pid: number | undefined): ThreadTimes {
  const times = everyRole(0);
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'latin1').trim();
      const role = thread === String(pid) ? 'main' : (ROLE_OF_NAME[name] ?? 'V8');
      times[role] += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
    }
    return times;
  } catch {
    return everyRole(Number.NaN);
  }
}

/** The processor time since `before`, for each of `requests` requests. */
export function timesSince(before: ThreadTimes, pid: number | undefined, requests: number): ThreadTimes {
  const times = everyRole(0);
  const now = threadTimes(pid);
  for (const role of THREAD_ROLES) times[role] = (now[role] - before[role]) / requests;
  return times;
}

/** The sum over all roles. */
export const sumOf = (times: ThreadTimes): number => THREAD_ROLES.reduce((sum, role) => sum + times[role], 0);
