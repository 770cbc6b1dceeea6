// Shrinks a failing sequence of commands: drops commands as long as the rest still fails. Used by the model test to print a
// readable counter-example, in the notation of scenarios.
import type { TimedCommand } from './generator.ts';
import { TIME_ZERO_MS } from './names.ts';
import { Disagreement, deepest, Pair } from './pair.ts';
import { printCommand } from './printing.ts';

/** Where a sequence first differs, and how. */
interface Found {
  readonly index: number;
  readonly signature: string;
  readonly text: string;
}

/** The first difference between core and reference on a sequence; undefined when there is none. */
export function firstDifference(sequence: readonly TimedCommand[], depth = deepest): Found | undefined {
  const pair = new Pair();
  for (const [index, timed] of sequence.entries()) {
    try {
      pair.apply(timed, depth);
    } catch (error) {
      if (!(error instanceof Disagreement)) throw error;
      return { index, signature: error.signature, text: error.message };
    }
  }
  return undefined;
}

/** A shorter sequence, starting with the same command, that ends in the same kind of difference; stops after `secondsMax`. */
export function shrink(sequence: readonly TimedCommand[], secondsMax = 20): readonly TimedCommand[] {
  const original = firstDifference(sequence);
  if (original === undefined) return sequence;
  const { signature } = original;
  const depth = { all: true, invariants: signature.startsWith('failure') };
  const endsAt = performance.now() + secondsMax * 1000;
  let best = sequence.slice(0, original.index + 1);
  for (let chunk = Math.ceil(best.length / 2); chunk >= 1; chunk = chunk === 1 ? 0 : Math.ceil(chunk / 2)) {
    for (let from = best.length - chunk; from > -chunk && performance.now() < endsAt; from -= chunk) {
      const start = Math.max(1, from);
      const shorter = [...best.slice(0, start), ...best.slice(Math.max(start, from + chunk))];
      const found = firstDifference(shorter, depth);
      if (found?.signature === signature) best = shorter.slice(0, found.index + 1);
    }
  }
  return best;
}

/** A sequence in the notation, one command a line. */
export function printSequence(sequence: readonly TimedCommand[]): string {
  let beforeMs = TIME_ZERO_MS;
  let nextMarket = 0;
  const lines = sequence.map(({ tMs, command }) => {
    const wait = tMs === beforeMs ? '' : `+${tMs - beforeMs}ms `;
    beforeMs = tMs;
    const line = `${wait}${printCommand(command, { tMs, nextLabel: 0, nextMarket })}`;
    if (command.type === 'CreateMarket') nextMarket += 1;
    return line;
  });
  return lines.join('\n');
}
