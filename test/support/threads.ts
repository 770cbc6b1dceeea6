// A system that has no room for another thread: `new Worker` throws there. Used by the tests of what begins threads while an
// exchange runs.
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

/** Lets nothing in this process start a thread until the function that it returns is called. */
export function refuseThreads(): () => void {
  const { Worker } = threads;
  class Refused {
    constructor() {
      throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' }); // as Node has it
    }
  }
  threads.Worker = Refused as unknown as typeof Worker; // nothing is ever made of it
  syncBuiltinESMExports();
  return () => {
    threads.Worker = Worker;
    syncBuiltinESMExports();
  };
}
