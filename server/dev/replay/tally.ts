// The counters of a running replay. Every player adds to the one tally; summary.ts puts it into sentences and the test
// reads it. It must never decide anything.

export class Tally {
  rows = 0;
  ordersSent = 0;
  ordersAccepted = 0;
  /** Orders that name the second token. */
  secondTokenOrders = 0;
  ordersCanceled = 0;
  /** Fills of the replay's resting orders. */
  fills = 0;
  trades = 0;
  /** Makers in trades whose orders are not the replay's. */
  strangersFilled = 0;
  /** Rows whose order would cross the replay's resting orders. */
  crossingAdds = 0;
  prints = 0;
  printsFilled = 0;
  /** Prints whose fill-or-kill order was killed: the book could not fill them completely. */
  printsUnfillable = 0;
  /** Prints smaller than one lot, which cannot be sent. */
  printsBelowLot = 0;
  /** Levels that could not be brought to the recorded size. */
  levelsUnreached = 0;
  checkpoints = 0;
  levelsCompared = 0;
  levelsAgreeing = 0;
  /** Checkpoints at which the second token's book was not the mirror of the first's. */
  mirrorsBroken = 0;
  /** Levels that differ from what the exchange's own replies to the replay imply. */
  levelsUnexplained = 0;
  /** Wallets that had an order accepted. */
  readonly wallets = new Set<number>();
  private readonly rejectionCounts = new Map<string, number>();
  private readonly cancelRefusalCounts = new Map<string, number>();

  /** Counts a refused order by its sentence, with ids and figures masked. */
  countRejection(sentence: string): void {
    count(this.rejectionCounts, sentence);
  }

  /** Counts an order that was not cancelled, by the reason given. */
  countCancelRefusal(reason: string): void {
    count(this.cancelRefusalCounts, reason);
  }

  /** Refused orders by sentence, most frequent first. */
  get rejections(): ReadonlyMap<string, number> {
    return byCount(this.rejectionCounts);
  }

  /** Refused cancels by reason, most frequent first. */
  get cancelRefusals(): ReadonlyMap<string, number> {
    return byCount(this.cancelRefusalCounts);
  }

  /** The ratio of agreeing to compared levels, over all checkpoints; 1 if none were compared. */
  get agreement(): number {
    return this.levelsCompared === 0 ? 1 : this.levelsAgreeing / this.levelsCompared;
  }
}

function count(counts: Map<string, number>, sentence: string): void {
  const group = sentence.replace(/0x[0-9a-fA-F]+/g, '{id}').replace(/\d+(\.\d+)?/g, '{n}');
  counts.set(group, (counts.get(group) ?? 0) + 1);
}

function byCount(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...counts].sort(([, left], [, right]) => right - left));
}

/** A replay's durations and request counts. */
export interface ReplayFigures {
  /** Time for the rows alone, without the preparation. */
  readonly elapsedMs: number;
  /** Time from the earliest row of the recording to the latest. */
  readonly recordedMs: number;
  readonly requests: number;
  /** Number of times that the exchange asked the replay to wait. */
  readonly waits: number;
}
