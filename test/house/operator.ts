// What an operator does to the house's world, as commands: markets made, paused, closed and resolved, modes of the exchange,
// flags of owners, deleted keys. Each waits for its record and expects it not to be refused.
import { expect } from 'vitest';
import { type Command, encodeCommand, MarketField, type MarketStatus, marketDefaults } from '../../engine/index.ts';
import type { HouseWorld } from './world.ts';

/** Submits a command that must be accepted. */
export async function act({ exchange }: HouseWorld, command: Command): Promise<void> {
  const { events } = await exchange.submit(encodeCommand(command));
  expect(events.find(({ type }) => type === 'Rejected')).toBeUndefined();
}

export function setStatus(world: HouseWorld, marketIndex: number, status: MarketStatus): Promise<void> {
  return act(world, {
    type: 'UpdateMarket',
    marketIndex,
    mask: MarketField.STATUS,
    status,
    negRisk: 0,
    autoTick: 0,
    ...marketDefaults,
  });
}

const hash = (digit: string): string => `0x${digit.repeat(64)}`;

/** Makes an open market with a first price, as an operator may. @returns its index */
export async function makeMarket(world: HouseWorld): Promise<number> {
  const texts = { slug: 'rain-in-the-test', question: 'Does it rain?', outcomes: ['Wet', 'Dry'], lastPrice: '0.31' };
  await act(world, {
    type: 'CreateMarket',
    eventNumber: 0,
    conditionId: hash('a'),
    firstToken: hash('b'),
    secondToken: hash('c'),
    status: 1,
    negRisk: 0,
    autoTick: 0,
    ...marketDefaults,
    tail: Buffer.from(JSON.stringify(texts)),
  });
  return world.services.views.markets.byCondition(hash('a'))?.index ?? -1;
}
