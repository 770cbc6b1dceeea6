// The figures of a recorded flow on which the house is modelled: shares of adds, cancels and takes, rates, sizes, distances
// from the mid, spreads, depth, and movement of the mid. Run by hand: `node_modules/.bin/node bench/houseModel.ts FILE`;
// server/dev/house/model.ts quotes its output. It reads only the file and starts no exchange.
import { LOTS_PER_SHARE, PIPS_PER_UNIT } from '../engine/index.ts';
import { type Flow, type FlowRow, readFlow } from '../server/dev/replay/flowFile.ts';
import { FatalError, fatal } from '../server/process/fatal.ts';
import { percentile } from './lib/statistics.ts';

const TICK_PIPS = 100;
/** The recording begins with empty books: distances and depth mean nothing until this much of it has passed. */
const WARM_UP_MS = 120_000;
const SAMPLE_MS = 1_000;
const DEPTH_TICKS = 10;
const QUANTILES = [0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99] as const;

/** One market's book as the rows describe it, in pips of the first token. */
class Book {
  readonly bids = new Map<number, number>();
  readonly asks = new Map<number, number>();

  set(side: 'B' | 'A', pips: number, lots: number): void {
    const levels = side === 'B' ? this.bids : this.asks;
    if (lots > 0) levels.set(pips, lots);
    else levels.delete(pips);
  }

  /** The best price of each side; undefined unless both have one and they do not cross. */
  best(): { readonly bid: number; readonly ask: number } | undefined {
    const bid = Math.max(0, ...this.bids.keys());
    const ask = Math.min(PIPS_PER_UNIT, ...this.asks.keys());
    return bid === 0 || ask === PIPS_PER_UNIT || bid >= ask ? undefined : { bid, ask };
  }

  /** The middle of the best prices; undefined without them. */
  mid(): number | undefined {
    const best = this.best();
    return best === undefined ? undefined : (best.bid + best.ask) / 2;
  }
}

/** All collected figures, as plain lists. */
interface Figures {
  readonly counts: { add: number; cancel: number; take: number };
  readonly countsOfMarket: number[];
  readonly addShares: number[];
  readonly addSharesNear: number[];
  readonly takeShares: number[];
  readonly takeUnits: number[];
  readonly addTicks: number[];
  readonly cancelTicks: number[];
  readonly spreadTicks: number[];
  readonly levelsNear: number[];
  readonly sharesAtBest: number[];
  readonly sharesNear: number[];
  readonly logitSteps: number[];
}

const logit = (pips: number): number => Math.log(pips / (PIPS_PER_UNIT - pips));

/** Levels and shares of a side within DEPTH_TICKS of its best price. */
function depthNear(levels: ReadonlyMap<number, number>, best: number): { levels: number; shares: number } {
  const within = [...levels].filter(([pips]) => Math.abs(pips - best) <= DEPTH_TICKS * TICK_PIPS);
  return { levels: within.length, shares: within.reduce((sum, [, lots]) => sum + lots, 0) / LOTS_PER_SHARE };
}

/** Samples a market's book; called once a second. */
function sampleBook(book: Book, figures: Figures): void {
  const best = book.best();
  if (best === undefined) return;
  figures.spreadTicks.push((best.ask - best.bid) / TICK_PIPS);
  for (const [levels, pips] of [[book.bids, best.bid] as const, [book.asks, best.ask] as const]) {
    const depth = depthNear(levels, pips);
    figures.levelsNear.push(depth.levels);
    figures.sharesNear.push(depth.shares);
    figures.sharesAtBest.push((levels.get(pips) ?? 0) / LOTS_PER_SHARE);
  }
}

/** Adds a row to the figures, with the book as it stood before the row. */
function countRow(row: FlowRow, book: Book, levelLotsBefore: number, isWarm: boolean, figures: Figures): void {
  if (row.op === 'X') return;
  const kind = row.op === '+' ? 'add' : row.op === '-' ? 'cancel' : 'take';
  figures.counts[kind] += 1;
  figures.countsOfMarket[row.market] = (figures.countsOfMarket[row.market] ?? 0) + 1;
  if (row.op === 'T') {
    const shares = row.sizeLots / LOTS_PER_SHARE;
    figures.takeShares.push(shares);
    figures.takeUnits.push((shares * row.pricePips) / PIPS_PER_UNIT);
    return;
  }
  const mid = isWarm ? book.mid() : undefined;
  if (mid === undefined) return;
  const ticks = (row.side === 'B' ? mid - row.pricePips : row.pricePips - mid) / TICK_PIPS;
  if (row.op === '-') figures.cancelTicks.push(ticks);
  else {
    const shares = (row.levelLots - levelLotsBefore) / LOTS_PER_SHARE;
    figures.addTicks.push(ticks);
    if (shares > 0) figures.addShares.push(shares);
    if (shares > 0 && ticks <= DEPTH_TICKS) figures.addSharesNear.push(shares);
  }
}

function gatherFigures(flow: Flow): Figures {
  const figures: Figures = {
    counts: { add: 0, cancel: 0, take: 0 },
    countsOfMarket: [],
    addShares: [],
    addSharesNear: [],
    takeShares: [],
    takeUnits: [],
    addTicks: [],
    cancelTicks: [],
    spreadTicks: [],
    levelsNear: [],
    sharesAtBest: [],
    sharesNear: [],
    logitSteps: [],
  };
  const books = flow.tokens.map(() => new Book());
  const lastMid: number[] = [];
  const startMs = flow.rows[0].tMs;
  let sampledMs = startMs + WARM_UP_MS;
  for (const row of flow.rows) {
    const book = books[row.market];
    const isWarm = row.tMs >= startMs + WARM_UP_MS;
    for (; sampledMs <= row.tMs; sampledMs += SAMPLE_MS) {
      for (const [market, each] of books.entries()) {
        sampleBook(each, figures);
        if ((sampledMs - startMs) % 10_000 === 0) recordMidStep(each, market, lastMid, figures);
      }
    }
    const before = row.op === 'T' ? 0 : ((row.side === 'B' ? book.bids : book.asks).get(row.pricePips) ?? 0);
    countRow(row, book, before, isWarm, figures);
    if (row.op !== 'T') book.set(row.side, row.pricePips, row.levelLots);
  }
  return figures;
}

/** Records how far the mid moved within ten seconds, on the log-odds scale. */
function recordMidStep(book: Book, market: number, lastMid: number[], figures: Figures): void {
  const mid = book.mid();
  if (mid === undefined) return;
  if (lastMid[market] !== undefined) figures.logitSteps.push(logit(mid) - logit(lastMid[market]));
  lastMid[market] = mid;
}

const rounded = (value: number): string => String(Number(value.toPrecision(3)));

function quantileLine(name: string, values: readonly number[]): string {
  const sorted = [...values].sort((left, right) => left - right);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const texts = QUANTILES.map((share) => `${share * 100} % ${rounded(percentile(sorted, share))}`);
  return `${name} (${values.length}): ${texts.join(', ')}; mean ${rounded(mean)}`;
}

function logNormalLine(name: string, values: readonly number[]): string {
  const logs = values.filter((value) => value > 0).map(Math.log);
  const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
  const variance = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / logs.length;
  return `${name}: median of the log-normal ${rounded(Math.exp(mean))}, sigma ${rounded(Math.sqrt(variance))}`;
}

function shareLine(name: string, values: readonly number[], bounds: readonly number[]): string {
  const texts = bounds.map((bound) => {
    const share = values.filter((value) => value <= bound).length / values.length;
    return `≤ ${bound}: ${rounded(100 * share)} %`;
  });
  return `${name}: ${texts.join(', ')}`;
}

function roundLine(values: readonly number[]): string {
  const parts = [5, 10, 20, 25, 50, 100, 200, 250, 500, 1_000].map((size) => {
    const share = values.filter((value) => value === size).length / values.length;
    return `${size}: ${rounded(100 * share)} %`;
  });
  const whole = values.filter(Number.isInteger).length / values.length;
  return `  whole shares ${rounded(100 * whole)} %; of all: ${parts.join(', ')}`;
}

function report(flow: Flow): readonly string[] {
  const figures = gatherFigures(flow);
  const { add, cancel, take } = figures.counts;
  const all = add + cancel + take;
  const seconds = (flow.rows[flow.rows.length - 1].tMs - flow.rows[0].tMs) / 1000;
  const ofMarket = [...figures.countsOfMarket].sort((left, right) => right - left);
  const squares = figures.logitSteps.reduce((sum, value) => sum + value * value, 0) / figures.logitSteps.length;
  const share = (count: number): string => `${rounded((100 * count) / all)} %`;
  return [
    `${all} orders in ${rounded(seconds)} s and ${ofMarket.length} markets`,
    `shares: adds ${share(add)}, cancels ${share(cancel)}, takes ${share(take)}; adds per take ${rounded(add / take)}`,
    `a second and market: ${ofMarket.map((count) => rounded(count / seconds)).join(', ')}`,
    quantileLine('add, shares', figures.addShares),
    logNormalLine('add, shares', figures.addShares),
    quantileLine(`add within ${DEPTH_TICKS} ticks, shares`, figures.addSharesNear),
    logNormalLine(`add within ${DEPTH_TICKS} ticks, shares`, figures.addSharesNear),
    roundLine(figures.addSharesNear),
    quantileLine('take, shares', figures.takeShares),
    logNormalLine('take, shares', figures.takeShares),
    quantileLine('take, units', figures.takeUnits),
    roundLine(figures.takeShares),
    quantileLine('add, ticks from the mid', figures.addTicks),
    shareLine('add, ticks from the mid', figures.addTicks, [0.5, 1, 2, 3, 5, 10, 20]),
    quantileLine('cancel, ticks from the mid', figures.cancelTicks),
    quantileLine('spread, ticks', figures.spreadTicks),
    shareLine('spread, ticks', figures.spreadTicks, [0.5, 1, 2, 3, 5]),
    quantileLine(`levels a side within ${DEPTH_TICKS} ticks of the best`, figures.levelsNear),
    quantileLine('shares at the best price', figures.sharesAtBest),
    quantileLine(`shares a side within ${DEPTH_TICKS} ticks of the best`, figures.sharesNear),
    quantileLine('log odds of the mid, step in 10 s', figures.logitSteps),
    `log odds of the mid: standard deviation ${rounded(Math.sqrt(squares))} in 10 s`,
  ];
}

try {
  const [file] = process.argv.slice(2);
  if (file === undefined) fatal('usage', 'houseModel needs the file of a recorded flow, such as flow_20260607.csv.gz.');
  for (const line of report(readFlow(file))) console.info(line);
} catch (error) {
  if (!(error instanceof FatalError)) throw error;
  console.error(error.message);
  process.exitCode = error.status;
}
