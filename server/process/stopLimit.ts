// How long an orderly stop may take: past that something holds it up for good, such as a disk that hangs, and the process ends
// itself regardless. Read by cli.ts when a stop begins; whoever starts the program inside its own may set it before.

/** What is told to who stops an exchange. */
export const STOP_SECONDS_MAX = 5;

export const stopLimit = { ms: STOP_SECONDS_MAX * 1_000 };
