// An operator's actions in the house's world, as commands: markets created, paused, closed and resolved, modes of the
// exchange, flags of owners, deleted keys; and a user's actions. Each waits for its record and expects no refusal.
import { expect } from 'vitest';
import { type Command, encodeCommand, MarketField, type MarketStatus, marketDefaults } from '../../engine/index.ts';
import { type Buyer, buyCommand, ownerCommands } from '../support/commands.ts';
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

/** Creates an open market with a first price, as an operator may. @returns its index */
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

/**
 * Creates a user with a key and money.
 * @param digit the digit that makes up its address and key; no other user has it
 */
export async function openUser(world: HouseWorld, digit: string): Promise<Buyer> {
  const user = { owner: `0x${digit.repeat(40)}`, keyId: `0x${digit.repeat(32)}` };
  for (const command of ownerCommands(user)) await act(world, command);
  return user;
}

interface Bought {
  readonly marketIndex: number;
  readonly outcome: 0 | 1;
  readonly pips: number;
  readonly lots: number;
}

/** A user's order that may rest. Its id is made from the user's digits, the market, outcome and price. */
export function buyOrder({ exchange }: HouseWorld, user: Buyer, bought: Bought): Command {
  const { marketIndex, outcome, pips } = bought;
  const id = `${marketIndex.toString(16)}${outcome}${pips.toString(16)}`;
  const orderId = `0x${id.padEnd(64, user.owner.slice(-1))}`;
  return buyCommand(user, { orderId, ...bought, timestampMs: exchange.now() });
}
