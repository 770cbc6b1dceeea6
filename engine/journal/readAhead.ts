// Reads the journal for a replay. For a long one a thread reads ahead: reading, checking the running hash and packing take about
// as long as applying the commands, and need nothing of it. Used when an exchange opens. The packs of the thread lie in memory
// that both share and fill again and again: memory that is handed over would be collected and, where it is taken away from
// somebody, have V8 check for that at every access to a typed array.
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JournalArchived, JournalDamaged } from './errors.ts';
import { PACK_BYTES, type PackedRecords, packedAfter, placesIn } from './packedRecords.ts';
import type { RecordCursor } from './recordCursor.ts';

/** What both share, given to the thread as it starts. */
export interface ReadAheadMemory {
  /** Numbers that both see, by their places in SHARED. */
  readonly shared: Int32Array<SharedArrayBuffer>;
  /** The memory of packs, taken in turn. */
  readonly slots: readonly SharedArrayBuffer[];
}

/** What the thread is to read: records up to `total`, from where it is told to. */
export interface ReadAheadTask {
  readonly dataDir: string;
  readonly from: number;
  readonly total: number;
}

/** A pack of the thread: in the next slot, or in memory of its own where that was too small. */
interface PackNews extends Pick<PackedRecords, 'firstSequence' | 'count' | 'hash'> {
  readonly own: SharedArrayBuffer | undefined;
}

/** What the thread says; it ends when it has said all. */
export type ReadAheadNews =
  | { readonly packed: PackNews }
  | { readonly damage: { readonly sequence: number; readonly reason: string } }
  | { readonly archived: string }
  | { readonly failure: string };

/**
 * What both know of each other: how many packs were taken so far, or STOPPED; how ready the thread is, of READY; after how
 * many records it is to begin, or UNDECIDED; whether it is wanted (1), to read or to end.
 */
export const SHARED = { taken: 0, readiness: 1, begin: 2, isWanted: 3 } as const;
export const STOPPED = -1;
export const UNDECIDED = -1;
/** Whether the thread can read, and whether its code has been compiled as well. */
export const READY = { no: 0, cold: 1, warm: 2 } as const;

/** Packs that may wait to be taken: some 8 MB. */
const SLOTS = 16;
/** A shorter replay is over before a thread would be of use: one that is started for it, and one that waits for it. */
const LEAST_RECORDS = { started: 60_000, waiting: 10_000 } as const;
/** So many records more are read here once the thread can read: its first are slow, its code has yet to be compiled. */
const LEAD_RECORDS = 16_384;

/**
 * The thread that reads ahead. It may be started before it is known what is to be read, since that takes longer than a short
 * replay: it makes itself ready, and waits. It keeps no process alive that has nothing for it to read.
 */
export class ReadAheadThread {
  readonly memory: ReadAheadMemory;
  /** What it says. */
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

  /** How ready it is, of READY. */
  get readiness(): number {
    return Atomics.load(this.memory.shared, SHARED.readiness);
  }

  /** Gives it its task, the only one that it ever has. */
  read(task: ReadAheadTask): void {
    this.hasTask = true;
    this.tell(SHARED.isWanted, 1);
    this.worker.ref();
    this.worker.postMessage(task);
  }

  /** Ends it, whatever it does; resolves when it has ended, with the journal closed. Safe to call again. */
  end(): Promise<void> {
    this.tell(SHARED.taken, STOPPED);
    this.tell(SHARED.begin, 0); // it may wait for this
    this.tell(SHARED.isWanted, 1);
    this.worker.ref(); // whoever waits for its end may wait for nothing else
    if (!this.hasTask) this.worker.postMessage(undefined);
    return this.ended;
  }

  /** One more pack than so many was taken: it may fill that slot again, unless it was told to end. */
  countTaken(before: number): void {
    const { shared } = this.memory;
    Atomics.compareExchange(shared, SHARED.taken, before, before + 1);
    Atomics.notify(shared, SHARED.taken);
  }

  /** Sets one of the shared numbers, and wakes it if it waits for that. */
  tell(place: number, value: number): void {
    const { shared } = this.memory;
    Atomics.store(shared, place, value);
    Atomics.notify(shared, place);
  }
}

interface ReadAheadOptions {
  /** A thread that was started before, used where that pays; whoever started it ends it. */
  readonly thread?: ReadAheadThread | undefined;
  /** So many records are read in this thread, and then none until the other can read; tests give it. */
  readonly readHere?: number | undefined;
}

/**
 * What packedAfter gives, and throws, for the journal of a data directory, in shared memory: a pack is valid until the next is
 * asked for.
 * @param read reads it in this thread, which is done until the one that reads ahead can
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
  const least = waiting === undefined ? LEAST_RECORDS.started : LEAST_RECORDS.waiting;
  if (total - from <= (readHere ?? least)) return yield* readOwn(from, total);
  const thread = waiting ?? new ReadAheadThread();
  thread.tell(SHARED.begin, readHere ?? UNDECIDED);
  thread.read({ dataDir, from, total });
  try {
    const here = yield* packsUntilReady(from, total, readOwn, thread);
    if (here < total) yield* packsOf(thread, total);
  } finally {
    await thread.end();
  }
}

/** Reads here until the thread can; returns the last sequence that was read so, from which on the thread reads. */
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
    thread.tell(SHARED.begin, Math.min(done + lead, total) - from);
  }
  const begin = from + shared[SHARED.begin];
  if (done < begin) yield* readOwn(done, begin);
  return begin;
}

/** What the thread reads, up to a last record: whoever started it may end it before. */
async function* packsOf(thread: ReadAheadThread, total: number): AsyncGenerator<PackedRecords> {
  const { slots } = thread.memory;
  let taken = 0;
  for await (const [said] of thread.messages) {
    const news = said as ReadAheadNews; // readAheadThread.ts says nothing else
    if (!('packed' in news)) throw errorOf(news);
    const { firstSequence, count, hash, own } = news.packed;
    const buffer = own ?? slots[taken % slots.length];
    yield { firstSequence, count, commandAt: placesIn(buffer, count), buffer, hash };
    if (firstSequence + count > total) return;
    thread.countTaken(taken);
    taken += 1;
  }
  throw new Error('The thread that reads the journal ended before it was done.');
}

function errorOf(news: Exclude<ReadAheadNews, { packed: PackNews }>): Error {
  if ('damage' in news) return new JournalDamaged(news.damage.sequence, news.damage.reason);
  return 'archived' in news ? new JournalArchived(news.archived) : new Error(news.failure);
}
