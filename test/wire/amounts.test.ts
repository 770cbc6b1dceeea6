// The amounts that official clients sign, through an exchange in memory: whatever rounding a client did, the exchange must
// find the price and size that its user meant. Limit orders rest and are read from the book; market orders meet an empty
// book, and their kill states the limit and the size that the exchange derived.
import { expect, test } from 'vitest';
import {
  encodeCommand,
  marketDefaults,
  OrderFlag,
  OrderType,
  openExchange,
  Side,
  TICK_SIZES_PIPS,
  VirtualClock,
} from '../../engine/index.ts';
import { parseLots, parseMicro, parsePips } from '../../server/wire/numbers.ts';
import { ownerCommands } from '../support/commands.ts';
import { orderIdOf, wordOf } from '../support/hex.ts';
import { PLAIN_SETTINGS } from '../support/plainSettings.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { type AmountCase, amountCases } from './amountCases.ts';

const OWNER = `0x${'a1'.repeat(20)}`;
const KEY = `0x${'0c'.repeat(16)}`;
const ticks: readonly number[] = TICK_SIZES_PIPS;
const T0 = 1_700_000_000_000;

/** An exchange with a market for each tick size, at the tick's index, and an owner who can pay anything. */
async function openWorld() {
  const options = { dataDir: undefined, clock: new VirtualClock(T0), settings: PLAIN_SETTINGS, followers: [] };
  const exchange = await openExchange(options);
  const submit = (command: Parameters<typeof encodeCommand>[0]) => exchange.submit(encodeCommand(command));
  for (const [index, tickPips] of ticks.entries()) {
    await submit({
      type: 'CreateMarket',
      eventNumber: 0,
      conditionId: wordOf(index + 1),
      firstToken: wordOf(2 * index + 100),
      secondToken: wordOf(2 * index + 101),
      ...PLAIN_TERMS,
      ...marketDefaults,
      tickPips,
      tail: Buffer.from(JSON.stringify({ slug: `tick-${tickPips}`, question: '?' })),
    });
  }
  const account = { wallet: OWNER, owner: OWNER };
  for (const command of ownerCommands({ owner: OWNER, keyId: KEY }, 1e15)) await submit(command);
  for (const index of ticks.keys()) {
    await submit({ type: 'Split', ...account, keyId: KEY, flags: 0, marketIndex: index, amountMicro: 100_000_000_000 });
  }
  return { submit, close: () => exchange.close() };
}

/** Lots that a market BUY of this budget asks for at its limit. */
const lotsOfBudget = (micro: number, pips: number): number => Math.floor(micro / pips);

function intended([kind, side, , price, size, makerAmount]: AmountCase): { pips: number; lots: number } {
  const pips = parsePips(price)!;
  if (kind === 'market' && side === 'BUY') {
    // Clients round the money to spend down to cents.
    expect(makerAmount).toBe(Math.floor(parseMicro(size)! / 10_000) * 10_000);
    return { pips, lots: lotsOfBudget(makerAmount, pips) };
  }
  const [whole, fraction = ''] = size.split('.');
  return { pips, lots: parseLots(fraction === '' ? whole : `${whole}.${fraction.slice(0, 2)}`)! };
}

test('each of the 71 recorded pairs of amounts gives the price and size that its user meant', async () => {
  expect(amountCases).toHaveLength(71);
  const { submit, close } = await openWorld();
  for (const [index, one] of amountCases.entries()) {
    const [kind, side, tick, , , makerAmountMicro, takerAmountMicro] = one;
    const { events } = await submit({
      type: 'PlaceOrder',
      orderId: orderIdOf(index + 1),
      keyId: KEY,
      maker: OWNER,
      owner: OWNER,
      marketIndex: ticks.indexOf(parsePips(tick)!),
      outcome: 0,
      side: side === 'BUY' ? Side.BUY : Side.SELL,
      orderType: kind === 'limit' ? OrderType.GTC : OrderType.FAK,
      flags: OrderFlag.CLIENT_ACCURACY,
      makerAmountMicro,
      takerAmountMicro,
      timestampMs: T0,
      expirationS: 0,
    });
    const outcome = events.find(
      ({ type }) => type === 'OrderAccepted' || type === 'OrderKilled' || type === 'Rejected',
    );
    const { pips, lots } = intended(one);
    expect(outcome, one.join(' ')).toMatchObject({
      type: kind === 'limit' ? 'OrderAccepted' : 'OrderKilled',
      pricePips: pips,
      originalLots: lots,
    });
    if (kind === 'limit') expect(events).toContainEqual({ type: 'OrderRested', orderNumber: expect.any(Number), lots });
    await submit({ type: 'CancelAll', owner: OWNER, keyId: KEY });
  }
  await close();
});
