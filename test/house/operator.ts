// An operator's actions in the house's world, as commands: markets created, paused, closed and resolved, modes of the
// exchange, flags of owners, deleted keys; and a user's actions. Each waits for its record and expects no refusal.
import { expect } from 'vitest';
import {
  type Command,
  encodeCommand,
  MarketField,
  type MarketStatus,
  marketDefaults,
  OrderType,
  Side,
} from '../../engine/index.ts';
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

/** A user's wallet with money, and its key. */
export interface User {
  readonly address: string;
  readonly keyId: string;
}

/** @param digit the digit that makes up its address and key; no other user has it */
export async function openUser(world: HouseWorld, digit: string): Promise<User> {
  const user = { address: `0x${digit.repeat(40)}`, keyId: `0x${digit.repeat(32)}` };
  const { address: owner, keyId } = user;
  await act(world, { type: 'CreateApiKey', owner, keyId, nonce: 0, generation: 0, kind: 0, items: [] });
  await act(world, { type: 'Deposit', wallet: owner, owner, amountMicro: 1_000_000_000_000, isFaucet: 1 });
  return user;
}

interface Bought {
  readonly marketIndex: number;
  readonly outcome: 0 | 1;
  readonly pips: number;
  readonly lots: number;
}

/**
 * A GTC BUY by a wallet that signs nothing: the core checks no signature. The id is made from the user's digits, the
 * market, outcome and price.
 */
export function buyOrder(
  { exchange }: HouseWorld,
  { address, keyId }: User,
  { marketIndex, outcome, pips, lots }: Bought,
): Command {
  const id = `${marketIndex.toString(16)}${outcome}${pips.toString(16)}`;
  return {
    ...{ type: 'PlaceOrder', orderId: `0x${id.padEnd(64, address.slice(-1))}`, keyId, maker: address, owner: address },
    ...{ marketIndex, outcome, side: Side.BUY, orderType: OrderType.GTC, flags: 0 },
    ...{ makerAmountMicro: lots * pips, takerAmountMicro: lots * 10_000, timestampMs: exchange.now(), expirationS: 0 },
    tail: new Uint8Array(),
  };
}
