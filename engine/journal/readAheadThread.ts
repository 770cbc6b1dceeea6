// The thread that reads a journal ahead of a replay: started by readAhead.ts with one task, ends when it is done or told to.
// It opens the journal for reading only.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { JournalArchived, JournalDamaged } from './errors.ts';
import { packedAfter } from './packedRecords.ts';
import { type ReadAheadNews, type ReadAheadTask, SHARED, STOPPED, UNDECIDED } from './readAhead.ts';
import { JournalReader } from './reader.ts';

/** Waits until the thread is told after how many records it is to begin; undefined when nothing is wanted of it. */
function beginOf(shared: Int32Array): number | undefined {
  for (;;) {
    const begin = Atomics.load(shared, SHARED.begin);
    if (Atomics.load(shared, SHARED.taken) === STOPPED) return undefined;
    if (begin !== UNDECIDED) return begin;
    Atomics.wait(shared, SHARED.begin, UNDECIDED);
  }
}

/** Waits until the slot of the next pack is free; false when none is wanted any more. */
function mayFill({ shared, slots }: ReadAheadTask, sent: number): boolean {
  for (;;) {
    const taken = Atomics.load(shared, SHARED.taken);
    if (taken === STOPPED) return false;
    if (sent - taken < slots.length) return true;
    Atomics.wait(shared, SHARED.taken, taken);
  }
}

function newsOf(error: unknown): ReadAheadNews {
  if (error instanceof JournalDamaged) return { damage: { sequence: error.sequence, reason: error.reason } };
  if (error instanceof JournalArchived) return { archived: error.message };
  return { failure: error instanceof Error ? error.message : String(error) };
}

/** Sends the packs of the task's records, each in the next slot. */
function sendPacks(reader: JournalReader, task: ReadAheadTask, begin: number, port: MessagePort): void {
  const { from, total, slots } = task;
  let sent = 0;
  let own: SharedArrayBuffer | undefined;
  const memoryFor = (bytes: number): SharedArrayBuffer | undefined => {
    if (!mayFill(task, sent)) return undefined;
    const slot = slots[sent % slots.length];
    own = bytes > slot.byteLength ? new SharedArrayBuffer(bytes) : undefined;
    return own ?? slot;
  };
  const packs = packedAfter(from + begin, total, (sequence) => reader.lentCursors(sequence), memoryFor);
  for (const { firstSequence, count, hash } of packs) {
    const news: ReadAheadNews = { packed: { firstSequence, count, hash, own } };
    port.postMessage(news);
    sent += 1;
  }
}

async function run(task: ReadAheadTask, port: MessagePort): Promise<ReadAheadNews> {
  let reader: JournalReader | undefined;
  try {
    reader = new JournalReader(task.dataDir);
    Atomics.store(task.shared, SHARED.isReady, 1);
    const begin = beginOf(task.shared);
    if (begin !== undefined) sendPacks(reader, task, begin, port);
    return { isDone: true };
  } catch (error) {
    return newsOf(error);
  } finally {
    await reader?.close();
  }
}

// What the starter passed is a task and nothing else.
if (parentPort !== null) parentPort.postMessage(await run(workerData as ReadAheadTask, parentPort));
