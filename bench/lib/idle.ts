// A process that does nothing and tells when its loop stood still all the same. Started by benches that measure standstills,
// so that what the machine does to everybody is not taken for theirs.
import { setTimeout as sleep } from 'node:timers/promises';
import { standstillsDuring } from './standstill.ts';
import { answerQuestions } from './talk.ts';

answerQuestions((forMs) => standstillsDuring(() => sleep(Number(forMs))));
