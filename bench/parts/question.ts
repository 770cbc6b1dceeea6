// The questions to the process that measures the parts of a posted order (child.ts), and the function that asks them. Used
// by both ends, so that they cannot disagree about the shape of a question or an answer.
import { join } from 'node:path';
import { type Child, startChild } from '../lib/talk.ts';

export type PartName = 'recover' | 'verify' | 'parse' | 'hmac' | 'apply';

interface PartsQuestion {
  readonly parts: readonly PartName[];
  /** How often all parts are measured, in short slices one after another: what slows one part slows its neighbours too. */
  readonly slices: number;
}

/** Nanoseconds per call, one number a slice. */
export type PartTimes = Readonly<Record<PartName, readonly number[]>>;

/** The question as it arrived. */
export function parseQuestion(question: unknown): PartsQuestion {
  return question as PartsQuestion; // only askParts of this file sends any
}

export const startParts = (): Child => startChild(join(import.meta.dirname, './child.ts'));

/** Measures the parts in turns; parts that were not asked for have no times. */
export async function askParts(child: Child, parts: readonly PartName[], slices: number): Promise<PartTimes> {
  const answer = await child.ask({ parts, slices } satisfies PartsQuestion);
  return answer as PartTimes; // child.ts answers nothing else
}
