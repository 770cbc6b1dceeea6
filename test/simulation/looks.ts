// Which seeds are looked at more closely than the others, in ways that would cost too much for each. Used by run.ts, which
// does it, and by main.ts, which hands the seeds to processes.

/** Whether every command of a seed is compared with the reference exchange. */
export const hasReference = (seed: number): boolean => seed % 19 === 0;

/** Whether a seed is replayed from its first record at the end, even if it was never restarted on the way. */
export const hasFinalReplay = (seed: number): boolean => seed % 15 === 0;

/** Whether the historian is queried about the whole log of a seed. */
export const hasHistorian = (seed: number): boolean => seed % 25 === 24;
