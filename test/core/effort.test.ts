// What the core does for speed and memory alone, and no result shows: which orders take the short path (usualOrder.ts), what
// looking ahead finds for the commands of a batch (lookAhead.ts), and that the words of resolved markets serve others (ladderSpace.ts).
import { expect, test } from 'vitest';
import type { Exchange } from '../../engine/core/index.ts';
import {
  AccountFlag,
  type Command,
  type CommandOf,
  encodeCommand,
  limits,
  OrderFlag,
  OrderType,
  PIPS_PER_UNIT,
  Side,
} from '../../engine/protocol/index.ts';
import { orderIdOf, TIME_ZERO_MS } from '../model/names.ts';
import {
  addressOf,
  amountsOf,
  createMarket,
  fund,
  HOUR_MS,
  keyOf,
  offer,
  placeOrder,
  priced,
  split,
  start,
} from '../mutants/offers.ts';
import { foundAhead, memoryOf, takesShortPath } from '../support/coreEffort.ts';
import { DecodingCore } from '../support/decodingCore.ts';
import { messageOf } from '../support/layOut.ts';

const T_MS = TIME_ZERO_MS;
/** In turn: trades in market 0, has money only, and has never been seen. */
const [TRADER, NEWCOMER, STRANGER] = [1, 2, 3];
const MINIMUM_LOTS = 5;
/** Shares of each token that the trader has. */
const SPLIT_MICRO = 1e10;
const [BEST_BID, BEST_ASK] = [1_000, 6_000];

/** A core whose trader has placed an order at 0.60 and one at 0.10, with the same key and signed at the same time. */
class Fixture {
  readonly core = new DecodingCore();
  private label = 1;

  constructor(timestampMs = T_MS) {
    start(this.take, T_MS, HOUR_MS);
    for (const index of [0, 1]) createMarket(this.take, T_MS, index, { tickPips: 10, minOrderLots: MINIMUM_LOTS });
    for (const owner of [TRADER, NEWCOMER]) fund(this.take, T_MS, owner, 1e11);
    split(this.take, T_MS, TRADER, 0, SPLIT_MICRO);
    for (const order of [{ side: Side.SELL, ...amounts(Side.SELL, BEST_ASK, 10) }, amounts(Side.BUY, BEST_BID, 10)]) {
      expect(this.isShort({ ...order, timestampMs }), 'the first orders').toBe(order.side === undefined);
    }
  }

  readonly take = (tMs: number, command: Command): void => void this.core.apply(tMs, command);

  /** Whether the trader's GTC BUY of 10 lots at 0.40, with these changes, takes the short path. */
  isShort(changes: Changes = {}): boolean {
    let isShort = false;
    const order = { ...amounts(Side.BUY, 4_000, 10), ...changes };
    const names = { orderId: orderIdOf(this.label), keyId: keyOf(TRADER), maker: addressOf(TRADER), marketIndex: 0 };
    this.label += 1;
    placeOrder((tMs, command) => (isShort = takesShortPath(this.core.exchange, () => this.take(tMs, command))), T_MS, {
      ...names,
      ...order,
    });
    return isShort;
  }
}

type Changes = Partial<CommandOf<'PlaceOrder'>>;

const amounts = (side: number, pips: number, lots: number): Changes & ReturnType<typeof amountsOf> =>
  amountsOf(side, priced(pips, lots));

test.each<[string, Changes]>([
  ['a BUY of the first token', {}],
  ['a SELL of the first token', { side: Side.SELL, ...amounts(Side.SELL, 7_000, 10) }],
  ['a BUY of the second token', { outcome: 1, ...amounts(Side.BUY, 2_000, 10) }],
  ['a SELL of the second token', { outcome: 1, side: Side.SELL, ...amounts(Side.SELL, 7_000, 10) }],
  ['a BUY one tick below the best ask', amounts(Side.BUY, BEST_ASK - 10, 10)],
  ['a SELL one tick above the best bid', { side: Side.SELL, ...amounts(Side.SELL, BEST_BID + 10, 10) }],
  ['a BUY at the lowest price', amounts(Side.BUY, 10, 10)],
  ['a SELL at the highest price', { side: Side.SELL, ...amounts(Side.SELL, PIPS_PER_UNIT - 10, 10) }],
  ['the least lots', amounts(Side.BUY, 4_000, MINIMUM_LOTS)],
  ['the most lots', amounts(Side.BUY, 10, limits.orderLotsMax)],
])('takes the short path: %s', (_, changes) => {
  expect(new Fixture().isShort(changes)).toBe(true);
});

test.each([T_MS - HOUR_MS, T_MS + limits.timestampAheadMaxMs])(
  'takes the short path: signed at %i, a limit of the window',
  (timestampMs) => {
    expect(new Fixture(timestampMs).isShort({ timestampMs })).toBe(true);
  },
);

test.each<[string, Changes]>([
  ['it is a BUY that crosses', amounts(Side.BUY, BEST_ASK, 10)],
  ['it is a SELL that crosses', { side: Side.SELL, ...amounts(Side.SELL, BEST_BID, 10) }],
  ['it is post-only', { flags: OrderFlag.POST_ONLY }],
  ['it expires', { orderType: OrderType.GTD, expirationS: T_MS / 1_000 + 600 }],
  ['it is FAK', { orderType: OrderType.FAK }],
  ['another key signed its request', { keyId: keyOf(STRANGER) }],
  ['its time is of another slice of ids', { timestampMs: T_MS - HOUR_MS / 2 }],
  ['it has too few lots', amounts(Side.BUY, 4_000, MINIMUM_LOTS - 1)],
  ['its price is off the tick', amounts(Side.BUY, 4_001, 10)],
  ['its id is taken', { orderId: orderIdOf(1) }],
  ['its wallet has no position in the market', { marketIndex: 1 }],
  ['its wallet is new', { maker: addressOf(STRANGER), owner: addressOf(STRANGER), keyId: keyOf(STRANGER) }],
  ['it is not covered', amounts(Side.BUY, 4_000, 100_000_000)],
])('takes the long path, since %s', (_, changes) => {
  expect(new Fixture().isShort(changes)).toBe(false);
});

test('an owner with flags takes the long path', () => {
  const fixture = new Fixture();
  const flags = { mask: AccountFlag.CLOSED_ONLY, flags: AccountFlag.CLOSED_ONLY };
  fixture.take(T_MS, { type: 'SetAccountFlags', owner: addressOf(TRADER), ...flags });
  expect(fixture.isShort()).toBe(false);
});

/** What a core finds for a batch of these commands. */
function lookedAhead(core: Exchange, commands: readonly Command[]): ReturnType<typeof foundAhead> {
  const { message, offsets } = messageOf(commands.map(encodeCommand));
  core.lookAhead(message, offsets, 0, offsets.length);
  return foundAhead(core);
}

function commandsOf(play: (take: (tMs: number, command: Command) => void) => void): Command[] {
  const commands: Command[] = [];
  play((_, command) => commands.push(command));
  return commands;
}

test('looking ahead finds the account of each order, and its position if there is one, past other commands', () => {
  const { core, take } = new Fixture();
  const { exchange } = core;
  split(take, T_MS, NEWCOMER, 1, 1_000_000);
  const order = { side: Side.BUY, ...priced(3_000, 10) };
  const batch = commandsOf((place) => {
    offer(place, T_MS, 11, NEWCOMER, { marketIndex: 1, ...order });
    place(T_MS, { type: 'Tick' });
    offer(place, T_MS, 12, TRADER, { marketIndex: 0, ...order });
    place(T_MS, { type: 'CancelOrders', owner: addressOf(TRADER), keyId: keyOf(TRADER), items: [orderIdOf(1)] });
    offer(place, T_MS, 13, STRANGER, { marketIndex: 0, ...order });
    offer(place, T_MS, 14, TRADER, { marketIndex: 1, ...order });
  });
  const { accounts, positions } = lookedAhead(exchange, batch);
  const [trader, newcomer] = [TRADER, NEWCOMER].map((owner) => exchange.accountIdOf(addressOf(owner)));
  expect(accounts).toEqual([newcomer, trader, -1, trader]);
  // In the order of their creation: the trader's in market 0, then the newcomer's in market 1.
  expect(positions.slice(0, 2)).toEqual([1, 0]);
});

/** The low word of an amount of shares as a float: a position's record begins with it. */
const lowWordOf = (micro: number): number => new Int32Array(Float64Array.of(micro).buffer)[0];
const firstWordOf = (id: string): number => Buffer.from(id.slice(2), 'hex').readInt32LE();

test('of an order it reads the entries of its id, remembered and live, and its position; of a cancel, the position of its order', () => {
  const { core, take } = new Fixture();
  const shares = 1_234_567_891;
  const bid = { marketIndex: 0, side: Side.BUY, ...priced(3_000, 10) };
  split(take, T_MS, NEWCOMER, 0, shares);
  offer(take, T_MS, 11, NEWCOMER, bid);
  const again = commandsOf((place) => offer(place, T_MS, 2, TRADER, bid));
  const cancelOf = (owner: number, label: number): Command => ({
    ...{ type: 'CancelOrders', owner: addressOf(owner), keyId: keyOf(owner), items: [orderIdOf(label)] },
  });
  const read = (...batch: Command[]): number => lookedAhead(core.exchange, batch).read;
  // The second order, whose id comes again, is in slot 1.
  expect(read(...again)).toBe(firstWordOf(orderIdOf(2)) ^ 1 ^ lowWordOf(SPLIT_MICRO));
  expect(read(cancelOf(NEWCOMER, 11))).toBe(lowWordOf(shares));
  expect(read(cancelOf(TRADER, 1), cancelOf(NEWCOMER, 11))).toBe(lowWordOf(SPLIT_MICRO) ^ lowWordOf(shares));
});

test('commands that were looked ahead leave the state and the ids of those that were not', () => {
  const cores = [new Fixture(), new Fixture()];
  const batch = commandsOf((place) => {
    for (let label = 11; label < 20; label += 1) {
      offer(place, T_MS, label, label % 2 === 0 ? TRADER : NEWCOMER, {
        marketIndex: 0,
        side: Side.BUY,
        ...priced(3_000, 10),
      });
    }
  });
  expect(lookedAhead(cores[0].core.exchange, batch).accounts).toHaveLength(batch.length);
  for (const { take } of cores) for (const command of batch) take(T_MS, command);
  const [hashes, expected] = cores.map(({ core: { exchange } }) => [exchange.stateHash(), exchange.idSetHash()]);
  expect(hashes).toEqual(expected);
});

test('markets that come after resolved ones take the words of their ladders', () => {
  const { core, take } = new Fixture();
  const bid = { side: Side.BUY, ...priced(3_000, 10) };
  const counts: number[] = [];
  for (let index = 2; index < 60; index += 1) {
    createMarket(take, T_MS, index);
    offer(take, T_MS, 100 + index, TRADER, { marketIndex: index, ...bid });
    counts.push(memoryOf(core.exchange).ladderWords);
    take(T_MS, { type: 'ResolveMarket', marketIndex: index, resolution: 0 });
  }
  expect(new Set(counts).size).toBe(1);
  // Of two that are open at once, one needs words of its own.
  for (const index of [60, 61]) createMarket(take, T_MS, index);
  for (const index of [60, 61]) offer(take, T_MS, 100 + index, TRADER, { marketIndex: index, ...bid });
  expect(memoryOf(core.exchange).ladderWords).not.toBe(counts[0]);
});
