// How much has happened since the exchange was started last: commands by kind, refusals, cancels, trades. Fed by the follower
// of index.ts, read by metrics/. It is in no snapshot: whoever watches a process expects its counters to begin with it.
import { CancelReason, type Command, commandLayouts, rejections } from '../../engine/index.ts';

const kinds = Object.keys(commandLayouts) as readonly Command['type'][]; // the keys of a literal
const rejectionCodes = Object.entries(rejections).map(([name, { code }]) => [name, code] as const);
const cancelReasons = Object.entries(CancelReason);
const slotsFor = (numbers: readonly number[]): number[] => new Array<number>(Math.max(...numbers) + 1).fill(0);

/** A name with how often it was counted. */
export type NamedCount = readonly [name: string, count: number];

/** A kind of command with how many were accepted and refused. */
interface CommandCount {
  readonly command: Command['type'];
  readonly accepted: number;
  readonly refused: number;
}

export class ActivityView {
  tradeCount = 0;
  /** Collateral traded, at the price of each trade's taker. */
  tradedMicro = 0;
  private readonly accepted = new Map<Command['type'], number>();
  private readonly refused = new Map<Command['type'], number>();
  /** By code. */
  private readonly refusals = slotsFor(rejectionCodes.map(([, code]) => code));
  /** By reason. */
  private readonly canceled = slotsFor(Object.values(CancelReason));

  constructor() {
    this.begin();
  }

  /** Begins to count, from nothing: of each start the first command is Started, after everything that was replayed. */
  begin(): void {
    this.tradeCount = 0;
    this.tradedMicro = 0;
    for (const kind of kinds) {
      this.accepted.set(kind, 0);
      this.refused.set(kind, 0);
    }
    this.refusals.fill(0);
    this.canceled.fill(0);
  }

  /** Every kind of command. */
  get commands(): Iterable<CommandCount> {
    const { accepted, refused } = this;
    return kinds.map((command) => ({
      command,
      accepted: accepted.get(command) ?? 0,
      refused: refused.get(command) ?? 0,
    }));
  }

  /** Every reason for which a command may be refused, with how many were. */
  get rejections(): Iterable<NamedCount> {
    return rejectionCodes.map(([name, code]) => [name, this.refusals[code]]);
  }

  /** Every reason for which an order may end unfilled, with how many did. */
  get cancels(): Iterable<NamedCount> {
    return cancelReasons.map(([name, reason]) => [name, this.canceled[reason]]);
  }

  /** A command that was accepted, or that was refused with a code. */
  commanded({ type }: Command, rejectionCode: number | undefined): void {
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
