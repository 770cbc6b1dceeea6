// The memory that the threads which recover signers share: a ring of jobs, each claimed by exactly one of them. Used by
// recoverers.ts (the main thread, which fills it) and recoveryWorker.ts (its helper). A job's number is its ticket; tickets
// rise for ever and are compared by their difference, so that they may wrap around.
// Only the helper writes results into it, one after the other, and says which ticket a result is of: one that comes late,
// when nobody waits for it any more, can never be taken for another's.

/** Jobs that the ring holds: a power of two. */
export const RING_JOBS = 1_024;
const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
const ADDRESS_BYTES = 20;
const ADDRESS_AT = 100;
const JOB_BYTES = 128;

// Words of the control part: the next ticket to claim, the ticket after the last that was given out, how often the helper
// was called, whether it sleeps (or will, unless it finds a job), whether it is to end, then, for each place of the ring, the
// ticket of the result that lies there.
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

  /** On the memory of another thread's ring, or on memory of its own. */
  constructor(memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer(CONTROL_BYTES + RING_JOBS * JOB_BYTES);
    this.control = new Int32Array(this.memory, 0, RESULT_TICKETS + RING_JOBS);
    this.jobs = new Uint8Array(this.memory, CONTROL_BYTES);
    if (memory !== undefined) return;
    // No result lies anywhere yet: each place names a ticket that belongs to another place.
    for (let place = 0; place < RING_JOBS; place += 1) this.control[RESULT_TICKETS + place] = ~place;
  }

  /** Whether the helper waits to be called. */
  get isAsleep(): boolean {
    return Atomics.load(this.control, IS_ASLEEP) !== 0;
  }

  /** Jobs that may be claimed. */
  get unclaimedCount(): number {
    return (Atomics.load(this.control, END) - Atomics.load(this.control, NEXT)) | 0;
  }

  /** How often the helper was called so far. */
  get calls(): number {
    return Atomics.load(this.control, CALLS);
  }

  /** Whether the helper is to end. */
  get isOver(): boolean {
    return Atomics.load(this.control, IS_OVER) !== 0;
  }

  /** Writes a job that nobody may claim yet. */
  write(ticket: number, digest: Uint8Array, signature: Uint8Array): void {
    const at = placeOf(ticket) * JOB_BYTES;
    this.jobs.set(digest, at);
    this.jobs.set(signature, at + DIGEST_BYTES);
  }

  /** Lets every job before this ticket be claimed. */
  publish(endTicket: number): void {
    Atomics.store(this.control, END, endTicket);
  }

  /** Calls the helper: wakes it if it sleeps. */
  call(): void {
    Atomics.store(this.control, IS_ASLEEP, 0);
    Atomics.add(this.control, CALLS, 1);
    Atomics.notify(this.control, CALLS);
  }

  /** Lets the helper end as soon as it has no job. */
  end(): void {
    Atomics.store(this.control, IS_OVER, 1);
    this.call();
  }

  /** The helper sleeps until there is a call after so many; not at all if a job was published before it could be called. */
  sleep(calls: number): void {
    Atomics.store(this.control, IS_ASLEEP, 1);
    if (this.unclaimedCount === 0 && !this.isOver) Atomics.wait(this.control, CALLS, calls);
    Atomics.store(this.control, IS_ASLEEP, 0);
  }

  /** The ticket of a job that is now the caller's alone; undefined when all are claimed. */
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

  /** The helper's result: the 20 bytes of the signer's address, all zero where there is none. */
  answer(ticket: number, address: Uint8Array): void {
    const place = placeOf(ticket);
    this.jobs.set(address, place * JOB_BYTES + ADDRESS_AT);
    Atomics.store(this.control, RESULT_TICKETS + place, ticket);
    Atomics.notify(this.control, RESULT_TICKETS + place);
  }

  /** Copies the helper's result for this ticket out; false when it has not come. */
  takeAnswer(ticket: number, address: Uint8Array): boolean {
    const place = placeOf(ticket);
    if (Atomics.load(this.control, RESULT_TICKETS + place) !== ticket) return false;
    const at = place * JOB_BYTES + ADDRESS_AT;
    address.set(this.jobs.subarray(at, at + ADDRESS_BYTES));
    return true;
  }

  /** Waits up to `ms` for the helper's result; false when it has not come. */
  awaitAnswer(ticket: number, ms: number): boolean {
    const word = RESULT_TICKETS + placeOf(ticket);
    const before = Atomics.load(this.control, word);
    if (before === ticket) return true;
    Atomics.wait(this.control, word, before, ms);
    return Atomics.load(this.control, word) === ticket;
  }
}

/** Where a ticket's job lies in the ring. */
export const placeOf = (ticket: number): number => ticket & (RING_JOBS - 1);
