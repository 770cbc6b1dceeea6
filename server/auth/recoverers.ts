// Recovers the signers of orders, on this thread and one helper thread. The helper may start a job as soon as it is added,
// while this thread reads the next requests; this thread helps if the helper falls behind or if it has nothing else to do.
// Filled by the routes of trading, driven by turns.ts. Results equal those of recoverAddress.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { bytesToHex } from './hex.ts';
import { placeOf, RecoveryRing, RING_JOBS } from './recoveryRing.ts';
import { recoverAddress } from './secp256k1.ts';

/** The helper is woken at this many jobs: fewer are finished here before it would have started. */
const JOBS_SHARED_MIN = 3;
/**
 * While this thread has other work, jobs are left to the helper. At HELPED_FROM unclaimed jobs this thread helps until
 * LEFT_TO_HELPER are left. It does many in one go, since the curve's tables fill the processor's cache.
 */
const HELPED_FROM = 32;
const LEFT_TO_HELPER = 16;
/** Most jobs done here in one go, so that other work on the loop does not wait long. */
const JOBS_A_TURN = 16;
/** The same for an idle thread: one, so that requests whose signers were found meanwhile can continue after it. */
const JOBS_AN_IDLE_TURN = 1;
/** Most jobs that may queue behind one of the helper's while this thread has other work; then it waits for that one. */
const HELD_UP_MAX = 128;
/** The longest wait for the helper's answer, ms. If the helper got no processor by then, the job is done here. */
const ANSWER_MS_MAX = 0.2;

/** A signature whose signer is to be recovered. */
export interface RecoveryJob {
  /** Undefined until the job is done (see Recoverers.doneCount), and if there is no signer. */
  readonly signer: string | undefined;
}

interface Helper {
  readonly thread: Worker;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
}

interface JobDraft {
  signer: string | undefined;
  isDone: boolean;
}

export class Recoverers {
  /** The number of jobs added so far, and the number of leading ones that are all done. A job's number is its ticket. */
  addedCount = 0;
  doneCount = 0;
  private readonly ring = new RecoveryRing();
  /** Unfinished jobs, at their tickets' places in the ring. */
  private readonly jobs: (JobDraft | undefined)[] = new Array(RING_JOBS).fill(undefined);
  private readonly digest = new Uint8Array(32);
  private readonly signature = new Uint8Array(65);
  private readonly address = new Uint8Array(20);
  private hasHelper: boolean;
  private helper: Helper | undefined;

  /** Uses a helper thread, started on first need, if there is a second processor. */
  constructor(hasHelper = availableParallelism() > 1) {
    this.hasHelper = hasHelper;
  }

  /** Adds a job: a digest of 32 bytes and a signature of 65 (r, s, v). Both are copied. */
  add(digest: Uint8Array, signature: Uint8Array): RecoveryJob {
    if (this.addedCount - this.doneCount === RING_JOBS) this.recoverAll();
    const ticket = this.addedCount | 0;
    const job: JobDraft = { signer: undefined, isDone: false };
    this.jobs[placeOf(ticket)] = job;
    this.ring.write(ticket, digest, signature);
    this.addedCount += 1;
    this.ring.publish(this.addedCount | 0);
    if (this.hasHelper && this.ring.unclaimedCount >= JOBS_SHARED_MIN) this.wakeHelper();
    return job;
  }

  /**
   * Collects the helper's results, and does jobs here as far as that helps.
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
    } else if (this.doneCount === doneCount && this.addedCount - doneCount >= HELD_UP_MAX) {
      this.awaitFirst();
    }
    this.collect();
  }

  /** Recovers the signers of all jobs added so far. */
  recoverAll(): void {
    this.recoverSome(RING_JOBS, 0);
    for (this.collect(); this.doneCount < this.addedCount; this.collect()) this.awaitFirst();
  }

  /** Resolves when the helper has ended. It ends by itself: terminating a thread while it loads can crash V8. */
  async close(): Promise<void> {
    this.hasHelper = false;
    this.ring.end();
    this.helper?.thread.ref(); // or the process might exit before the thread ends
    await this.helper?.ended;
  }

  /** Advances doneCount to the first unfinished job. */
  private collect(): void {
    while (this.doneCount < this.addedCount) {
      const ticket = this.doneCount | 0;
      const job = this.jobAt(ticket);
      if (!job.isDone && !this.takeAnswer(ticket, job)) return;
      this.jobs[placeOf(ticket)] = undefined;
      this.doneCount += 1;
    }
  }

  /** Does up to `most` unclaimed jobs, as long as more than `left` remain. Returns whether it did any. */
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

  /** The helper holds the first unfinished job: waits for its result, or does the job here. */
  private awaitFirst(): void {
    if (this.doneCount === this.addedCount) return;
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

  private startHelper(): Helper {
    const thread = new Worker(new URL('./recoveryWorker.ts', import.meta.url), { workerData: this.ring.memory });
    // If the helper fails, the jobs that it did not claim are done here.
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
