// Simulates a system without room for another thread, where `new Worker` throws. Used by the tests of code that starts
// threads while an exchange runs.
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

/** Makes every start of a thread in this process fail, until the returned function is called. */
export function refuseThreads(): () => void {
  const { Worker } = threads;
  class Refused {
    constructor() {
      throw Object.assign(new Error('EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' }); // as Node does
    }
  }
  threads.Worker = Refused as unknown as typeof Worker; // no instance is ever created
  syncBuiltinESMExports();
  return () => {
    threads.Worker = Worker;
    syncBuiltinESMExports();
  };
}
