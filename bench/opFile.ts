// The op file of the engine benches: a seeded stream of adds, cancels and takes on many books, the same for every engine.
// Record: 16 bytes {u8 type, u8 side, u16 book, u32 price in ticks, u32 lots, u32 id}, little-endian. A cancel names the id
// of a live order (and repeats its side, book and price); every other op's id is its own number in the file. Adds that fill
// the books come first (`prefillOps`), then ops of the mix that warm up code and books (`settleOps`), both untimed, then
// the timed ones. Made by the benches before their rounds and by tests; engines only read it.

import { SeededRandom } from './lib/seededRandom.ts';
import { type Totals, totalsText } from './lib/totals.ts';
import { ModelBook } from './modelBook.ts';

export const OP_BYTES = 16;
export const OpType = { ADD: 0, CANCEL: 1, TAKE: 2, TAKE_ALL_OR_NOTHING: 3 } as const;
/** Side of an op: bids are 0, asks 1. */
export const BID = 0;
export const ASK = 1;

/** A workload: the share of each kind of op, the number of prices, and the number of resting orders. */
export interface Mix {
  readonly name: string;
  readonly addShare: number;
  readonly cancelShare: number;
  readonly books: number;
  /** Prices run from 1 to `ticks`. */
  readonly ticks: number;
  /** Mean distance of a limit from the mid price. */
  readonly offsetTicksMean: number;
  readonly restingOrders: number;
}

const mix = { addShare: 0.55, cancelShare: 0.35, books: 100 } as const;

/** `mix` is the usual one; the others show how figures change with the number of prices and of resting orders. */
export const mixes = {
  mix: { name: 'mix', ...mix, ticks: 99, offsetTicksMean: 8, restingOrders: 100_000 },
  mix999: { name: 'mix 999', ...mix, ticks: 999, offsetTicksMean: 60, restingOrders: 100_000 },
  small: { name: 'small', ...mix, ticks: 99, offsetTicksMean: 8, restingOrders: 5_000 },
} as const satisfies Record<string, Mix>;

export interface OpFile {
  readonly bytes: Uint8Array;
  readonly prefillOps: number;
  readonly settleOps: number;
  readonly timedOps: number;
  /** The totals that every engine must have after this many timed ops. */
  readonly expected: readonly { readonly timedOps: number; readonly totals: Totals }[];
  /** Fewest and most resting orders in 100 samples during the timed ops. */
  readonly restingRange: readonly [least: number, most: number];
}

interface OpFileRequest {
  readonly mix: Mix;
  readonly seed: number;
  readonly settleOps: number;
  readonly timedOps: number;
  /** Ascending counts of timed ops at which totals are wanted; the last must be `timedOps`. */
  readonly checkpoints: readonly number[];
}

const CROSSING_SHARE = 0.03;
const ALL_OR_NOTHING_SHARE = 0.6;
const RECENT_ADDS = 4_096;
const ZIPF_EXPONENT = 0.8;
/** Chance at each op of a book that its mid price moves. */
const MID_MOVE_CHANCE = 1 / 64;
const PREFILL_FACTOR = 1.2;
const LOTS_PER_SHARE = 100;
const ROUND_SHARES = [5, 10, 20, 25, 50, 100, 200] as const;

/** Makes the whole file in memory: 16 bytes an op. The same request always gives the same bytes. */
export function makeOpFile(request: OpFileRequest): OpFile {
  return new OpFileMaker(request).make();
}

class OpFileMaker {
  private readonly request: OpFileRequest;
  private readonly mix: Mix;
  private readonly random: SeededRandom;
  private readonly view: DataView;
  private readonly model: ModelBook;
  private readonly mids: Float64Array;
  private readonly popularity: Float64Array;
  private readonly recentAdds = new Int32Array(RECENT_ADDS).fill(-1);
  private adds = 0;
  private ops = 0;

  constructor(request: OpFileRequest) {
    this.request = request;
    this.mix = request.mix;
    this.random = new SeededRandom(request.seed);
    const opsMax = this.prefillOps + request.settleOps + request.timedOps;
    this.view = new DataView(new ArrayBuffer(opsMax * OP_BYTES));
    this.model = new ModelBook(this.mix.books, this.mix.ticks, opsMax);
    this.popularity = cumulativeZipf(this.mix.books, ZIPF_EXPONENT);
    const span = this.mix.ticks + 1;
    this.mids = Float64Array.from({ length: this.mix.books }, () => span * (0.25 + 0.5 * this.random.fraction()));
  }

  private get prefillOps(): number {
    return Math.round(this.mix.restingOrders * PREFILL_FACTOR);
  }

  make(): OpFile {
    const { settleOps, timedOps, checkpoints } = this.request;
    const expected: { timedOps: number; totals: Totals }[] = [];
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (let i = 0; i < this.prefillOps; i += 1) this.writeAdd();
    for (let i = 0; i < settleOps; i += 1) this.writeMixed();
    const lookEvery = Math.max(1, Math.floor(timedOps / 100));
    for (let done = 1; done <= timedOps; done += 1) {
      this.writeMixed();
      if (checkpoints[expected.length] === done) expected.push({ timedOps: done, totals: { ...this.model.totals } });
      if (done % lookEvery === 0) {
        least = Math.min(least, this.model.totals.restingOrders);
        most = Math.max(most, this.model.totals.restingOrders);
      }
    }
    const { prefillOps } = this;
    const bytes = new Uint8Array(this.view.buffer);
    return { bytes, prefillOps, settleOps, timedOps, expected, restingRange: [least, most] };
  }

  private writeMixed(): void {
    const draw = this.random.fraction();
    const { addShare, cancelShare } = this.mix;
    if (draw < addShare) this.writeAdd();
    else if (draw < addShare + cancelShare && this.model.totals.restingOrders > 0) this.writeCancel();
    else this.writeTake();
  }

  private writeAdd(): void {
    const { model, random, mix } = this;
    const book = this.pickBook();
    const side = random.below(2);
    const lots = this.pickLots();
    const best = model.best(book, 1 - side);
    const hasOther = best >= 1 && best <= mix.ticks;
    let price: number;
    if (hasOther && random.chance(CROSSING_SHARE)) {
      const deeper = random.below(3);
      price = clamp(side === BID ? best + deeper : best - deeper, 1, mix.ticks);
    } else {
      const offset = random.exponential(mix.offsetTicksMean);
      const mid = this.mids[book];
      // An add that is not meant to cross stays one tick short of the opposite side, if a tick is left there.
      const wanted = side === BID ? Math.floor(mid - offset) : Math.ceil(mid + offset);
      const bound = side === BID ? Math.min(best - 1, mix.ticks) : Math.max(best + 1, 1);
      price = clamp(side === BID ? Math.min(wanted, bound) : Math.max(wanted, bound), 1, mix.ticks);
    }
    const id = this.write(OpType.ADD, side, book, price, lots);
    model.add(id, book, side, price, lots);
    this.recentAdds[this.adds % RECENT_ADDS] = id;
    this.adds += 1;
  }

  /** Half of the cancels name one of the last 4,096 adds, half any live order. */
  private writeCancel(): void {
    const { model, random } = this;
    let id = -1;
    if (random.chance(0.5)) {
      for (let tries = 0; tries < 8 && id < 0; tries += 1) {
        const recent = this.recentAdds[random.below(Math.min(this.adds, RECENT_ADDS))];
        if (recent >= 0 && model.isLive(recent)) id = recent;
      }
    }
    if (id < 0) id = model.liveAt(random.below(model.totals.restingOrders));
    this.write(OpType.CANCEL, model.sideOf(id), model.bookOf(id), model.priceOf(id), 0, id);
    model.cancel(id);
  }

  /**
   * A take consumes several whole orders and a part of the next:
   * enough to bring the number of resting orders back to its target.
   */
  private writeTake(): void {
    const { model, random, mix } = this;
    const book = this.pickBook();
    const side = random.below(2);
    const isFillOrKill = random.chance(ALL_OR_NOTHING_SHARE);
    const error = (model.totals.restingOrders - mix.restingOrders) / (0.01 * mix.restingOrders);
    const ordersMean = clamp(2 + error, 0, 40);
    const orders = Math.floor(random.fraction() * 2 * ordersMean + 0.5);
    const target = model.makerAfter(book, 1 - side, orders);
    let price = side === BID ? mix.ticks : 1;
    let lots = this.pickLots();
    if (target !== undefined) {
      const slack = random.below(3);
      price = clamp(side === BID ? target.price + slack : target.price - slack, 1, mix.ticks);
      lots = Math.max(1, target.lotsBefore + random.below(target.lots));
      // Some ask for more than their limit is sure to give: a fill-or-kill is killed, another take drops its remainder.
      if (random.chance(0.1)) lots *= 2 + random.below(4);
    }
    this.write(isFillOrKill ? OpType.TAKE_ALL_OR_NOTHING : OpType.TAKE, side, book, price, lots);
    model.take(book, side, price, lots, isFillOrKill);
  }

  private write(type: number, side: number, book: number, price: number, lots: number, id = this.ops): number {
    const at = this.ops * OP_BYTES;
    this.view.setUint8(at, type);
    this.view.setUint8(at + 1, side);
    this.view.setUint16(at + 2, book, true);
    this.view.setUint32(at + 4, price, true);
    this.view.setUint32(at + 8, lots, true);
    this.view.setUint32(at + 12, id, true);
    this.ops += 1;
    return id;
  }

  /** Picks a book by popularity; its mid price sometimes moves by a tick (of 99), within the middle four fifths. */
  private pickBook(): number {
    const { random, popularity, mids, mix } = this;
    const draw = random.fraction();
    let low = 0;
    let high = popularity.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (draw < popularity[middle]) high = middle;
      else low = middle + 1;
    }
    if (random.chance(MID_MOVE_CHANCE)) {
      const span = mix.ticks + 1;
      const step = (span / 100) * (random.chance(0.5) ? 1 : -1);
      mids[low] = clamp(mids[low] + step, span * 0.1, span * 0.9);
    }
    return low;
  }

  /** Mixed sizes: mostly round numbers of shares, some of any number of lots, a few large. */
  private pickLots(): number {
    const { random } = this;
    const draw = random.fraction();
    if (draw < 0.6) return ROUND_SHARES[random.below(ROUND_SHARES.length)] * LOTS_PER_SHARE;
    if (draw < 0.9) return 1 + random.below(100 * LOTS_PER_SHARE);
    return Math.ceil(random.exponential(300)) * LOTS_PER_SHARE;
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Running sums of 1/rank^exponent, scaled so that the last is 1. */
function cumulativeZipf(count: number, exponent: number): Float64Array {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 1; rank <= count; rank += 1) {
    sum += 1 / rank ** exponent;
    sums[rank - 1] = sum;
  }
  return sums.map((value) => value / sum);
}

/** The sentence for totals that differ from the model's, or undefined when they agree. */
export function totalsFault(engine: string, timedOps: number, got: Totals, wanted: Totals): string | undefined {
  if (totalsText(got) === totalsText(wanted)) return undefined;
  return `After ${timedOps} timed ops ${engine} has ${totalsText(got)}; right are ${totalsText(wanted)}.`;
}
