// The error of a simulation in which the exchange did something that must never happen. Thrown by every file of this
// folder, caught by the runner, which shrinks the run to one that fails in the same way.
import { reasonOf } from '../../engine/index.ts';

export class SimulationFailure extends Error {
  /** The same for failures of the same kind: the broken rule without its figures. */
  readonly signature: string;

  constructor(signature: string, text = '') {
    super(text === '' ? signature : `${signature} (${text})`);
    this.signature = signature.replaceAll(/\d+/g, '');
  }
}

/** Converts an error of the exchange itself into a failure. */
export function failureOf(error: unknown): SimulationFailure {
  if (error instanceof SimulationFailure) return error;
  // A follower of the simulation stopped the exchange, which reports that in its own words.
  if (error instanceof Error && error.cause instanceof SimulationFailure) return error.cause;
  const failure = new SimulationFailure(`error: ${kindOf(error)}`, reasonOf(error));
  if (error instanceof Error && error.stack !== undefined) failure.stack = error.stack;
  return failure;
}

/** The kind of the innermost error, with its text after the name of a field or place. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return kindOf(error.cause);
  const text = error.message.slice(error.message.indexOf(':') + 1);
  return `${error.name}: ${text.trim().slice(0, 40)}`;
}
