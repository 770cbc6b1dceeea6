// The shared memory of the threads that recover signers: a ring of jobs, each claimed by exactly one thread. Used by
// recoverers.ts (the main thread, which fills it) and recoveryWorker.ts (its helper). A job's number is its ticket; tickets
// rise without end and are compared by difference, so they may wrap around. Only the helper writes results to the ring, in
// order, each with its ticket: a late result that nobody waits for any more cannot be mistaken for another job's.

/** The ring's capacity in jobs: a power of two. */
export const RING_JOBS = 1_024;
const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
const ADDRESS_BYTES = 20;
const ADDRESS_AT = 100;
const JOB_BYTES = 128;

// Words of the control part: the next ticket to claim; the ticket after the last published one; the number of calls to the
// helper; whether it sleeps (or will, unless it finds a job); whether it must end; then, for each place of the ring, the
// ticket of the result stored there.
const NEXT = 0;
const END = 1;
const CALLS = 2;
const IS_ASLEEP = 3;
const IS_OVER = 4;
const RESULT_TICKETS = 5;
const CONTROL_BYTES = (RESULT_TICKETS + RING_JOBS) * 4;

export class RecoveryRing {
  readonly memory: SharedArrayBuffer;
  private readonly control: Int32Array;
  private readonly jobs: Uint8Array;

  /** Attaches to another thread's ring, or allocates memory of its own. */
  constructor(memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer(CONTROL_BYTES + RING_JOBS * JOB_BYTES);
    this.control = new Int32Array(this.memory, 0, RESULT_TICKETS + RING_JOBS);
    this.jobs = new Uint8Array(this.memory, CONTROL_BYTES);
    if (memory !== undefined) return;
    // No place holds a result yet: each names a ticket that belongs to another place.
    for (let place = 0; place < RING_JOBS; place += 1) this.control[RESULT_TICKETS + place] = ~place;
  }

  /** Whether the helper is asleep. */
  get isAsleep(): boolean {
    return Atomics.load(this.control, IS_ASLEEP) !== 0;
  }

  /** Number of jobs that can be claimed. */
  get unclaimedCount(): number {
    return (Atomics.load(this.control, END) - Atomics.load(this.control, NEXT)) | 0;
  }

  /** Number of calls to the helper so far. */
  get callCount(): number {
    return Atomics.load(this.control, CALLS);
  }

  /** Whether the helper must end. */
  get isOver(): boolean {
    return Atomics.load(this.control, IS_OVER) !== 0;
  }

  /** Writes a job that cannot be claimed until it is published. */
  write(ticket: number, digest: Uint8Array, signature: Uint8Array): void {
    const at = placeOf(ticket) * JOB_BYTES;
    this.jobs.set(digest, at);
    this.jobs.set(signature, at + DIGEST_BYTES);
  }

  /** Makes every job before this ticket claimable. */
  publish(endTicket: number): void {
    Atomics.store(this.control, END, endTicket);
  }

  /** Calls the helper, waking it if it sleeps. */
  call(): void {
    Atomics.store(this.control, IS_ASLEEP, 0);
    Atomics.add(this.control, CALLS, 1);
    Atomics.notify(this.control, CALLS);
  }

  /** Tells the helper to end as soon as it has no job. */
  end(): void {
    Atomics.store(this.control, IS_OVER, 1);
    this.call();
  }

  /** Puts the helper to sleep until there are more than `callCount` calls; not at all if a job has been published already. */
  sleep(callCount: number): void {
    Atomics.store(this.control, IS_ASLEEP, 1);
    if (this.unclaimedCount === 0 && !this.isOver) Atomics.wait(this.control, CALLS, callCount);
    Atomics.store(this.control, IS_ASLEEP, 0);
  }

  /** Claims a job for the caller alone and returns its ticket; undefined if all are claimed. */
  claim(): number | undefined {
    for (;;) {
      const ticket = Atomics.load(this.control, NEXT);
      if (((Atomics.load(this.control, END) - ticket) | 0) <= 0) return undefined;
      if (Atomics.compareExchange(this.control, NEXT, ticket, (ticket + 1) | 0) === ticket) return ticket;
    }
  }

  /** Copies a job out. */
  read(ticket: number, digest: Uint8Array, signature: Uint8Array): void {
    const at = placeOf(ticket) * JOB_BYTES;
    digest.set(this.jobs.subarray(at, at + DIGEST_BYTES));
    signature.set(this.jobs.subarray(at + DIGEST_BYTES, at + DIGEST_BYTES + SIGNATURE_BYTES));
  }

  /** Stores the helper's result: the 20 bytes of the signer's address, all zero if there is none. */
  answer(ticket: number, address: Uint8Array): void {
    const place = placeOf(ticket);
    this.jobs.set(address, place * JOB_BYTES + ADDRESS_AT);
    Atomics.store(this.control, RESULT_TICKETS + place, ticket);
    Atomics.notify(this.control, RESULT_TICKETS + place);
  }

  /** Copies out the helper's result for this ticket; false if it is not there yet. */
  takeAnswer(ticket: number, address: Uint8Array): boolean {
    const place = placeOf(ticket);
    if (Atomics.load(this.control, RESULT_TICKETS + place) !== ticket) return false;
    const at = place * JOB_BYTES + ADDRESS_AT;
    address.set(this.jobs.subarray(at, at + ADDRESS_BYTES));
    return true;
  }

  /** Waits up to `ms` milliseconds for the helper's result; false if it has not arrived. */
  awaitAnswer(ticket: number, ms: number): boolean {
    const word = RESULT_TICKETS + placeOf(ticket);
    const before = Atomics.load(this.control, word);
    if (before === ticket) return true;
    Atomics.wait(this.control, word, before, ms);
    return Atomics.load(this.control, word) === ticket;
  }
}

/** The place of a ticket's job in the ring. */
export const placeOf = (ticket: number): number => ticket & (RING_JOBS - 1);
