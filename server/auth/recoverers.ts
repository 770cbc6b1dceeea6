// Recovers the signers of orders, on this thread and on one helper beside it. A job may be begun by the helper as soon as it
// is taken, while this thread reads the next requests; this thread lends a hand where the helper cannot keep up, and where
// it has nothing else to do. Filled by the routes of trading, driven by turns.ts. It gives what recoverAddress gives.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { bytesToHex } from './hex.ts';
import { placeOf, RecoveryRing, RING_JOBS } from './recoveryRing.ts';
import { recoverAddress } from './secp256k1.ts';

/** From so many jobs on the helper is woken: fewer are done here before it would be there. */
const JOBS_SHARED_MIN = 3;
/**
 * While this thread has other work, jobs are the helper's: it helps from so many unclaimed ones on, and leaves so many. Where
 * it helps, it does many in one go, since the curve's tables fill the processor's cache.
 */
const HELPED_FROM = 32;
const LEFT_TO_HELPER = 16;
/** Jobs done here in one go at most, before the loop has its turn: what else waits there must not wait long. */
const JOBS_A_TURN = 16;
/** The same where nothing else is to be done: one, since what is found meanwhile can go on after it. */
const JOBS_AN_IDLE_TURN = 1;
/** Jobs that one of the helper's may hold up while this thread has other work: then that one is asked for. */
const HELD_UP_MAX = 128;
/** How long the helper's answer is waited for, ms; a helper that got no processor is not: the job is then done here. */
const ANSWER_MS_MAX = 0.2;

/** A signature whose signer is asked for. */
export interface RecoveryJob {
  /** Undefined until it is known (Recoverers.doneCount), and where there is none. */
  readonly signer: string | undefined;
}

interface JobDraft {
  signer: string | undefined;
  isDone: boolean;
}

export class Recoverers {
  /** Jobs taken so far, and how many of them are done of which all before are done, too. A job's ticket is its number. */
  takenCount = 0;
  doneCount = 0;
  private readonly ring = new RecoveryRing();
  /** Those that are not done, at their tickets' places in the ring. */
  private readonly jobs: (JobDraft | undefined)[] = new Array(RING_JOBS).fill(undefined);
  private readonly digest = new Uint8Array(32);
  private readonly signature = new Uint8Array(65);
  private readonly address = new Uint8Array(20);
  private hasHelper: boolean;
  private helper: { readonly thread: Worker; readonly ended: Promise<void> } | undefined;

  /** With a helper thread, started when it is first needed, where there is a second processor. */
  constructor(hasHelper = availableParallelism() > 1) {
    this.hasHelper = hasHelper;
  }

  /** Takes a job: a digest of 32 bytes and a signature of 65 (r, s, v). Both are copied. */
  add(digest: Uint8Array, signature: Uint8Array): RecoveryJob {
    if (this.takenCount - this.doneCount === RING_JOBS) this.recoverAll();
    const ticket = this.takenCount | 0;
    const job: JobDraft = { signer: undefined, isDone: false };
    this.jobs[placeOf(ticket)] = job;
    this.ring.write(ticket, digest, signature);
    this.takenCount += 1;
    this.ring.publish(this.takenCount | 0);
    if (this.hasHelper && this.ring.unclaimedCount >= JOBS_SHARED_MIN) this.wakeHelper();
    return job;
  }

  /**
   * Takes over what the helper has found, and works as long as that is of use.
   * @param isIdle whether this thread has nothing else to do: then it takes a job, or waits for the helper's
   */
  advance(isIdle: boolean): void {
    const { doneCount } = this;
    this.collect();
    if (isIdle) {
      if (!this.recoverSome(JOBS_AN_IDLE_TURN, 0)) this.awaitFirst();
    } else if (!this.hasHelper || this.ring.isAsleep) {
      this.recoverSome(JOBS_A_TURN, 0);
    } else if (this.ring.unclaimedCount >= HELPED_FROM) {
      this.recoverSome(JOBS_A_TURN, LEFT_TO_HELPER);
    } else if (this.doneCount === doneCount && this.takenCount - doneCount >= HELD_UP_MAX) {
      this.awaitFirst();
    }
    this.collect();
  }

  /** Finds the signers of all jobs taken so far. */
  recoverAll(): void {
    this.recoverSome(RING_JOBS, 0);
    for (this.collect(); this.doneCount < this.takenCount; this.collect()) this.awaitFirst();
  }

  /** Resolves when the helper has ended. It ends by itself: a thread that is stopped while it loads can take V8 with it. */
  async close(): Promise<void> {
    this.hasHelper = false;
    this.ring.end();
    this.helper?.thread.ref(); // or the process might be over before the thread is
    await this.helper?.ended;
  }

  /** Goes on to the first job that is not done. */
  private collect(): void {
    while (this.doneCount < this.takenCount) {
      const ticket = this.doneCount | 0;
      const job = this.jobAt(ticket);
      if (!job.isDone && !this.takeAnswer(ticket, job)) return;
      this.jobs[placeOf(ticket)] = undefined;
      this.doneCount += 1;
    }
  }

  /** Does up to `most` jobs that nobody has claimed, as long as more than `left` are; whether it did any. */
  private recoverSome(most: number, left: number): boolean {
    let count = 0;
    for (; count < most && this.ring.unclaimedCount > left; count += 1) {
      const ticket = this.ring.claim();
      if (ticket === undefined) break;
      this.recover(ticket);
    }
    return count > 0;
  }

  private recover(ticket: number): void {
    this.ring.read(ticket, this.digest, this.signature);
    const job = this.jobAt(ticket);
    job.signer = recoverAddress(this.digest, this.signature);
    job.isDone = true;
  }

  /** The first job that is not done is the helper's: waits for it, or does it here. */
  private awaitFirst(): void {
    if (this.doneCount === this.takenCount) return;
    const ticket = this.doneCount | 0;
    if (!this.ring.awaitAnswer(ticket, ANSWER_MS_MAX)) this.recover(ticket);
  }

  private takeAnswer(ticket: number, job: JobDraft): boolean {
    const { address } = this;
    if (!this.ring.takeAnswer(ticket, address)) return false;
    job.signer = address.some((byte) => byte !== 0) ? bytesToHex(address) : undefined;
    job.isDone = true;
    return true;
  }

  private jobAt(ticket: number): JobDraft {
    const job = this.jobs[placeOf(ticket)];
    if (job === undefined) throw new Error(`recoverers: the job ${ticket} is not known`);
    return job;
  }

  private wakeHelper(): void {
    try {
      this.helper ??= this.startHelper();
    } catch {
      this.hasHelper = false; // the system has no room for another thread
      return;
    }
    if (this.ring.isAsleep) this.ring.call();
  }

  private startHelper(): { readonly thread: Worker; readonly ended: Promise<void> } {
    const thread = new Worker(new URL('./recoveryWorker.ts', import.meta.url), { workerData: this.ring.memory });
    // A helper that cannot run is a helper less: what it does not claim is done here.
    thread.on('error', () => {
      this.hasHelper = false;
    });
    thread.unref();
    const ended = new Promise<void>((resolve) => {
      thread.once('exit', () => resolve());
    });
    return { thread, ended };
  }
}
