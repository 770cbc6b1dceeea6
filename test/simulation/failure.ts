// What a simulation throws when the exchange did something that must never happen. Thrown by every file of this folder,
// caught by the runner, which shrinks the run to one that fails in the same way.

export class SimulationFailure extends Error {
  /** The same for failures of the same sort: what is broken, without its figures. */
  readonly signature: string;

  constructor(signature: string, text = '') {
    super(text === '' ? signature : `${signature} (${text})`);
    this.signature = signature.replaceAll(/\d+/g, '');
  }
}

/** The failure that an error of the exchange itself amounts to. */
export function failureOf(error: unknown): SimulationFailure {
  if (error instanceof SimulationFailure) return error;
  const text = error instanceof Error ? error.message : String(error);
  const failure = new SimulationFailure(`error: ${text.slice(0, 60)}`, text);
  if (error instanceof Error && error.stack !== undefined) failure.stack = error.stack;
  return failure;
}
