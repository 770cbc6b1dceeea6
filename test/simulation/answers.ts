// The commands of a simulated exchange and their answers, through all its lives: every command that was taken is answered and in
// the log, answers come in turn and once their records are on the disk, and each is what the log says. Used by simulation.ts,
// which decides when the exchange lives.
import {
  type Command,
  encodeCommand,
  type LogRecord,
  type RunningExchange,
  StorageUnavailable,
} from '../../engine/index.ts';
import { fail } from './audit.ts';
import type { Disk } from './disk.ts';
import { failureOf, type SimulationFailure } from './failure.ts';
import type { Bounds } from './timekeeper.ts';
import { isCounted, type Witness } from './witness.ts';

/** One answer in this many is compared with its command and with the log: to encode every command again would cost a fiftieth. */
const ANSWERS_A_CLOSE_CHECK = 4;

export class Answers {
  /** The number of the exchange's current life: answers of an earlier one are ignored. */
  life = 0;
  /** The sequence up to which commands were answered, in all lives. */
  acknowledged = 0;
  /** The first failure that came when no step could throw it. */
  fault: SimulationFailure | undefined;
  /** Numbers of commands that were answered, refused for lack of storage, or lost with the power. */
  readonly counts = { answered: 0, unavailable: 0, lost: 0 };
  private waiting = 0;
  /** Commands of this life that were not refused for certain; and how many were in the log when it began. See isCounted. */
  private taken = 0;
  private loggedBefore = 0;
  private readonly disk: Disk;
  private readonly witness: Witness;
  private readonly mayRefuse: () => boolean;

  /** @param mayRefuse whether the exchange may refuse commands now, because its disk is in trouble */
  constructor(disk: Disk, witness: Witness, mayRefuse: () => boolean) {
    this.disk = disk;
    this.witness = witness;
    this.mayRefuse = mayRefuse;
  }

  /** Submits a command, whose time must lie within the bounds; what is wrong with its answer becomes the fault. */
  submit(exchange: RunningExchange, command: Uint8Array, bounds: Bounds, type: Command['type'] = 'Tick'): void {
    const { life } = this;
    const weight = isCounted(type) ? 1 : 0;
    const mayBeRefused = this.mayRefuse();
    this.waiting += 1;
    this.taken += weight;
    exchange.submit(command).then(
      (record) => {
        if (life !== this.life) return;
        this.waiting -= 1;
        this.counts.answered += 1;
        try {
          this.check(command, record, bounds);
        } catch (error) {
          // Thrown here, it would end the process without a scenario.
          this.fault ??= failureOf(error);
        }
      },
      (error: unknown) => {
        if (life !== this.life) return;
        this.waiting -= 1;
        this.counts.unavailable += 1;
        const isRefused = error instanceof StorageUnavailable && !error.isUndecided;
        if (isRefused) this.taken -= weight;
        // A refusal is decided at once, but is heard only when the turn ends: the disk may be well again by then.
        const isExcused = (isRefused && mayBeRefused) || (error instanceof StorageUnavailable && this.mayRefuse());
        if (!isExcused) this.fault ??= failureOf(error);
      },
    );
  }

  throwFault(): void {
    if (this.fault !== undefined) throw this.fault;
  }

  /** What was refused for certain is not in the log, and with `isSettled` everything else is, and answered. */
  checkTaken(isSettled: boolean): void {
    const { taken, loggedBefore, waiting, witness } = this;
    if (isSettled && waiting > 0) fail('everything that was taken is answered', { waiting });
    const logged = witness.commandCount - loggedBefore;
    if (logged > taken || (isSettled && logged < taken)) fail('what was taken is in the log', { taken, logged });
  }

  /** Whatever was answered is on the disk: when the answer comes, and when the exchange starts again. */
  checkKept(): void {
    const { acknowledged: was } = this;
    const onDisk = this.disk.lastSequence;
    if (onDisk < was) fail('what was acknowledged is on the disk', { onDisk, was });
  }

  /** The exchange has started: all that is in the log counts as answered. */
  beginLife(): void {
    const { commandCount, sequence } = this.witness;
    this.checkTaken(false);
    this.taken = 0;
    this.loggedBefore = commandCount;
    this.acknowledged = sequence;
  }

  /** The exchange has ended: what waits gets no answer any more. */
  endLife(): void {
    this.life += 1;
    this.counts.lost += this.waiting;
    this.waiting = 0;
  }

  /** An answer is the next record of the submitter, and that of its own command, as it is in the log. */
  private check(submitted: Uint8Array, record: LogRecord, { leastMs, mostMs }: Bounds): void {
    const { sequence, tMs, command } = record;
    if (sequence <= this.acknowledged) fail('answers come in turn', { sequence });
    this.acknowledged = sequence;
    this.checkKept();
    if (tMs < leastMs || tMs > mostMs) fail('a command gets the time of the clock', { sequence, tMs, leastMs, mostMs });
    if (this.witness.sequence < sequence) fail('readers are served before answers are given', { sequence });
    if (sequence % ANSWERS_A_CLOSE_CHECK !== 0) return;
    if (!this.witness.hasSeen(record)) fail('an answer is what is in the log', { sequence });
    if (Buffer.compare(encodeCommand(command), submitted) !== 0) {
      fail('an answer is about the command that was submitted', { sequence, command: command.type });
    }
  }
}
