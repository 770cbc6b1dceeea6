// The child of the snapshot tests: makes a snapshot of a data directory and kills itself at the given step, as a crash
// would. Started by snapshots.test.ts with the directory and the step; without a step it ends by itself.
import { makeSnapshot } from '../../engine/index.ts';
import { counter } from './workload.ts';

const [dataDir, fatalStep] = process.argv.slice(2);
await makeSnapshot(dataDir, [counter().follower], {
  log: () => {},
  onStep: (step) => {
    if (step === fatalStep) process.kill(process.pid, 'SIGKILL');
  },
});
