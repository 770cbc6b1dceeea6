// How long an orderly stop may take. One that takes longer is held up for good, for example by a hanging disk, and the process
// kills itself. Read by run.ts when a stop begins; a program that runs the command line in its own process may change it before.

/** The limit in seconds, as printed when a stop begins. */
export const STOP_SECONDS_MAX = 5;

export const stopLimit = { ms: STOP_SECONDS_MAX * 1_000 };
