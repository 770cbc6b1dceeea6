// Totals of markets: open interest and volume as they are answered, and the board by which the historian's thread shows
// them to the main thread, so that a question about a few markets needs no trip to the thread. answer.ts and historian.ts
// answer from here, the thread writes the board. Nothing here waits for anything.
import type { HistoryRows, LiveVolumeQuery, MarketScope, OpenInterestQuery } from './queries.ts';

/** A market that can be named in a question. */
export interface NamedMarket {
  readonly index: number;
  readonly conditionId: string;
}

/** Where markets are found by their names. */
export interface MarketDirectory<Market extends NamedMarket> {
  byCondition(conditionId: string): Market | undefined;
  ofEvent(eventNumber: number): readonly Market[];
}

/** A market with its totals, micro. */
export interface MarketTotals extends NamedMarket {
  readonly volumeMicro: number;
  readonly vaultMicro: number;
}

/** The markets of a scope, each once, in the order asked; undefined = all. */
export function marketsIn<Market extends NamedMarket>(
  directory: MarketDirectory<Market>,
  { conditionIds, eventNumbers }: MarketScope,
): ReadonlySet<Market> | undefined {
  if (conditionIds === undefined && eventNumbers === undefined) return undefined;
  const found = new Set<Market>();
  for (const conditionId of conditionIds ?? []) {
    const market = directory.byCondition(conditionId);
    if (market !== undefined) found.add(market);
  }
  for (const eventNumber of eventNumbers ?? []) for (const market of directory.ofEvent(eventNumber)) found.add(market);
  return found;
}

/** The rows of a question about these markets. */
export function totalsRows(
  query: OpenInterestQuery | LiveVolumeQuery,
  markets: Iterable<MarketTotals>,
): HistoryRows['oi'] | HistoryRows['live-volume'] {
  if (query.kind === 'oi') {
    return Array.from(markets, ({ conditionId, vaultMicro }) => ({ conditionId, valueMicro: vaultMicro }));
  }
  const sorted = [...markets].sort((left, right) => left.index - right.index);
  return {
    totalMicro: sorted.reduce((sum, { volumeMicro }) => sum + volumeMicro, 0),
    markets: sorted.map(({ conditionId, volumeMicro }) => ({ conditionId, valueMicro: volumeMicro })),
  };
}

/** The board: an int32 that is odd while it is written, then numbers: sequence, markets shown, then two a market. */
const VERSION = 0;
const at = { sequence: 1, count: 2, first: 4, numbers: 2 } as const;
const FIRST_MARKETS = 4_096;
/** Of a board that was replaced by a larger one. */
const NEVER = -1;

/** The thread's side of the board. */
export class TotalsBoard {
  private memory = new SharedArrayBuffer(0);
  private versions = new Int32Array(this.memory);
  private numbers = new Float64Array(this.memory);
  private readonly onMemory: (memory: SharedArrayBuffer) => void;

  /** @param onMemory is told of the memory that the other side is to read from then on */
  constructor(onMemory: (memory: SharedArrayBuffer) => void) {
    this.onMemory = onMemory;
  }

  /** Shows the totals of markets that changed, as of a sequence; `all` are the markets that there are. */
  show(changed: Iterable<MarketTotals>, all: readonly MarketTotals[], sequence: number): void {
    const isFull = at.first + all.length * at.numbers > this.numbers.length;
    if (isFull) this.enlarge(all.length);
    const { versions, numbers } = this;
    Atomics.add(versions, VERSION, 1);
    for (const { index, volumeMicro, vaultMicro } of isFull ? all : changed) {
      numbers[at.first + index * at.numbers] = volumeMicro;
      numbers[at.first + index * at.numbers + 1] = vaultMicro;
    }
    numbers[at.sequence] = sequence;
    numbers[at.count] = all.length;
    Atomics.add(versions, VERSION, 1);
    if (isFull) this.onMemory(this.memory);
  }

  private enlarge(count: number): void {
    if (this.numbers.length > 0) this.numbers[at.sequence] = NEVER;
    let markets = FIRST_MARKETS;
    while (markets < count) markets *= 2;
    this.memory = new SharedArrayBuffer((at.first + markets * at.numbers) * Float64Array.BYTES_PER_ELEMENT);
    this.versions = new Int32Array(this.memory);
    this.numbers = new Float64Array(this.memory);
  }
}

/** The main thread's side of the board. */
export class TotalsReader {
  private readonly versions: Int32Array;
  private readonly numbers: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    this.versions = new Int32Array(memory);
    this.numbers = new Float64Array(memory);
  }

  /** The totals of these markets as of the sequence or later; undefined when the board does not show them so, or is written. */
  read(markets: Iterable<NamedMarket>, sequence: number): readonly MarketTotals[] | undefined {
    const { versions, numbers } = this;
    const version = Atomics.load(versions, VERSION);
    if (version % 2 !== 0 || numbers[at.sequence] < sequence) return undefined;
    const count = numbers[at.count];
    const found: MarketTotals[] = [];
    for (const { index, conditionId } of markets) {
      if (index >= count) return undefined;
      const place = at.first + index * at.numbers;
      found.push({ index, conditionId, volumeMicro: numbers[place], vaultMicro: numbers[place + 1] });
    }
    return Atomics.load(versions, VERSION) === version ? found : undefined;
  }
}
