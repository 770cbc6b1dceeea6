// A process that does nothing and reports when its event loop stalled all the same. Started by benches that measure stalls,
// so that a stall of the whole machine is not attributed to the measured process.
import { setTimeout as sleep } from 'node:timers/promises';
import { standstillsDuring } from './standstill.ts';
import { answerQuestions } from './talk.ts';

answerQuestions((forMs) => standstillsDuring(() => sleep(Number(forMs))));
