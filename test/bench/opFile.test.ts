// The generator of the matching bench: the same ops for every engine, the stated number of resting orders, and an order
// book of its own that our book, the exchange and the peer all agree with. No clock is read here.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { bookCore, bookCoreWithIds } from '../../bench/engines/bookCore.ts';
import type { EngineFactory } from '../../bench/engines/engine.ts';
import { nodejsOrderBook } from '../../bench/engines/nodejsOrderBook.ts';
import { applyBatchAlone, wholeApply } from '../../bench/engines/wholeApply.ts';
import { emptyTotals, type Totals } from '../../bench/lib/totals.ts';
import { type Mix, makeOpFile, mixes, OP_BYTES, type OpFile, OpType } from '../../bench/opFile.ts';

const SEED = 7;
const opFileOf = (mix: Mix, settleOps: number, timedOps: number): OpFile =>
  makeOpFile({ mix, seed: SEED, settleOps, timedOps, checkpoints: [timedOps] });

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Runs a whole op file through an engine in two steps, since engines are called chunk by chunk. */
function totalsAfter(makeEngine: EngineFactory, opFile: OpFile, { ticks, books }: Mix): Totals {
  const engine = makeEngine({ bytes: opFile.bytes, ticks, books });
  const ops = opFile.bytes.length / OP_BYTES;
  const half = ops >> 1;
  for (const [from, to] of [
    [0, half],
    [half, ops],
  ]) {
    engine.prepare(from, to);
    engine.run(from, to);
  }
  return engine.totals();
}

describe('the op file', () => {
  test('is the same for the same request, to the byte', () => {
    const ops = 100_000 * OP_BYTES;
    const first = opFileOf(mixes.mix, 0, 1).bytes.subarray(0, ops);
    expect(sha256(first)).toBe(sha256(opFileOf(mixes.mix, 0, 1).bytes.subarray(0, ops)));
    expect(sha256(first)).toMatchInlineSnapshot(`"a52ae05fff54ffeba33e14e7c5264f8c4131b4dbcd2e310cb0fe4902bdc7389b"`);
    const other = makeOpFile({ mix: mixes.mix, seed: SEED + 1, settleOps: 0, timedOps: 1, checkpoints: [1] });
    expect(sha256(other.bytes.subarray(0, ops))).not.toBe(sha256(first));
  });

  test.each(Object.values(mixes))(
    'keeps the resting orders of $name on $ticks ticks within 5 percent of their target number',
    (mix) => {
      const { restingRange } = opFileOf(mix, 100_000, 200_000);
      expect(restingRange[0]).toBeGreaterThan(mix.restingOrders * 0.95);
      expect(restingRange[1]).toBeLessThan(mix.restingOrders * 1.05);
    },
  );

  test('has the shares of adds, cancels and takes set by the mix, and 60 % of the takes are all-or-nothing', () => {
    const { bytes, prefillOps } = opFileOf(mixes.small, 0, 100_000);
    const counts = [0, 0, 0, 0];
    for (let at = prefillOps * OP_BYTES; at < bytes.length; at += OP_BYTES) counts[bytes[at]] += 1;
    const takes = counts[OpType.TAKE] + counts[OpType.TAKE_ALL_OR_NOTHING];
    expect(counts[OpType.ADD] / 100_000).toBeCloseTo(0.55, 2);
    expect(counts[OpType.CANCEL] / 100_000).toBeCloseTo(0.35, 2);
    expect(takes / 100_000).toBeCloseTo(0.1, 2);
    expect(counts[OpType.TAKE_ALL_OR_NOTHING] / takes).toBeCloseTo(0.6, 1);
  });
});

describe.each([mixes.small, { ...mixes.mix999, restingOrders: 5_000 }])('on $ticks ticks', (mix) => {
  const opFile = opFileOf(mix, 0, 20_000);
  const expected = opFile.expected[0]?.totals ?? emptyTotals();

  test('the ops produce over 1,000 fills and leave over 4,000 orders resting', () => {
    expect(expected.fills).toBeGreaterThan(1_000);
    expect(expected.restingOrders).toBeGreaterThan(4_000);
  });

  test.each([
    ['nodejs-order-book', nodejsOrderBook],
    ['the book core', bookCore],
    ['the book core with ids', bookCoreWithIds],
    ['the exchange', wholeApply],
    ['the exchange whose events a second run reads', applyBatchAlone],
  ] as const)('%s agrees with the model on fills, lots, notional and resting orders', (_name, makeEngine) => {
    expect(totalsAfter(makeEngine, opFile, mix)).toEqual(expected);
  });
});
