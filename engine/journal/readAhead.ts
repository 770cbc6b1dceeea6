// Reads a journal ahead of a long replay, in a thread of its own: reading, checking the running hash and packing take about
// as long as applying the commands, and need nothing of it. Used when an exchange opens; a short replay reads for itself.
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JournalArchived, JournalDamaged } from './errors.ts';
import type { PackedRecords } from './packedRecords.ts';

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

/** Packs that may wait to be taken. */
export const PACKS_AHEAD = 8;
export const STOPPED = -1;

/** What packedAfter gives, and throws, for the journal of a data directory. */
export async function* readAhead(dataDir: string, from: number, total: number): AsyncGenerator<PackedRecords> {
  const taken = new Int32Array(new SharedArrayBuffer(4));
  const workerData: ReadAheadTask = { dataDir, from, total, taken };
  const thread = new Worker(new URL('./readAheadThread.ts', import.meta.url), { workerData });
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
  try {
    for await (const [said] of on(thread, 'message', { close: ['exit'] })) {
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
