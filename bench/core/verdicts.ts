// The sentences in which the figure sheet says whether a bound holds. Called by ../core.ts, which prints them. Machines differ,
// so a bound that does not hold is only told.
import { figure } from '../lib/table.ts';

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
