// Ladders against lists of orders by price, many of them side by side in one space: whatever comes, goes and moves onto another
// grid in one of them, each has its own orders at their prices in the order of their arrival, and its own best prices. And the
// space itself: no two blocks share a word, and what is given back is used again.
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import { ASK, BID, Ladder } from '../../engine/core/ladder.ts';
import { type Block, LadderSpace } from '../../engine/core/ladderSpace.ts';
import { NONE, OrderPool } from '../../engine/core/orderPool.ts';
import { type Command, EventWriter, encodeCommand, OrderType, Side } from '../../engine/protocol/index.ts';
import { marketIds, orderIdOf } from '../model/names.ts';
import { Random } from '../model/random.ts';
import { addressOf, keyOf, terms } from '../mutants/situations.ts';

const SEED = 23;
const LADDERS = 40;
const STEPS = 60_000;
const CHECK_EVERY = 500;
/** Every grid that a tick of the wire or an order off it may need, fine ones seldom: a ladder of one pip has 10,000 levels. */
const GRIDS = [100, 100, 100, 10, 10, 25, 50, 5, 1];
const MIDDLE_PIPS = 5_000;
/** A book with more orders than these loses more than it gets: few enough that coarse grids hold them again, now and then. */
const FULL = 12;

interface Resting {
  readonly slot: number;
  readonly pips: number;
  readonly side: number;
}

class World {
  readonly random = new Random(SEED);
  readonly pool = new OrderPool();
  readonly space = new LadderSpace();
  /** How often a ladder with orders moved, by the grids it moved between. */
  readonly moves = new Map<string, number>();
  readonly books: { readonly ladder: Ladder; resting: Resting[] }[] = Array.from({ length: LADDERS }, () => ({
    ladder: new Ladder(this.random.pick(GRIDS), this.space),
    resting: [],
  }));

  /** One order more, one fewer, another grid, or room for others where there is no order, in one of the ladders. */
  step(): void {
    const book = this.random.pick(this.books);
    if (book.resting.length === 0 && this.random.chance(30)) book.ladder.vacate();
    else if (this.random.chance(1)) this.regrid(book);
    else if (this.random.chance(book.resting.length > FULL ? 70 : 45) && book.resting.length > 0) this.remove(book);
    else this.append(book);
  }

  check(): void {
    for (const { ladder, resting } of this.books) {
      ladder.checkInvariants(this.pool, (slot) => this.pool.sideOf(slot));
      const bids = resting.filter(({ side }) => side === BID).map(({ pips }) => pips);
      const asks = resting.filter(({ side }) => side === ASK).map(({ pips }) => pips);
      expect(ladder.bestPips(BID)).toBe(Math.max(0, ...bids));
      expect(ladder.bestPips(ASK)).toBe(Math.min(10_000, ...asks));
      expect(this.slotsIn(ladder)).toEqual(this.expected(resting));
    }
  }

  private append(book: World['books'][number]): void {
    const { pool, random } = this;
    const { ladder } = book;
    const side = random.int(BID, ASK);
    const away = random.int(1, random.chance(90) ? 12 : ladder.levelCount / 2 - 1) * ladder.gridPips;
    const pips = MIDDLE_PIPS + (side === BID ? -away : away);
    pool.makeRoom();
    const slot = pool.allocate(1, side, 0, pips, 1, 0, 0, 0);
    ladder.append(pool, slot, side);
    book.resting.push({ slot, pips, side });
  }

  private remove(book: World['books'][number]): void {
    const [left] = book.resting.splice(this.random.int(0, book.resting.length - 1), 1);
    book.ladder.remove(this.pool, left.slot);
    this.pool.release(left.slot);
  }

  /** Onto a grid that all its prices lie on; the middle does on each. */
  private regrid({ ladder, resting }: World['books'][number]): void {
    const gridPips = this.random.pick(GRIDS);
    if (resting.length === 0 || resting.some(({ pips }) => pips % gridPips !== 0)) return;
    const move = `${ladder.gridPips} to ${gridPips}`;
    this.moves.set(move, (this.moves.get(move) ?? 0) + 1);
    ladder.regrid(gridPips);
  }

  /** All slots of a ladder, by price and arrival. */
  private slotsIn(ladder: Ladder): number[] {
    const slots: number[] = [];
    for (let level = 0; level < ladder.levelCount; level += 1) {
      for (let slot = ladder.firstOf(level); slot !== NONE; slot = this.pool.nextOf(slot)) slots.push(slot);
    }
    return slots;
  }

  private expected(resting: readonly Resting[]): number[] {
    return [...resting].sort((a, b) => a.pips - b.pips).map(({ slot }) => slot);
  }
}

test('ladders of one space hold their own orders and best prices, on any grid', () => {
  const world = new World();
  for (let step = 1; step <= STEPS; step += 1) {
    world.step();
    if (step % CHECK_EVERY === 0) world.check();
  }
  expect(world.moves.size).toBeGreaterThan(15);
});

test('no two blocks of a space share a word, and what was given back is used again', () => {
  const random = new Random(SEED);
  const space = new LadderSpace();
  const sizes = [1, 16, 17, 216, 2_080, 20_336];
  const held: { readonly size: number; readonly block: Block; readonly mark: number }[] = [];
  for (let mark = 1; mark <= 4_000; mark += 1) {
    if (held.length > 60 || (held.length > 0 && random.chance(45))) {
      const [{ size, block, mark: own }] = held.splice(random.int(0, held.length - 1), 1);
      const words = block.words.subarray(block.at, block.at + size);
      if (words.some((word) => word !== own)) throw new Error(`block ${own} of seed ${SEED} was written to`);
      space.give(size, block);
      continue;
    }
    const size = random.pick(sizes);
    const block = space.take(size);
    expect(block.at + size).toBeLessThanOrEqual(block.words.length);
    block.words.fill(mark, block.at, block.at + size);
    held.push({ size, block, mark });
  }
  // At most some 60 blocks were held at a time, of 80 KB at most: five megabytes, where all that were taken are forty.
  expect(space.length).toBeLessThan(61 * 20_336 * sizes.length);
});

test('markets that are resolved leave the room of their levels to others', () => {
  const exchange = new Exchange();
  const out = new EventWriter();
  const apply = (command: Command): void => {
    out.begin();
    exchange.apply(1_700_000_000_000, encodeCommand(command), out);
    out.finish();
    expect(out.isRejected).toBe(false);
  };
  const who = { wallet: addressOf(1), owner: addressOf(1) };
  apply({ type: 'Deposit', ...who, amountMicro: 1_000_000, isFaucet: 1 });
  for (let marketIndex = 0; marketIndex < 300; marketIndex += 1) {
    apply({ type: 'CreateMarket', eventNumber: 0, ...marketIds(marketIndex), ...terms, tickPips: 1 });
    apply({
      ...{ type: 'PlaceOrder', orderId: orderIdOf(marketIndex), keyId: keyOf(1), maker: who.wallet, owner: who.owner },
      ...{ marketIndex, outcome: 0, side: Side.BUY, orderType: OrderType.GTC, flags: 0 },
      ...{ makerAmountMicro: 5_000, takerAmountMicro: 10_000, timestampMs: 1_700_000_000_000, expirationS: 0 },
    });
    apply({ type: 'ResolveMarket', marketIndex, resolution: 0 });
  }
  exchange.checkInvariants();
  const state = Reflect.get(exchange, 'state');
  // A ladder of one pip takes 80 KB: one at a time, and not 300.
  expect(state.ladderSpace.length).toBeLessThan(2 * 20_336);
});
