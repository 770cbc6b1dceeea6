// Which rounds of a bench are measured again: those in which a hypervisor took much of the processors, until no repetitions
// are left. The clocks are the test's own.
import { describe, expect, test } from 'vitest';
import { Undisturbed } from '../../bench/lib/undisturbed.ts';

/** Rounds of a second on two processors, with these stolen times (ms), one after the other. */
function rounds(againMax: number, stolen: readonly number[]) {
  let [nowMs, stolenMs, at] = [0, 0, 0];
  const clocks = { nowMs: () => nowMs, stolenMs: () => stolenMs, processors: 2, pauseMs: 0 };
  const undisturbed = new Undisturbed(againMax, clocks);
  const measure = (): number => {
    nowMs += 1_000;
    stolenMs += stolen[at];
    at += 1;
    return at;
  };
  return { undisturbed, next: () => undisturbed.round(measure) };
}

describe('rounds of a bench', () => {
  test('count when at most 1 % of the processor time was stolen', async () => {
    const { undisturbed, next } = rounds(5, [0, 20]);
    expect([await next(), await next()]).toEqual([1, 2]);
    expect(String(undisturbed)).toBe('0 measured again, 0 kept nevertheless');
  });

  test('are measured again when more than 1 % was stolen', async () => {
    const { undisturbed, next } = rounds(5, [30, 500, 10, 0]);
    expect([await next(), await next()]).toEqual([3, 4]);
    expect(String(undisturbed)).toBe('2 measured again, 0 kept nevertheless');
  });

  test('are kept when no repetitions are left, and are counted as kept', async () => {
    const { undisturbed, next } = rounds(1, [30, 30, 30]);
    expect([await next(), await next()]).toEqual([2, 3]);
    expect(String(undisturbed)).toBe('1 measured again, 2 kept nevertheless');
  });
});
