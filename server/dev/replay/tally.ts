// What a replay counts while it runs. Every player adds to the one tally; summary.ts says it in sentences and the test reads
// it. It must never decide anything.

export class Tally {
  rows = 0;
  ordersSent = 0;
  ordersAccepted = 0;
  /** Orders that name the second token. */
  secondTokenOrders = 0;
  ordersCanceled = 0;
  /** Parts of the replay's resting orders that trades took. */
  fills = 0;
  trades = 0;
  /** Makers in trades that are none of the replay's orders. */
  strangersFilled = 0;
  /** Rows whose order met the other side, which its reply said. */
  crossingAdds = 0;
  prints = 0;
  printsFilled = 0;
  /** Prints that the book could not fill whole: killed, as fill-or-kill says. */
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
  readonly #rejections = new Map<string, number>();
  readonly #cancelRefusals = new Map<string, number>();

  /** Counts a refused order by its sentence, in which ids and figures are left out. */
  reject(sentence: string): void {
    count(this.#rejections, sentence);
  }

  /** Counts an order that was not cancelled, by the reason given. */
  refuseCancel(reason: string): void {
    count(this.#cancelRefusals, reason);
  }

  /** Refused orders by sentence, most frequent first. */
  get rejections(): ReadonlyMap<string, number> {
    return byCount(this.#rejections);
  }

  /** Refused cancels by reason, most frequent first. */
  get cancelRefusals(): ReadonlyMap<string, number> {
    return byCount(this.#cancelRefusals);
  }

  /** Agreeing levels / levels compared, over all checkpoints; 1 when there was none to compare. */
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

/** What a replay took, beside what it counted. */
export interface ReplayFigures {
  /** Of the rows alone, without the preparation. */
  readonly elapsedMs: number;
  /** From the earliest row of the recording to the latest. */
  readonly recordedMs: number;
  readonly requests: number;
  /** How often the exchange asked the replay to wait. */
  readonly waits: number;
}
