// Which threads of a process took how much of the processors: read from /proc before and after a run. Used by orders.ts, so
// that one sees where an order's time goes. On a system without /proc it knows nothing.
import { readdirSync, readFileSync } from 'node:fs';

/** What a thread is there for. V8's own threads collect garbage and compile; LMDB writes on libuv's. */
export const THREAD_ROLES = ['main', 'recovery', 'historian', 'LMDB', 'V8'] as const;
export type ThreadRole = (typeof THREAD_ROLES)[number];

/** Nanoseconds on a processor by role; NaN where the system does not tell. */
export type ThreadTimes = Readonly<Record<ThreadRole, number>>;

/** Names as the system has them; the main thread's and those of V8's are the program's. */
const ROLE_OF_NAME: Readonly<Record<string, ThreadRole | undefined>> = {
  recovery: 'recovery',
  historian: 'historian',
  'libuv-worker': 'LMDB',
};

const timesOf = (value: number): Record<ThreadRole, number> => ({
  main: value,
  recovery: value,
  historian: value,
  LMDB: value,
  V8: value,
});

/** The processor time of a process so far: the first number of each thread's schedstat is nanoseconds on a processor. */
export function threadTimes(pid: number | undefined): ThreadTimes {
  const times = timesOf(0);
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'latin1').trim();
      const role = thread === String(pid) ? 'main' : (ROLE_OF_NAME[name] ?? 'V8');
      times[role] += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
    }
    return times;
  } catch {
    return timesOf(Number.NaN);
  }
}

/** What came on top since `before`, for each of so many requests. */
export function timesSince(before: ThreadTimes, pid: number | undefined, requests: number): ThreadTimes {
  const times = timesOf(0);
  const now = threadTimes(pid);
  for (const role of THREAD_ROLES) times[role] = (now[role] - before[role]) / requests;
  return times;
}

/** All roles together. */
export const sumOf = (times: ThreadTimes): number => THREAD_ROLES.reduce((sum, role) => sum + times[role], 0);
