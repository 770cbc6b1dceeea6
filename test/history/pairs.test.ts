// The stored form of a pair of positions: whatever was bought and sold, also in millionths of a share whose cost is nothing, it
// reads back as it was.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buy, LEG, sell } from '../../server/history/figures.ts';
import {
  decodePair,
  encodePair,
  isClosed,
  legAt,
  PAIR,
  PAIR_BYTES_MAX,
  PAIR_NUMBERS,
} from '../../server/history/pairs.ts';

const START = PAIR_NUMBERS; // a pair that is not the first in memory
const T_MS = 1_750_000_000_000;

const moves = fc.array(fc.record({ isSale: fc.boolean(), size: fc.constantFrom(1, 2, 3, 10_000), cost: fc.nat(3) }), {
  maxLength: 6,
});
const leg = fc.record({ moves, place: fc.nat(2 ** 32 - 1) });

test('a pair of positions reads back as it was stored', () => {
  fc.assert(
    fc.property(fc.tuple(leg, leg), fc.boolean(), (legs, hasTraded) => {
      const numbers = new Float64Array(3 * PAIR_NUMBERS);
      numbers.fill(Number.NaN, START + PAIR.closed, START + PAIR_NUMBERS);
      numbers[START + PAIR.flags] = hasTraded ? 1 : 0;
      for (const [outcome, one] of legs.entries()) {
        const at = legAt(START, outcome);
        for (const [index, { isSale, size, cost }] of one.moves.entries()) {
          const held = numbers[at + LEG.size];
          if (!isSale) buy(numbers, at, size, cost, T_MS + index);
          else if (held > 0) sell(numbers, at, Math.min(size, held), cost, T_MS + index);
        }
        if (numbers[at + LEG.bought] > 0) numbers[START + PAIR.holders + outcome] = one.place;
        if (isClosed(numbers, at)) numbers[START + PAIR.closed + outcome] = numbers[at + LEG.realized];
      }
      const bytes = new Uint8Array(PAIR_BYTES_MAX);
      const end = encodePair(numbers, START, new DataView(bytes.buffer), 0);
      const read = new Float64Array(3 * PAIR_NUMBERS).fill(7); // other numbers are overwritten, and only there
      decodePair(read, START, bytes.subarray(0, end));
      expect(read.subarray(START, 2 * PAIR_NUMBERS)).toEqual(numbers.subarray(START, 2 * PAIR_NUMBERS));
      expect(new Set([...read.subarray(0, START), ...read.subarray(2 * PAIR_NUMBERS)])).toEqual(new Set([7]));
    }),
    { numRuns: 1_000 },
  );
});
