// Totals of markets, that is open interest and volume as answered, and the board on which the historian's thread shows them to
// the main thread: a question about a few markets then needs no round trip. answer.ts and historian.ts answer from here; the
// thread writes the board. Nothing here blocks.

import type {
  HistoryQuery,
  HistoryRows,
  LiveVolumeQuery,
  MarketScope,
  OpenInterestQuery,
} from '../wire/historyQueries.ts';
import { Board, BoardReader } from './board.ts';

/** A market that a question can name. */
export interface NamedMarket {
  readonly index: number;
  readonly conditionId: string;
}

/** Lookup of markets by condition id and event number. */
export interface MarketDirectory<Market extends NamedMarket> {
  byCondition(conditionId: string): Market | undefined;
  ofEvent(eventNumber: number): readonly Market[];
}

/** A market with its totals, micro. */
export interface MarketTotals extends NamedMarket {
  readonly volumeMicro: number;
  readonly vaultMicro: number;
}

/** The markets of a scope, each once, in the order requested; undefined = all. */
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

/** The question, limited to markets of the directory if its answer has a row for every market that it names. */
export function ofKnownMarkets(query: HistoryQuery, directory: MarketDirectory<NamedMarket>): HistoryQuery {
  if (query.kind !== 'holders' && query.kind !== 'oi' && query.kind !== 'live-volume') return query;
  const markets = marketsIn(directory, query);
  if (markets === undefined) return query;
  const conditionIds = Array.from(markets, ({ conditionId }) => conditionId);
  return query.kind === 'live-volume'
    ? { ...query, conditionIds, eventNumbers: undefined }
    : { ...query, conditionIds };
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

/** Positions of a market's numbers on the board. */
const shown = { volume: 0, vault: 1, numbers: 2 } as const;

/** The thread's side of the board. */
export class TotalsBoard {
  private readonly board: Board;

  /** @param onMemory called with new memory, which the other side must read from then on */
  constructor(onMemory: (memory: SharedArrayBuffer) => void) {
    this.board = new Board(shown.numbers, onMemory);
  }

  /** Shows the totals of the changed markets as of a sequence; `all` are all existing markets. */
  show(changed: Iterable<MarketTotals>, all: readonly MarketTotals[], sequence: number): void {
    const { board } = this;
    board.show(sequence, all.length, (isNew) => {
      for (const { index, volumeMicro, vaultMicro } of isNew ? all : changed) {
        board.put(index, shown.volume, volumeMicro);
        board.put(index, shown.vault, vaultMicro);
      }
    });
  }
}

/** The main thread's side of the board. */
export class TotalsReader {
  private readonly board: BoardReader;

  constructor(memory: SharedArrayBuffer) {
    this.board = new BoardReader(shown.numbers, memory);
  }

  /** The sequence as of which the totals are shown. */
  get sequence(): number {
    return this.board.sequence;
  }

  /** The totals of these markets as of the sequence or later; undefined if the board lacks them or is being written. */
  read(markets: Iterable<NamedMarket>, sequence: number): readonly MarketTotals[] | undefined {
    const { board } = this;
    return board.asOf(sequence, () => {
      const found: MarketTotals[] = [];
      for (const { index, conditionId } of markets) {
        if (!board.has(index)) return undefined;
        const volumeMicro = board.get(index, shown.volume);
        found.push({ index, conditionId, volumeMicro, vaultMicro: board.get(index, shown.vault) });
      }
      return found;
    });
  }
}
