// Ladders against lists of orders by price, many of them side by side in one space: whatever is added, removed or moved to
// another grid in one of them, each has its own orders at their prices in time order and its own best prices, and so has
// its copy from a snapshot. A ladder returns blocks that it no longer uses, and does not read them again. And the space
// itself: no two blocks share a word, and returned blocks are reused.
import { expect, test } from 'vitest';
import { Exchange } from '../../engine/core/index.ts';
import { ASK, BID, Ladder } from '../../engine/core/ladder.ts';
import { type Block, inLines, LadderSpace } from '../../engine/core/ladderSpace.ts';
import { NONE, OrderPool } from '../../engine/core/orderPool.ts';
import { type Command, EventWriter, encodeCommand, OrderType, Side } from '../../engine/protocol/index.ts';
import { PIPS_PER_UNIT } from '../../engine/protocol/units.ts';
import { marketIds, orderIdOf } from '../model/names.ts';
import { Random } from '../model/random.ts';
import { addressOf, keyOf, terms } from '../mutants/offers.ts';

const SEED = 23;
const LADDERS = 40;
const STEPS = 60_000;
const CHECK_EVERY = 1_000;
/**
 * Every grid that a tick of the wire, or an order off it, may need. Fine ones are rare: a ladder of one pip has 10,000 levels.
 */
const GRIDS = [1_000, 1_000, 500, 200, 100, 100, 100, 50, 40, 25, 20, 10, 10, 8, 5, 4, 2, 1];
const MIDDLE_PIPS = 5_000;
/** A book with more orders than this loses more than it gains, which leaves few enough for coarse grids now and then. */
const FULL = 12;

interface Resting {
  readonly slot: number;
  readonly pips: number;
  readonly side: number;
}

interface Book {
  readonly ladder: Ladder;
  /** Whether an order ever came: from then on the ladder has words of its own. */
  isOwn: boolean;
  resting: Resting[];
}

/** A space that knows which blocks are in use and overwrites returned ones with garbage, so that their further use is noticed. */
class WatchedSpace extends LadderSpace {
  /** Sizes of the blocks in use, by array and position. */
  private readonly out = new Map<Int32Array, Map<number, number>>();

  get held(): number {
    return [...this.out.values()].reduce((sum, { size }) => sum + size, 0);
  }

  override take(size: number): Block {
    const block = super.take(size);
    const out = this.out.get(block.words) ?? new Map<number, number>();
    this.out.set(block.words, out.set(block.at, size));
    return block;
  }

  override give(size: number, block: Block): void {
    const out = this.out.get(block.words);
    expect(out?.get(block.at), 'the size of a block that is given back').toBe(size);
    out?.delete(block.at);
    block.words.fill(0x5a5a5a5a, block.at, block.at + size);
    super.give(size, block);
  }
}

class World {
  readonly random = new Random(SEED);
  readonly pool = new OrderPool();
  readonly space = new WatchedSpace();
  /** How often a ladder moved, by what it held and whether the other grid is finer. */
  readonly moves = new Map<string, number>();
  readonly books: readonly Book[] = Array.from({ length: LADDERS }, () => ({
    ladder: new Ladder(this.random.pick(GRIDS), this.space),
    isOwn: false,
    resting: [],
  }));

  /** In one of the ladders: adds an order, removes one, removes all, or changes the grid. */
  step(): void {
    const { random } = this;
    const book = random.pick(this.books);
    if (random.chance(book.isOwn ? 2 : 60)) this.regrid(book);
    else if (random.chance(1)) this.empty(book);
    else if (random.chance(book.resting.length > FULL ? 70 : 45) && book.resting.length > 0) this.remove(book);
    else this.append(book);
  }

  check(): void {
    const space = new LadderSpace();
    const copies = this.books.map(({ ladder }) => this.loaded(ladder, space));
    for (const [index, { ladder, resting }] of this.books.entries()) {
      this.checkBook(ladder, resting);
      this.checkBook(copies[index], resting);
    }
    expect(this.space.held, 'blocks, one for each ladder that had an order').toBe(
      this.books.filter(({ isOwn }) => isOwn).length,
    );
  }

  private checkBook(ladder: Ladder, resting: readonly Resting[]): void {
    ladder.checkInvariants(this.pool, (slot) => this.pool.sideOf(slot));
    const bids = resting.filter(({ side }) => side === BID).map(({ pips }) => pips);
    const asks = resting.filter(({ side }) => side === ASK).map(({ pips }) => pips);
    expect(ladder.bestPips(BID)).toBe(Math.max(0, ...bids));
    expect(ladder.bestPips(ASK)).toBe(Math.min(PIPS_PER_UNIT, ...asks));
    expect(this.slotsIn(ladder)).toEqual(this.expected(resting));
  }

  /**
   * A ladder's copy from a snapshot: a ladder in another space, made
   * for some tick and moved to the grid before its levels are loaded.
   */
  private loaded(ladder: Ladder, space: LadderSpace): Ladder {
    const copy = new Ladder(this.random.pick(GRIDS), space);
    copy.regrid(ladder.gridPips);
    const levels = ladder.levels();
    for (let at = 0; at < levels.length; at += 3) {
      copy.loadLevel(levels[at], levels[at + 1], levels[at + 2], this.pool.sideOf(levels[at + 1]));
    }
    return copy;
  }

  private append(book: Book): void {
    const { pool, random } = this;
    const { ladder } = book;
    const side = random.int(BID, ASK);
    const farthest = ladder.levelCount / 2 - 1;
    const away = random.weighted([
      [90, random.int(1, Math.min(12, farthest))],
      [6, random.int(1, farthest)],
      [4, farthest],
    ]);
    const pips = MIDDLE_PIPS + (side === BID ? -away : away) * ladder.gridPips;
    pool.makeRoom();
    const slot = pool.allocate(1, side, 0, pips, 1, 0, 0, 0);
    ladder.append(pool, slot, side);
    book.isOwn = true;
    book.resting.push({ slot, pips, side });
  }

  private remove(book: Book): void {
    const [left] = book.resting.splice(this.random.int(0, book.resting.length - 1), 1);
    book.ladder.remove(this.pool, left.slot);
    this.pool.release(left.slot);
  }

  /** Removes all orders, as a market that closes does, or one that is resolved. */
  private empty(book: Book): void {
    while (book.resting.length > 0) this.remove(book);
    if (this.random.chance(50)) return;
    book.ladder.vacate();
    book.isOwn = false;
  }

  /** Moves to a grid on which all its prices lie; the middle lies on every grid. */
  private regrid({ ladder, isOwn, resting }: Book): void {
    const gridPips = this.random.pick(GRIDS);
    if (resting.some(({ pips }) => pips % gridPips !== 0)) return;
    const hasBids = ladder.bestBid > 0;
    const hasAsks = ladder.bestAsk < ladder.levelCount;
    const sides = hasBids && hasAsks ? 'both sides' : hasBids ? 'bids' : 'asks';
    const holding = resting.length > 0 ? sides : isOwn ? 'none any more' : 'none yet';
    const way = gridPips < ladder.gridPips ? 'finer' : gridPips > ladder.gridPips ? 'coarser' : 'the same';
    this.moves.set(`${holding}, ${way}`, (this.moves.get(`${holding}, ${way}`) ?? 0) + 1);
    ladder.regrid(gridPips);
  }

  /** All slots of a ladder, by price and time. */
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

test('ladders that share a space keep their own orders and best prices on any grid', () => {
  const world = new World();
  for (let step = 1; step <= STEPS; step += 1) {
    world.step();
    if (step % CHECK_EVERY === 0) world.check();
  }
  // Five kinds of content (two of none, three of sides) times three directions.
  expect([...world.moves.keys()].sort()).toHaveLength(5 * 3);
});

test('levelOf and hasPrice are correct for every price on every grid', () => {
  const space = new LadderSpace();
  for (let gridPips = 1; gridPips < PIPS_PER_UNIT; gridPips += 1) {
    if (PIPS_PER_UNIT % gridPips !== 0) continue;
    const ladder = new Ladder(gridPips, space);
    for (let pips = 0; pips <= PIPS_PER_UNIT; pips += 1) {
      const level = Math.floor(pips / gridPips);
      if (ladder.levelOf(pips) === level && ladder.hasPrice(pips) === (level * gridPips === pips)) continue;
      throw new Error(`${pips} pips on a grid of ${gridPips} are at level ${ladder.levelOf(pips)}`);
    }
  }
});

test('blocks of a space never overlap, start on a cache line, and are reused after their return', () => {
  const random = new Random(SEED);
  const space = new LadderSpace();
  const sizes = [1, 16, 17, 216, 2_080, 8_192];
  const held: { readonly size: number; readonly block: Block; readonly mark: number }[] = [];
  /** The positions at which blocks of a size have been, and the most of them held at a time. */
  const places = new Map(sizes.map((size) => [size, new Set<string>()]));
  const most = new Map(sizes.map((size) => [size, 0]));
  const arrays: Int32Array[] = [];
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
    expect(block.at % inLines(1)).toBe(0);
    expect(block.at + size).toBeLessThanOrEqual(block.words.length);
    block.words.fill(mark, block.at, block.at + size);
    if (!arrays.includes(block.words)) arrays.push(block.words);
    held.push({ size, block, mark });
    places.get(size)?.add(`${arrays.indexOf(block.words)} ${block.at}`);
    most.set(size, Math.max(most.get(size) ?? 0, held.filter((other) => other.size === size).length));
  }
  expect([...places].map(([size, known]) => [size, known.size])).toEqual([...most]);
  const needed = [...most].reduce((sum, [size, count]) => sum + inLines(size) * count, 0);
  const words = arrays.reduce((sum, array) => sum + array.length, 0);
  expect(words).toBeLessThan(2 * needed);
});

test('a fine-grid block gets its own array, which is not reused after its return', () => {
  const space = new LadderSpace();
  const size = 20_336;
  const block = space.take(size);
  expect([block.at, block.words.length]).toEqual([0, inLines(size)]);
  space.give(size, block);
  expect(space.take(size).words).not.toBe(block.words);
});

test('a price off the tick that empties costs no walk over all levels as long as another one needs the same grid', () => {
  const pool = new OrderPool();
  const ladder = new Ladder(1, new LadderSpace());
  for (let pips = 1; pips < PIPS_PER_UNIT; pips += 1) {
    pool.makeRoom();
    ladder.append(pool, pool.allocate(1, BID, 0, pips, 1, 0, 0, 0), BID);
  }
  const nextAbove: (level: number) => number = Reflect.get(ladder, 'nextAbove');
  let steps = 0;
  Reflect.set(ladder, 'nextAbove', (level: number) => {
    steps += 1;
    return nextAbove.call(ladder, level);
  });
  expect(ladder.gridFor(100)).toBe(1);
  expect(steps).toBeGreaterThan(0);
  expect(steps).toBeLessThan(10);
});

test('resolved markets free the memory of their levels for other markets', () => {
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
    apply({ type: 'CreateMarket', eventNumber: 0, ...marketIds(marketIndex), ...terms, tickPips: 10 });
    apply({
      ...{ type: 'PlaceOrder', orderId: orderIdOf(marketIndex), keyId: keyOf(1), maker: who.wallet, owner: who.owner },
      ...{ marketIndex, outcome: 0, side: Side.BUY, orderType: OrderType.GTC, flags: 0 },
      ...{ makerAmountMicro: 5_000, takerAmountMicro: 10_000, timestampMs: 1_700_000_000_000, expirationS: 0 },
    });
    apply({ type: 'ResolveMarket', marketIndex, resolution: 0 });
  }
  exchange.checkInvariants();
  // A ladder of such a tick has some 2,100 words. One exists at a time, in the first array; 300 would need 600,000 words.
  const space = Reflect.get(Reflect.get(exchange, 'state'), 'ladderSpace');
  expect(Reflect.get(space, 'words').length).toBeLessThan(10_000);
});
