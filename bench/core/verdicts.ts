// The sentences in which the figure sheet says whether a bound holds, and whether an engine's results are wrong. Called by
// ../core.ts, which prints them. Machines differ, so a bound that does not hold is only told; a wrong result fails the run.
import { figure } from '../lib/table.ts';
import type { Totals } from '../lib/totals.ts';
import { type Mix, totalsFault } from '../opFile.ts';

export const verdictText = (sentence: string, holds: boolean): string =>
  `${sentence}: ${holds ? 'holds' : 'does not hold'}.`;

/**
 * Whether no garbage was collected in any round of any row. A median over the rounds would hide
 * a collection that happens in fewer than half of them.
 */
export function collectionsText(roundsOfRows: readonly (readonly number[])[], ops: number): string {
  const most = Math.max(...roundsOfRows.flat());
  return verdictText(`Garbage collections in ${figure(ops)} ops: at most ${most} in a round, bound 0`, most === 0);
}

interface Results {
  readonly mix: Pick<Mix, 'name'>;
  readonly engine: string;
  readonly sheets: readonly { readonly totals: Totals }[];
}

/** A sentence for each round of a row in which the engine did not reach the totals that are right after `ops` ops. */
export function resultFaults({ mix, engine, sheets }: Results, ops: number, expected: Totals): string[] {
  return sheets.flatMap(({ totals }) => {
    const fault = totalsFault(engine, ops, totals, expected);
    return fault === undefined ? [] : [`${mix.name}: ${fault}`];
  });
}
