// Ends the process for a reason in its environment: one function, numbered exit statuses. Called at the leaves of start-up
// (configuration, port, data directory); only main.ts turns it into an exit. Never for a defect of ours inside a request:
// http/ catches those, and they too end the process through main.ts.

/** Signals that ask a process to end; the last is sent when a terminal closes. */
export const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Exit statuses, as --help lists them. */
export const exitStatuses = {
  usage: { status: 2, meaning: 'the command line or the configuration is invalid' },
  port: { status: 3, meaning: 'the port is in use or the address cannot be bound' },
  locked: { status: 4, meaning: 'another process uses the data directory' },
  data: { status: 5, meaning: 'the data directory cannot be used, or its journal or secret is damaged' },
  clock: { status: 6, meaning: 'the clock is behind the last record of the journal' },
  storage: {
    status: 7,
    meaning: 'the journal could not be written (if its disk hangs, the process kills itself instead)',
  },
  output: { status: 8, meaning: 'the command succeeded, but its report could not be written' },
  unknown: { status: 9, meaning: 'what the command did is unknown, because the exchange did not say so' },
  defect: { status: 70, meaning: 'the exchange stopped because of a defect in its own code' },
} as const;

type FatalReason = keyof typeof exitStatuses;

/** The reason why the process cannot continue, with its exit status. */
export class FatalError extends Error {
  override readonly name = 'FatalError';
  readonly reason: FatalReason;

  constructor(reason: FatalReason, sentence: string) {
    super(sentence);
    this.reason = reason;
  }

  get status(): number {
    return exitStatuses[this.reason].status;
  }
}

/** Ends the process with the status of `reason` once cli.ts has printed the sentence, which names a remedy. */
export function fatal(reason: FatalReason, sentence: string): never {
  throw new FatalError(reason, sentence);
}
