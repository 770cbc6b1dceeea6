// The thread that reads a journal ahead of a replay: started by readAhead.ts with one task, ends when it is done or told to.
// It opens the journal for reading only.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { JournalArchived, JournalDamaged } from './errors.ts';
import { type PackedRecords, packedAfter } from './packedRecords.ts';
import { PACKS_AHEAD, type ReadAheadNews, type ReadAheadTask, STOPPED } from './readAhead.ts';
import { JournalReader } from './reader.ts';

/** Waits until so few packs wait to be taken that another may be sent; false when none is wanted any more. */
function mayGoOn(taken: Int32Array, sent: number): boolean {
  for (;;) {
    const count = Atomics.load(taken, 0);
    if (count === STOPPED) return false;
    if (sent - count < PACKS_AHEAD) return true;
    Atomics.wait(taken, 0, count);
  }
}

function send(port: MessagePort, packed: PackedRecords): void {
  const news: ReadAheadNews = { packed };
  port.postMessage(news, [packed.buffer]);
}

function newsOf(error: unknown): ReadAheadNews {
  if (error instanceof JournalDamaged) return { damage: { sequence: error.sequence, reason: error.reason } };
  if (error instanceof JournalArchived) return { archived: error.message };
  return { failure: error instanceof Error ? error.message : String(error) };
}

async function run({ dataDir, from, total, taken }: ReadAheadTask, port: MessagePort): Promise<ReadAheadNews> {
  let reader: JournalReader | undefined;
  try {
    const opened = new JournalReader(dataDir);
    reader = opened;
    let sent = 0;
    for (const packed of packedAfter(from, total, (sequence) => opened.lentCursors(sequence))) {
      if (!mayGoOn(taken, sent)) break;
      send(port, packed);
      sent += 1;
    }
    return { isDone: true };
  } catch (error) {
    return newsOf(error);
  } finally {
    await reader?.close();
  }
}

// What the starter passed is a task and nothing else.
if (parentPort !== null) parentPort.postMessage(await run(workerData as ReadAheadTask, parentPort));
