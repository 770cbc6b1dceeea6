// Reads the journal for a replay. For a long one a thread reads ahead: reading, checking the running hash and packing take about
// as long as applying the commands, and need nothing of it. Used when an exchange opens. The packs of the thread lie in memory
// that both share and fill again and again: memory that is handed over would be collected and, where it is taken away from
// somebody, have V8 check for that at every access to a typed array.
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JournalArchived, JournalDamaged } from './errors.ts';
import { PACK_BYTES, type PackedRecords, packedAfter, placesIn } from './packedRecords.ts';
import type { RecordCursor } from './recordCursor.ts';

/** What the thread is to read: records up to `total`, from where it is told to. */
export interface ReadAheadTask {
  readonly dataDir: string;
  readonly from: number;
  readonly total: number;
  /** Numbers that both see, by their places in SHARED. */
  readonly shared: Int32Array<SharedArrayBuffer>;
  /** The memory of packs, taken in turn. */
  readonly slots: readonly SharedArrayBuffer[];
}

/** A pack of the thread: in the next slot, or in memory of its own where that was too small. */
export interface PackNews extends Pick<PackedRecords, 'firstSequence' | 'count' | 'hash'> {
  readonly own: SharedArrayBuffer | undefined;
}

/** What the thread says. */
export type ReadAheadNews =
  | { readonly packed: PackNews }
  | { readonly damage: { readonly sequence: number; readonly reason: string } }
  | { readonly archived: string }
  | { readonly failure: string }
  | { readonly isDone: true };

/**
 * What both know of each other: how many packs were taken so far, or STOPPED; whether the thread can read; after how many
 * records it is to begin, or UNDECIDED.
 */
export const SHARED = { taken: 0, isReady: 1, begin: 2 } as const;
export const STOPPED = -1;
export const UNDECIDED = -1;

/** Packs that may wait to be taken: some 8 MB. */
const SLOTS = 16;
/** A shorter replay is over before a thread would be of use. */
const LEAST_RECORDS = 60_000;
/** So many records more are read here once the thread can read: its first are slow, its code has yet to be compiled. */
const LEAD_RECORDS = 16_384;

/**
 * What packedAfter gives, and throws, for the journal of a data directory, in shared memory: a pack is valid until the next is
 * asked for.
 * @param read reads it in this thread, which is done until the one that reads ahead can
 * @param readHere so many records are read here, and then none until the thread can; tests give it
 */
export async function* readAhead(
  dataDir: string,
  from: number,
  total: number,
  read: (fromSequence: number) => Iterable<RecordCursor>,
  readHere?: number,
): AsyncGenerator<PackedRecords> {
  let own = new SharedArrayBuffer(PACK_BYTES);
  const readOwn = (first: number, last: number) =>
    packedAfter(first, last, read, (bytes) => {
      if (bytes > own.byteLength) own = new SharedArrayBuffer(bytes);
      return own;
    });
  if (total - from <= (readHere ?? LEAST_RECORDS)) return yield* readOwn(from, total);
  const shared = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
  shared[SHARED.begin] = readHere ?? UNDECIDED;
  const slots = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(PACK_BYTES));
  const workerData: ReadAheadTask = { dataDir, from, total, shared, slots };
  const thread = new Worker(new URL('./readAheadThread.ts', import.meta.url), { workerData });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  const messages = on(thread, 'message', { close: ['exit'] });
  try {
    const here = yield* packsUntilReady(from, total, readOwn, shared);
    if (here < total) yield* packsOf(messages, shared, slots);
  } finally {
    tell(shared, SHARED.taken, STOPPED);
    tell(shared, SHARED.begin, 0); // it may wait for this
    await ended;
  }
}

/** Reads here until the thread can; returns the last sequence that was read so, from which on the thread reads. */
function* packsUntilReady(
  from: number,
  total: number,
  readOwn: (from: number, to: number) => Iterable<PackedRecords>,
  shared: Int32Array,
): Generator<PackedRecords, number> {
  let done = from;
  if (shared[SHARED.begin] === UNDECIDED) {
    for (const packed of readOwn(from, total)) {
      yield packed;
      done += packed.count;
      if (Atomics.load(shared, SHARED.isReady) === 0) continue;
      tell(shared, SHARED.begin, Math.min(done + LEAD_RECORDS, total) - from);
      break;
    }
  }
  const begin = done === total ? total : from + shared[SHARED.begin];
  yield* readOwn(done, begin);
  return begin;
}

async function* packsOf(
  messages: AsyncIterable<unknown[]>,
  shared: Int32Array,
  slots: readonly SharedArrayBuffer[],
): AsyncGenerator<PackedRecords> {
  let taken = 0;
  for await (const [said] of messages) {
    const news = said as ReadAheadNews; // readAheadThread.ts says nothing else
    if ('isDone' in news) return;
    if (!('packed' in news)) throw errorOf(news);
    const { firstSequence, count, hash, own } = news.packed;
    const buffer = own ?? slots[taken % slots.length];
    yield { firstSequence, count, commandAt: placesIn(buffer, count), buffer, hash };
    taken += 1;
    tell(shared, SHARED.taken, taken);
  }
  throw new Error('The thread that reads the journal ended before it was done.');
}

/** Sets one of the shared numbers, and wakes whoever waits for it. */
function tell(shared: Int32Array, place: number, value: number): void {
  Atomics.store(shared, place, value);
  Atomics.notify(shared, place);
}

function errorOf(news: Exclude<ReadAheadNews, { packed: PackNews } | { isDone: true }>): Error {
  if ('damage' in news) return new JournalDamaged(news.damage.sequence, news.damage.reason);
  return 'archived' in news ? new JournalArchived(news.archived) : new Error(news.failure);
}
