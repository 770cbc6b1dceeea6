// Why a mutant of the core may survive: changes that nothing can see, and those that only cost time or memory. Read by main.ts,
// which fails when a survivor has no reason here. A reason names lines by what they say, so that it stays true when they move.
import type { Mutant } from './sites.ts';

export interface Reason {
  readonly file: RegExp;
  /** Matches the line, and what the change makes of it, as `text ⇒ from → to`. */
  readonly change: RegExp;
  readonly text: string;
  /** The mutant is the same program: it cannot be killed. */
  readonly isEqual: boolean;
}

const reasons: readonly Reason[] = [
  {
    file: /./,
    change: /new (?:\w+Array|EventWriter)\(/,
    text: 'The first capacity of a table that grows when it must.',
    isEqual: true,
  },
];

/** The reason for which this mutant may live; undefined when there is none. */
export function reasonOf({ file, text, from, to }: Mutant): Reason | undefined {
  const change = `${text} ⇒ ${from} → ${to}`;
  return reasons.find((reason) => reason.file.test(file) && reason.change.test(change));
}
