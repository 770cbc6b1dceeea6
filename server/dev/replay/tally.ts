// What a replay counts while it runs, and the sentences that it ends with. Every player adds to the one tally; the
// command line prints it and the test reads it. It must never decide anything.

/** Fewer agreeing levels than this fail a replay: prints take what a row has already removed, so 1 is out of reach. */
export const AGREEMENT_MIN = 0.99;

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

const number = new Intl.NumberFormat('en-US');
const show = (value: number): string => number.format(Math.round(value));

/** A share of one as a percentage with two decimals, rounded down, so that a figure never looks better than it is. */
export function percentText(share: number): string {
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;
}

const LABEL_WIDTH = 15;

function labelled(label: string, text: string): string {
  return `${label.padEnd(LABEL_WIDTH)}${text}`;
}

function groupLines(label: string, groups: ReadonlyMap<string, number>): string[] {
  if (groups.size === 0) return [labelled(label, 'nothing.')];
  return [...groups].map(([sentence, times]) => labelled(label, `${show(times)} times: ${sentence}`));
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

/** The lines that a replay ends with. */
export function summaryLines(tally: Tally, figures: ReplayFigures): string[] {
  const seconds = Math.max(figures.elapsedMs, 1) / 1000;
  const pace = (figures.recordedMs / 1000 / seconds).toFixed(1);
  const { rows, checkpoints } = tally;
  const lines = [
    labelled(
      'Rows',
      `${show(rows)} in ${seconds.toFixed(1)} s: ${show(rows / seconds)} rows/s, ${pace} times the recorded pace.`,
    ),
    labelled(
      'Requests',
      `${show(figures.requests)}; the exchange asked ${show(figures.waits)} times to come back later.`,
    ),
    labelled(
      'Orders',
      `${show(tally.ordersSent)} sent by ${tally.wallets.size} wallets, ${show(tally.ordersAccepted)} accepted, ${show(tally.ordersCanceled)} cancelled; ${show(tally.secondTokenOrders)} named the second token.`,
    ),
    labelled(
      'Trades',
      `${show(tally.trades)} with ${show(tally.fills)} fills; ${show(tally.crossingAdds)} rows crossed the book.`,
    ),
    labelled(
      'Prints',
      `${show(tally.prints)}: ${show(tally.printsFilled)} filled, ${show(tally.printsUnfillable)} unfillable, ${show(tally.printsBelowLot)} below one lot.`,
    ),
    ...groupLines('Rejected', tally.rejections),
    ...groupLines('Not cancelled', tally.cancelRefusals),
  ];
  if (tally.levelsUnreached > 0) {
    lines.push(
      labelled('Unreached', `${show(tally.levelsUnreached)} levels could not be brought to their recorded size.`),
    );
  }
  if (tally.strangersFilled > 0) {
    lines.push(
      labelled('Strangers', `${show(tally.strangersFilled)} fills were with orders of others in these markets.`),
    );
  }
  lines.push(
    labelled(
      'Mirror',
      `the second token's book mirrored the first's at ${show(checkpoints - tally.mirrorsBroken)} of ${show(checkpoints)} checkpoints.`,
    ),
    labelled(
      'Unexplained',
      `${show(tally.levelsUnexplained)} levels differed from what the replies to orders and cancels imply.`,
    ),
    labelled(
      'Agreement',
      `${percentText(tally.agreement)} of ${show(tally.levelsCompared)} levels at ${show(checkpoints)} checkpoints equal the recording in price and size.`,
    ),
  );
  return lines;
}
