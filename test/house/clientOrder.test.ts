// The amounts that the house and replays sign: those that production accepts, at the intended price. They are compared with
// the amounts that official clients sign.
import { expect, test } from 'vitest';
import { marketPricePips } from '../../engine/core/prices.ts';
import { amountStepMicro, Side, TICK_SIZES_PIPS } from '../../engine/index.ts';
import { clientAmounts, isWholeCents, lotsSpending } from '../../server/dev/clientOrder.ts';
import { parsePips } from '../../server/wire/numbers.ts';
import { Random } from '../model/random.ts';
import { amountCases } from '../wire/amountCases.ts';

test('a take-only BUY spends whole cents and keeps its intended price at every tick size', () => {
  const random = new Random(8);
  for (let turn = 0; turn < 20_000; turn += 1) {
    const tickPips = random.pick([...TICK_SIZES_PIPS]);
    const pips = random.int(1, 10_000 / tickPips - 1) * tickPips;
    const lots = Math.max(random.int(1, 1_000_000), lotsSpending(1_000_000, pips));
    const { makerAmount, takerAmount } = clientAmounts({ side: Side.BUY, pips, lots, tickPips, takesOnly: true });
    const beyond = [makerAmount % 10_000, takerAmount % amountStepMicro(tickPips)]; // the decimals that are allowed
    const isSpent = lots * pips - makerAmount < 10_000 && makerAmount >= 1_000_000;
    expect([...beyond, isSpent]).toEqual([0, 0, true]);
    expect(marketPricePips(makerAmount, takerAmount, tickPips, true), `${lots} at ${pips}, tick ${tickPips}`).toBe(
      pips,
    );
    if (isWholeCents(lots, pips)) expect(Math.floor(makerAmount / pips)).toBe(lots);
  }
});

test('without a minimum to spend, the smallest BUY that lotsSpending allows costs exactly one cent', () => {
  for (const pips of [1, 31, 5_000, 9_999]) {
    const lots = lotsSpending(0, pips);
    const spent = (of: number): number =>
      clientAmounts({ side: Side.BUY, pips, lots: of, tickPips: 1, takesOnly: true }).makerAmount;
    expect([spent(lots - 1), spent(lots)], `at ${pips}`).toEqual([0, 10_000]);
  }
});

test('amounts of limit orders equal those that the official client signs', () => {
  const limits = amountCases.filter(([kind]) => kind === 'limit');
  expect(limits.length).toBeGreaterThan(20);
  for (const [, side, tick, price, , makerAmount, takerAmount] of limits) {
    const isBuy = side === 'BUY';
    const lots = (isBuy ? takerAmount : makerAmount) / 10_000;
    const asked = { side: isBuy ? Side.BUY : Side.SELL, pips: parsePips(price)!, lots, tickPips: parsePips(tick)! };
    expect(clientAmounts({ ...asked, takesOnly: false })).toEqual({ makerAmount, takerAmount });
  }
});
