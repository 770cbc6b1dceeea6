// Counts since the latest start of the exchange or pause of it: commands by kind, rejections, cancels, trades. Fed by the follower of
// index.ts, read by watch.ts. No snapshot includes it: metrics scrapers expect a process's counters to start with the process.
import { CancelReason, type Command, commandLayouts, rejections } from '../../engine/index.ts';

const kinds = Object.keys(commandLayouts) as readonly Command['type'][]; // the keys of a literal
const rejectionCodes = Object.entries(rejections).map(([name, { code }]) => [name, code] as const);
const cancelReasons = Object.entries(CancelReason);
const slotsFor = (numbers: readonly number[]): number[] => new Array<number>(Math.max(...numbers) + 1).fill(0);

/** A name and its count. */
export type NamedCount = readonly [name: string, count: number];

/** A kind of command and how many of it were accepted and refused. */
interface CommandCount {
  readonly command: Command['type'];
  readonly accepted: number;
  readonly refused: number;
}

export class CountsView {
  tradeCount = 0;
  /** Collateral traded, at the price of each trade's taker. */
  tradedMicro = 0;
  private readonly accepted = new Map<Command['type'], number>();
  private readonly refused = new Map<Command['type'], number>();
  /** Indexed by rejection code. */
  private readonly refusals = slotsFor(rejectionCodes.map(([, code]) => code));
  /** Indexed by cancel reason. */
  private readonly canceled = slotsFor(Object.values(CancelReason));

  constructor() {
    this.reset();
  }

  /** Resets all counters. Started is the first command of each start, after everything that was replayed, and ends a pause. */
  reset(): void {
    this.tradeCount = 0;
    this.tradedMicro = 0;
    for (const kind of kinds) {
      this.accepted.set(kind, 0);
      this.refused.set(kind, 0);
    }
    this.refusals.fill(0);
    this.canceled.fill(0);
  }

  /** Counts of every kind of command. */
  get commands(): Iterable<CommandCount> {
    const { accepted, refused } = this;
    return kinds.map((command) => ({
      command,
      accepted: accepted.get(command) ?? 0,
      refused: refused.get(command) ?? 0,
    }));
  }

  /** Every rejection by name, with how often it occurred. */
  get rejections(): Iterable<NamedCount> {
    return rejectionCodes.map(([name, code]) => [name, this.refusals[code]]);
  }

  /** Every cancel reason by name, with how many orders it ended. */
  get cancels(): Iterable<NamedCount> {
    return cancelReasons.map(([name, reason]) => [name, this.canceled[reason]]);
  }

  /** Counts a command: accepted if the code is undefined, else refused with that code. */
  commandApplied({ type }: Command, rejectionCode: number | undefined): void {
    const counts = rejectionCode === undefined ? this.accepted : this.refused;
    counts.set(type, (counts.get(type) ?? 0) + 1);
    if (rejectionCode !== undefined) this.refusals[rejectionCode] += 1;
  }

  orderCanceled(reason: number): void {
    this.canceled[reason] += 1;
  }

  traded(micro: number): void {
    this.tradeCount += 1;
    this.tradedMicro += micro;
  }
}
