// Recovers the signers of many signatures together, on this thread and on one helper beside it: both take the next job until
// none is left, so that this one never waits longer than a job takes. Used for the orders that arrive in one turn of the
// loop; a few are done here alone, since waking the helper would take as long. It gives what recoverAddress gives.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { bytesToHex } from './hex.ts';
import { RecoveryRing, RING_JOBS } from './recoveryRing.ts';
import { recoverAddress } from './secp256k1.ts';

/** From so many jobs on the helper is woken. */
const JOBS_SHARED_MIN = 3;
/** How long the helper's last job is waited for, ms; a helper that got no processor is not: the job is then done here. */
const ANSWER_MS_MAX = 0.2;

/** A signature whose signer is asked for: known once recoverAll has run, undefined where there is none. */
export interface RecoveryJob {
  readonly signer: string | undefined;
}

export class Recoverers {
  private readonly ring = new RecoveryRing();
  private jobs: { signer: string | undefined }[] = [];
  private firstTicket = 0;
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
    if (this.jobs.length === RING_JOBS) this.recoverAll();
    this.ring.write((this.firstTicket + this.jobs.length) | 0, digest, signature);
    const job = { signer: undefined };
    this.jobs.push(job);
    return job;
  }

  /** Finds the signers of all jobs taken since the last call. */
  recoverAll(): void {
    const { jobs, ring, firstTicket } = this;
    if (jobs.length === 0) return;
    this.jobs = [];
    this.firstTicket = (firstTicket + jobs.length) | 0;
    ring.publish(this.firstTicket);
    if (this.hasHelper && jobs.length >= JOBS_SHARED_MIN) this.wakeHelper();
    const isOurs = new Uint8Array(jobs.length);
    for (let ticket = ring.claim(); ticket !== undefined; ticket = ring.claim()) {
      const index = (ticket - firstTicket) | 0;
      jobs[index].signer = this.recover(ticket);
      isOurs[index] = 1;
    }
    for (const [index, job] of jobs.entries()) {
      if (isOurs[index] === 0) job.signer = this.answerOf((firstTicket + index) | 0);
    }
  }

  /** Resolves when the helper has ended. It ends by itself: a thread that is stopped while it loads can take V8 with it. */
  async close(): Promise<void> {
    this.hasHelper = false;
    this.ring.end();
    this.helper?.thread.ref(); // or the process might be over before the thread is
    await this.helper?.ended;
  }

  private recover(ticket: number): string | undefined {
    this.ring.read(ticket, this.digest, this.signature);
    return recoverAddress(this.digest, this.signature);
  }

  private answerOf(ticket: number): string | undefined {
    const { address } = this;
    if (!this.ring.awaitAnswer(ticket, address, ANSWER_MS_MAX)) return this.recover(ticket);
    return address.some((byte) => byte !== 0) ? bytesToHex(address) : undefined;
  }

  private wakeHelper(): void {
    this.helper ??= this.startHelper();
    this.ring.call();
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
