// Bids, asks and trades at the prices and times that a test picks. Their two owners need no signature, so the clock may
// stand anywhere. Used by the tests that compare the figures of markets.
import { type Command, encodeCommand } from '../../engine/index.ts';
import { buyCommand, ownerCommands } from '../support/commands.ts';
import { orderIdOf } from '../support/hex.ts';
import type { CatalogWorld } from './world.ts';

/** A price of the first token in pips, and whole shares. */
type Quote = readonly [pips: number, shares: number];
type Place = (slug: string, quote: Quote) => Promise<void>;

export interface Quotes {
  /** Bids for the first token. */
  readonly bid: Place;
  /** Asks of the first token, as bids for the second. */
  readonly ask: Place;
  /** Lets a buyer of the first token take an ask. */
  readonly trade: Place;
}

const LOTS_PER_SHARE = 100;
const buyerOf = (outcome: number) => ({
  owner: `0x${`1${outcome}`.repeat(20)}`,
  keyId: `0x${`2${outcome}`.repeat(16)}`,
});

/** Gives the owner of each side money and a key. */
export async function openQuotes({ server: { exchange, services } }: CatalogWorld): Promise<Quotes> {
  let orderCount = 0;
  const submit = async (command: Command): Promise<void> => {
    const { events } = await exchange.submit(encodeCommand(command));
    if (events.some(({ type }) => type === 'Rejected')) throw new Error(`${command.type} is rejected`);
  };
  const buy = (slug: string, outcome: 0 | 1, pips: number, shares: number): Promise<void> => {
    orderCount += 1;
    const marketIndex = services.views.markets.bySlug(slug)?.index ?? -1;
    const order = { orderId: orderIdOf(orderCount), marketIndex, timestampMs: exchange.now() };
    return submit(buyCommand(buyerOf(outcome), { ...order, outcome, pips, lots: shares * LOTS_PER_SHARE }));
  };
  const bid: Place = (slug, [pips, shares]) => buy(slug, 0, pips, shares);
  const ask: Place = (slug, [pips, shares]) => buy(slug, 1, 10_000 - pips, shares);
  const trade: Place = async (slug, quote) => {
    await ask(slug, quote);
    await bid(slug, quote);
  };
  for (const command of [0, 1].flatMap((outcome) => ownerCommands(buyerOf(outcome)))) await submit(command);
  return { bid, ask, trade };
}
