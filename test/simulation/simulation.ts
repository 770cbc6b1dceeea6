// One exchange from its first command through crashes and restarts to its end, all inline and under simulated clocks: core,
// registry, journal on a faulty disk, views. It plays steps one after the other; whenever every accepted command is
// durable, it compares what can be read with the log. Throws a SimulationFailure at the first violation.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Command,
  type EngineSettings,
  encodeCommand,
  openExchange,
  Reducers,
  type RunningExchange,
  type StateHashes,
  StorageUnavailable,
} from '../../engine/index.ts';
import { Views } from '../../server/views/index.ts';
import { TIME_ZERO_MS } from '../model/names.ts';
import { Answers } from './answers.ts';
import { fail } from './audit.ts';
import { MachineClock } from './clock.ts';
import { compareAll, compareSome } from './comparison.ts';
import { Disk, FaultyStore } from './disk.ts';
import { encodeForSimulation } from './encoding.ts';
import { failureOf, SimulationFailure } from './failure.ts';
import { compareKept, type KeptViews, keepViews } from './keptViews.ts';
import { compareHashes, MemorySnapshot, type Settled } from './memorySnapshot.ts';
import { compareOwners, OwnersFold } from './ownersFold.ts';
import { checkDamagedStart, checkStartFarBehind } from './refusedStarts.ts';
import type { Damage, Step } from './steps.ts';
import { type Bounds, Timekeeper } from './timekeeper.ts';
import { compareWithLog } from './viewsReferee.ts';
import { Witness } from './witness.ts';

/** The options of a run, besides its steps. */
export interface SimulationOptions {
  /** Those of all starts until a step brings others. */
  readonly settings: EngineSettings;
  /** Runs every command through the reference exchange as well. */
  readonly isClose: boolean;
  readonly keepsRecords: boolean;
}

/** How an exchange is opened. */
interface Start {
  readonly snapshot?: MemorySnapshot | undefined;
  readonly isInterrupted?: boolean;
}

/** Flushes between two comparisons of everything. */
const FLUSHES_A_FULL_COMPARISON = 60;
const ENDLESS_TRIES = 1_000_000;

const tick = encodeCommand({ type: 'Tick' });
const endlessRetry = () => ({ firstDelayMs: 1, largestDelayMs: 1, triesMax: ENDLESS_TRIES });

export class Simulation {
  readonly witness: Witness;
  views = new Views();
  private readonly owners = new OwnersFold();
  readonly answers: Answers;
  /** Numbers of what has happened; those of commands are the answers'. */
  readonly counts = { restarts: 0, restores: 0, damages: 0, flushes: 0 };
  private readonly options: SimulationOptions;
  /** Those of the latest start. */
  private settings: EngineSettings;
  private readonly clock = new MachineClock(TIME_ZERO_MS);
  private readonly timekeeper = new Timekeeper(this.clock);
  readonly disk = new Disk();
  private store = new FaultyStore(this.disk);
  private retry = endlessRetry();
  private reducers = new Reducers();
  private exchange: RunningExchange | undefined;
  private commandCount = 0;
  private hasGivenUp = false;
  /** The state when everything was last durable, and the sequence up to which it was. */
  private settled: Settled | undefined;
  /** The views at that time, if they are to be compared with those that come back. */
  private kept: KeptViews | undefined;
  private keepsViews: boolean;
  private snapshot: MemorySnapshot | undefined;

  constructor(options: SimulationOptions) {
    this.options = options;
    this.settings = options.settings;
    this.keepsViews = options.keepsRecords;
    this.witness = new Witness(options.isClose, options.keepsRecords);
    this.answers = new Answers(this.disk, this.witness, () => this.store.isTroubled || this.hasGivenUp);
  }

  /** The time of the exchange, which its clients keep to (ms). */
  get nowMs(): number {
    return this.running.now();
  }

  /** Hashes of the current state, durable or not. */
  stateHash(): StateHashes {
    return this.reducers.stateHash();
  }

  /** Opens the exchange for the first time. */
  async open(): Promise<void> {
    await this.start();
  }

  /**
   * Plays a step. Returns undefined when that is done, as it is with a command that comes in the same turn as what was before
   * it: most do, and to wait for each would take a tenth of the time.
   */
  play(step: Step): Promise<void> | undefined {
    this.witness.outcomes.noteStep(step);
    if (step.kind !== 'command' || step.waitMs > 0) return this.playSlowly(step);
    try {
      this.give(step);
    } catch (error) {
      throw failureOf(error);
    }
    this.answers.throwFault();
    return undefined;
  }

  private async playSlowly(step: Step): Promise<void> {
    try {
      await this.perform(step);
    } catch (error) {
      throw failureOf(error);
    }
    this.answers.throwFault();
  }

  /** Ends a run: makes everything durable and compares it. With `isReplayed` the log is replayed from its first record. */
  async finish(isReplayed: boolean): Promise<void> {
    this.keepsViews ||= isReplayed;
    await this.play({ kind: 'flush' });
    if (isReplayed) await this.play({ kind: 'restart', isFromSnapshot: false });
    else this.compareAndKeep();
    if (this.options.keepsRecords) {
      compareWithLog(this.views, this.witness.records);
      await this.play({ kind: 'restart', isFromSnapshot: true });
    }
    await this.running.close();
  }

  private get running(): RunningExchange {
    return this.exchange ?? fail('an exchange runs');
  }

  private async perform(step: Step): Promise<void> {
    switch (step.kind) {
      case 'command':
        await undefined; // the turn ends, so the journal hands on what it has gathered
        this.give(step);
        return;
      case 'hand over':
        await handOver();
        return;
      case 'flush':
        await this.flush();
        return;
      case 'refuse':
        this.store.refusals = step.writes;
        return;
      case 'lose answer':
        this.store.lostAnswers = 1;
        return;
      case 'full':
        this.store.fill();
        this.submit(tick);
        await handOver();
        return;
      case 'dead':
        await this.giveUp();
        return;
      case 'crash':
        await this.crash(step);
        return;
      case 'snapshot':
        await this.flush();
        this.makeSnapshot();
        return;
      case 'restart':
        await this.flush();
        await this.restart(step.isFromSnapshot, step.settings);
        return;
      case 'jump':
        this.clock.set(step.byMs);
        this.wake();
        return;
      case 'sleep':
        this.clock.sleep(step.forMs);
        this.wake();
        return;
    }
  }

  private give({ waitMs, command }: Extract<Step, { readonly kind: 'command' }>): void {
    for (let leftMs = waitMs; leftMs > 0; ) {
      leftMs = this.clock.passUntilWake(leftMs);
      this.wake();
    }
    this.commandCount += 1;
    this.submit(encodeForSimulation(command, this.commandCount), command.type);
    this.checkDue();
  }

  private submit(command: Uint8Array, type?: Command['type']): void {
    this.answers.submit(this.running, command, this.hear(), type);
  }

  private wake(): void {
    this.hear();
    this.clock.wake();
    this.checkDue();
  }

  /** Nobody hears its clients while the exchange accepts nothing. */
  private hear(): Bounds {
    return this.timekeeper.hear(this.running.unavailableReason === undefined);
  }

  /** The exchange was woken, so nothing is left to do unless it could not write. */
  private checkDue(): void {
    const { running, timekeeper } = this;
    const [dueMs, nowMs] = [running.nextDueMs(), timekeeper.now()];
    if (dueMs > nowMs || running.unavailableReason !== undefined) return;
    fail('what is due is settled', { dueMs, nowMs });
  }

  /** Lets the disk finish until every accepted command is answered, then compares what can be read. */
  private async flush(): Promise<void> {
    if (this.hasGivenUp) {
      await this.restart(false);
      return;
    }
    const { store, running } = this;
    store.open();
    while (running.unavailableReason !== undefined || store.isTroubled) {
      this.answers.throwFault();
      if (running.unavailableReason === undefined) await this.submitMarker();
      else await sleep(1);
    }
    await this.submitMarker();
    this.answers.throwFault();
    this.answers.checkTaken(true);
    store.hold();
    this.counts.flushes += 1;
    const parts = { core: this.reducers.core, views: this.views, audit: this.witness.audit };
    if (this.counts.flushes % FLUSHES_A_FULL_COMPARISON === 0) this.compareEverything();
    else compareSome(parts, this.counts.flushes);
  }

  /** Submits a command that changes nothing: once it is answered, so is everything before it. */
  private async submitMarker(): Promise<void> {
    this.hear();
    try {
      const record = await this.running.submit(tick);
      this.answers.acknowledged = record.sequence;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      await sleep(0);
      this.answers.throwFault();
      if (this.hasGivenUp) throw new SimulationFailure('the exchange gave up', String(error));
    }
  }

  private compareEverything(): Settled {
    this.reducers.checkInvariants();
    compareAll({ core: this.reducers.core, views: this.views, audit: this.witness.audit });
    this.settled = { sequence: this.witness.sequence, hashes: this.reducers.stateHash() };
    this.kept = undefined;
    return this.settled;
  }

  /** Compares everything before a stop or a snapshot; some runs keep the views too, to compare those that come back. */
  private compareAndKeep(): Settled {
    const settled = this.compareEverything();
    compareOwners(this.views, this.owners);
    if (this.keepsViews) this.kept = keepViews(this.views);
    return settled;
  }

  /** Makes a snapshot of the durable state, which is everything at that moment. */
  private makeSnapshot(): void {
    this.snapshot = new MemorySnapshot(this.compareAndKeep(), this.reducers, this.views);
  }

  /** Lets every write fail until the exchange stops for good. */
  private async giveUp(): Promise<void> {
    this.store.fill();
    this.retry.triesMax = 2;
    this.submit(tick);
    while (!this.hasGivenUp) await sleep(1);
  }

  /** Stops the exchange in order and starts it again: nothing may be lost, and the state must be the same as before. */
  private async restart(isFromSnapshot: boolean, settings = this.settings): Promise<void> {
    // An orderly stop makes a snapshot, if there is time for it.
    if (!this.hasGivenUp) {
      if (isFromSnapshot) this.makeSnapshot();
      else this.compareAndKeep();
    }
    await this.running.close();
    this.endLife();
    this.settings = settings;
    await this.start({ snapshot: isFromSnapshot ? this.snapshot : undefined });
  }

  private async crash(step: Extract<Step, { readonly kind: 'crash' }>): Promise<void> {
    await handOver();
    this.store.die(step.isWritten);
    this.endLife();
    if (step.damage !== undefined) await this.tryDamaged(step.damage);
    this.settings = step.settings ?? this.settings;
    const snapshot = step.isFromSnapshot ? this.snapshot : undefined;
    if (step.isTwice) {
      await this.start({ snapshot, isInterrupted: true });
      await handOver();
      this.store.die(step.isWritten);
      this.endLife();
    }
    await this.start({ snapshot });
  }

  private endLife(): void {
    // A process that has ended writes nothing more, whatever it was waiting for. Here its exchange must be closed as well,
    // without waiting: otherwise its timers would keep it alive for as long as a flush may hang.
    this.retry.triesMax = 1;
    this.store.die(false);
    this.answers.endLife();
    this.exchange?.close();
    this.clock.detach();
    this.exchange = undefined;
  }

  /** Checks that a damaged log is refused; the damage is undone afterwards. */
  private async tryDamaged(damage: Damage): Promise<void> {
    if (!(await checkDamagedStart(this.exchangeOptions(), this.disk, damage))) return;
    this.counts.damages += 1;
    this.witness.outcomes.noteDamage(damage);
  }

  private exchangeOptions(followers: Parameters<typeof openExchange>[0]['followers'] = []) {
    const { clock, settings } = this;
    return { dataDir: undefined, clock, settings, followers };
  }

  /**
   * Opens what is on the disk, from a snapshot on or as a whole. With `isInterrupted` the first command after the start
   * stays unwritten.
   */
  private async start({ snapshot, isInterrupted = false }: Start = {}): Promise<void> {
    const { answers, disk } = this;
    const { life } = answers;
    this.counts.restarts += 1;
    this.hasGivenUp = false;
    this.retry = endlessRetry();
    const onDisk = disk.lastSequence;
    answers.checkKept();
    const acceptClock = this.timekeeper.start(disk.lastTMs);
    if (acceptClock) await checkStartFarBehind(this.exchangeOptions(), disk);
    const store = new FaultyStore(disk);
    this.store = store;
    if (isInterrupted) store.hold();
    this.views = new Views();
    this.reducers = new Reducers();
    const { reducers, retry, settled, views, kept } = this;
    snapshot?.load(reducers, views);
    if (snapshot !== undefined && snapshot.settled === settled) compareKept(views, kept);
    if (snapshot !== undefined) this.counts.restores += 1;
    const from = snapshot?.settled.sequence ?? 0;
    const onProgress = (done: number, total: number): void => {
      if (done !== total || from + total !== settled?.sequence) return;
      compareHashes(reducers.stateHash(), settled.hashes);
      compareKept(views, kept);
    };
    const onFatal = (error: Error): void => {
      if (life !== answers.life) return;
      this.hasGivenUp = true;
      if (!store.isFull) answers.fault ??= failureOf(error);
    };
    const options = {
      ...this.exchangeOptions([
        ...[this.witness.follower(from), this.timekeeper.follower(), this.owners.follower()],
        ...views.followers(),
      ]),
      acceptClock,
      onProgress,
      onFatal,
    };
    const opening = openExchange(options, { store, restored: { reducers, sequence: from }, retry });
    if (isInterrupted) {
      opening.catch(() => {});
      await sleep(0);
      return;
    }
    this.exchange = await opening;
    store.hold();
    if (this.witness.sequence !== onDisk + 1) fail('all that is on the disk comes back', { onDisk });
    answers.beginLife();
    this.timekeeper.beginLife();
    compareAll({ core: reducers.core, views: this.views, audit: this.witness.audit });
  }
}

/** Lets the journal hand what it has gathered to the disk. */
async function handOver(): Promise<void> {
  for (let turns = 0; turns < 12; turns += 1) await undefined;
}
