// Reads the journal for a replay. For a long one a thread reads ahead: reading, checking the running hash and packing take about
// as long as applying the commands, and need nothing of it. Used when an exchange opens.
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JournalArchived, JournalDamaged } from './errors.ts';
import { type PackedRecords, packedAfter } from './packedRecords.ts';
import type { RecordCursor } from './recordCursor.ts';

/** What the thread is to read: the records after `from`, up to `total`. */
export interface ReadAheadTask {
  readonly dataDir: string;
  readonly from: number;
  readonly total: number;
  /** How many packs were taken so far, or STOPPED. The thread waits on it, so as not to run ahead for ever. */
  readonly taken: Int32Array<SharedArrayBuffer>;
}

/** What the thread says. */
export type ReadAheadNews =
  | { readonly packed: PackedRecords }
  | { readonly damage: { readonly sequence: number; readonly reason: string } }
  | { readonly archived: string }
  | { readonly failure: string }
  | { readonly isDone: true };

/** Packs that may wait to be taken: some 32 MB. */
export const PACKS_AHEAD = 128;
/** So many records are read here while the thread starts, which takes about as long. A shorter replay starts none. */
const READ_HERE = 40_000;
export const STOPPED = -1;

/**
 * What packedAfter gives, and throws, for the journal of a data directory.
 * @param read reads it in this thread
 * @param readHere how many records are read by that, at least
 */
export async function* readAhead(
  dataDir: string,
  from: number,
  total: number,
  read: (fromSequence: number) => Iterable<RecordCursor>,
  readHere = READ_HERE,
): AsyncGenerator<PackedRecords> {
  if (total - from <= readHere) return yield* packedAfter(from, total, read);
  const middle = from + readHere;
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ReadAheadTask = { dataDir, from: middle, total, taken };
  const thread = new Worker(new URL('./readAheadThread.ts', import.meta.url), { workerData });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  const messages = on(thread, 'message', { close: ['exit'] });
  try {
    yield* packedAfter(from, middle, read);
    for await (const [said] of messages) {
      const news: ReadAheadNews = said;
      if ('isDone' in news) return;
      if (!('packed' in news)) throw errorOf(news);
      yield news.packed;
      Atomics.add(taken, 0, 1);
      Atomics.notify(taken, 0);
    }
    throw new Error('The thread that reads the journal ended before it was done.');
  } finally {
    Atomics.store(taken, 0, STOPPED);
    Atomics.notify(taken, 0);
    await ended;
  }
}

function errorOf(news: Exclude<ReadAheadNews, { packed: PackedRecords } | { isDone: true }>): Error {
  if ('damage' in news) return new JournalDamaged(news.damage.sequence, news.damage.reason);
  return 'archived' in news ? new JournalArchived(news.archived) : new Error(news.failure);
}
