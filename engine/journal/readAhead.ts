// Reads the journal for a replay. For a long one a thread reads ahead: reading, checking the running hash and packing take
// about as long as applying the commands, and do not depend on it. Used when an exchange opens. The thread's packs lie in
// shared memory that is reused. Transferred buffers would be garbage, and once any buffer was detached, V8 checks for that at
// every access to a typed array.
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JournalArchived, JournalDamaged } from './errors.ts';
import { PACK_BYTES, type PackedRecords, packedAfter, placesIn } from './packedRecords.ts';
import type { RecordCursor } from './recordCursor.ts';

/** The memory that both threads share, given to the second one as it starts. */
export interface ReadAheadMemory {
  /** The numbers by which they coordinate, at the indices of SHARED. */
  readonly shared: Int32Array<SharedArrayBuffer>;
  /** The memory of packs, taken in turn. */
  readonly slots: readonly SharedArrayBuffer[];
}

/** The task of the thread: to read the records up to `total`, from where it is told to begin. */
export interface ReadAheadTask {
  readonly dataDir: string;
  readonly from: number;
  readonly total: number;
}

/** A pack of the thread: in the next slot, or in memory of its own if the slot was too small. */
interface PackMessage extends Pick<PackedRecords, 'firstSequence' | 'count' | 'hash'> {
  readonly own: SharedArrayBuffer | undefined;
}

/** A message of the thread, which ends after its last one. */
export type ReadAheadMessage =
  | { readonly packed: PackMessage }
  | { readonly damage: { readonly sequence: number; readonly reason: string } }
  | { readonly archived: string }
  | { readonly failure: string };

/**
 * Indices of the shared numbers: how many packs were taken so far, or STOPPED; how ready the thread is (READY); after how many
 * records it begins, or UNDECIDED; 1 once the thread must read or end.
 */
export const SHARED = { taken: 0, readiness: 1, begin: 2, isWanted: 3 } as const;
export const STOPPED = -1;
export const UNDECIDED = -1;
/** Whether the thread can read, and whether V8 has compiled its code by then. */
export const READY = { no: 0, cold: 1, warm: 2 } as const;

/** Packs that may wait to be taken: some 8 MB. */
const SLOTS = 16;
/** The shortest replay (records) that is worth a thread that must be started first, and one that already waits. */
const RECORDS_MIN = { started: 60_000, waiting: 10_000 } as const;
/** Records that are still read here once the thread can read: it starts slowly, while its code is not compiled yet. */
const LEAD_RECORDS = 16_384;

/**
 * The thread that reads ahead. It may be started before its task is known, since starting takes longer than a short replay: it
 * makes itself ready, and waits. It keeps the process alive only while it has a task.
 */
export class ReadAheadThread {
  readonly memory: ReadAheadMemory;
  readonly messages: AsyncIterable<unknown[]>;
  private readonly worker: Worker;
  private readonly ended: Promise<void>;
  private hasTask = false;

  constructor() {
    this.memory = {
      shared: new Int32Array(new SharedArrayBuffer(Object.keys(SHARED).length * Int32Array.BYTES_PER_ELEMENT)),
      slots: Array.from({ length: SLOTS }, () => new SharedArrayBuffer(PACK_BYTES)),
    };
    this.worker = new Worker(new URL('./readAheadThread.ts', import.meta.url), { workerData: this.memory });
    this.messages = on(this.worker, 'message', { close: ['exit'] });
    this.ended = new Promise<void>((resolve) => this.worker.once('exit', () => resolve()));
    this.worker.unref();
  }

  /** How ready it is, one of READY. */
  get readiness(): number {
    return Atomics.load(this.memory.shared, SHARED.readiness);
  }

  /** Gives the thread its task, the only one that it ever has. */
  read(task: ReadAheadTask): void {
    this.hasTask = true;
    this.set(SHARED.isWanted, 1);
    this.worker.ref();
    this.worker.postMessage(task);
  }

  /** Ends the thread, whatever it is doing; resolves when it has ended and closed the journal. Safe to call again. */
  end(): Promise<void> {
    this.set(SHARED.taken, STOPPED);
    this.set(SHARED.begin, 0); // it may wait for this
    this.set(SHARED.isWanted, 1);
    this.worker.ref(); // its end may be all that the process waits for
    if (!this.hasTask) this.worker.postMessage(undefined);
    return this.ended;
  }

  /** Counts one more pack as taken than `before`: the thread may fill its slot again, unless it was told to end. */
  countTaken(before: number): void {
    const { shared } = this.memory;
    Atomics.compareExchange(shared, SHARED.taken, before, before + 1);
    Atomics.notify(shared, SHARED.taken);
  }

  /** Sets one of the shared numbers, and wakes the thread if it waits for that. */
  set(place: number, value: number): void {
    const { shared } = this.memory;
    Atomics.store(shared, place, value);
    Atomics.notify(shared, place);
  }
}

interface ReadAheadOptions {
  /** A thread that was started before, used where that pays; its starter ends it, used or not. */
  readonly thread?: ReadAheadThread | undefined;
  /** Reads exactly this many records in this thread before those of the other; for tests. */
  readonly readHere?: number | undefined;
}

/**
 * Yields and throws what packedAfter does, for the journal of a data directory and in shared memory: a pack is valid until the
 * next one is asked for.
 * @param read reads the journal in this thread, until the one that reads ahead is ready
 */
export async function* readAhead(
  dataDir: string,
  from: number,
  total: number,
  read: (fromSequence: number) => Iterable<RecordCursor>,
  { thread: waiting, readHere }: ReadAheadOptions = {},
): AsyncGenerator<PackedRecords> {
  let own = new SharedArrayBuffer(PACK_BYTES);
  const readOwn = (first: number, last: number) =>
    packedAfter(first, last, read, (bytes) => {
      if (bytes > own.byteLength) own = new SharedArrayBuffer(bytes);
      return own;
    });
  const recordsMin = waiting === undefined ? RECORDS_MIN.started : RECORDS_MIN.waiting;
  if (total - from <= (readHere ?? recordsMin)) return yield* readOwn(from, total);
  const thread = waiting ?? new ReadAheadThread();
  thread.set(SHARED.begin, readHere ?? UNDECIDED);
  thread.read({ dataDir, from, total });
  try {
    const last = yield* packsUntilReady(from, total, readOwn, thread);
    if (last < total) yield* packsOf(thread, total);
  } finally {
    await thread.end();
  }
}

/** Reads in this thread until the other one can read; returns the last sequence that was read here. */
function* packsUntilReady(
  from: number,
  total: number,
  readOwn: (from: number, to: number) => Iterable<PackedRecords>,
  thread: ReadAheadThread,
): Generator<PackedRecords, number> {
  const { shared } = thread.memory;
  let done = from;
  if (shared[SHARED.begin] === UNDECIDED) {
    if (thread.readiness === READY.no) {
      for (const packed of readOwn(from, total)) {
        yield packed;
        done += packed.count;
        if (thread.readiness !== READY.no) break;
      }
    }
    if (done === total) return total;
    const lead = thread.readiness === READY.warm ? 0 : LEAD_RECORDS;
    thread.set(SHARED.begin, Math.min(done + lead, total) - from);
  }
  const begin = from + shared[SHARED.begin];
  if (done < begin) yield* readOwn(done, begin);
  return begin;
}

/** The packs of the thread, up to the record `total`; throws if the thread ends before. */
async function* packsOf(thread: ReadAheadThread, total: number): AsyncGenerator<PackedRecords> {
  const { slots } = thread.memory;
  let taken = 0;
  for await (const [received] of thread.messages) {
    const message = received as ReadAheadMessage; // readAheadThread.ts sends nothing else
    if (!('packed' in message)) throw errorIn(message);
    const { firstSequence, count, hash, own } = message.packed;
    const buffer = own ?? slots[taken % slots.length];
    yield { firstSequence, count, commandAt: placesIn(buffer, count), buffer, hash };
    if (firstSequence + count > total) return;
    thread.countTaken(taken);
    taken += 1;
  }
  throw new Error('The thread that reads the journal ended before it was done.');
}

function errorIn(message: Exclude<ReadAheadMessage, { packed: PackMessage }>): Error {
  if ('damage' in message) return new JournalDamaged(message.damage.sequence, message.damage.reason);
  return 'archived' in message ? new JournalArchived(message.archived) : new Error(message.failure);
}
