// The thread that reads a journal ahead of a replay. Started by readAhead.ts, it reads made-up records until it has its task,
// so that its code is compiled by then. It ends when the task is done or it is told to. It opens the journal for reading only.
import { once } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { dataViewOf, reasonOf } from '../protocol/index.ts';
import { JournalArchived, JournalDamaged } from './errors.ts';
import { cursorsOf } from './journal.ts';
import { packedAfter } from './packedRecords.ts';
import {
  READY,
  type ReadAheadMemory,
  type ReadAheadMessage,
  type ReadAheadTask,
  SHARED,
  STOPPED,
  UNDECIDED,
} from './readAhead.ts';
import { JournalReader } from './reader.ts';
import { GENESIS_HASH, recordBytes, sealRecords, writeRecord } from './record.ts';

/** Made-up records: their number, their sizes, which are those of an order and its events, and how often they are read. */
const MADE_UP = { records: 1_024, commandBytes: 250, eventsBytes: 150, rounds: 60 } as const;

/** A batch of made-up records. */
function madeUpBatch(): Buffer {
  const { records, commandBytes, eventsBytes } = MADE_UP;
  const [command, events] = [new Uint8Array(commandBytes), new Uint8Array(eventsBytes)];
  const bytes = recordBytes(commandBytes, eventsBytes);
  const batch = Buffer.alloc(records * bytes);
  const view = dataViewOf(batch);
  for (let index = 0; index < records; index += 1) {
    writeRecord(batch, view, index * bytes, index + 1, 0, command, events, eventsBytes);
  }
  sealRecords(batch, GENESIS_HASH);
  return batch;
}

/** Warms up: reads made-up records, all rounds of them, or until the thread is wanted. */
function warmUp(shared: Int32Array): void {
  const batch = madeUpBatch();
  let memory = new SharedArrayBuffer(0);
  const memoryFor = (bytes: number): SharedArrayBuffer => {
    if (memory.byteLength < bytes) memory = new SharedArrayBuffer(bytes);
    return memory;
  };
  const read = (from: number) => cursorsOf(from, [{ firstSequence: 1, bytes: batch }], () => 1);
  for (let round = 0; round < MADE_UP.rounds; round += 1) {
    if (Atomics.load(shared, SHARED.isWanted) === 1) return;
    let count = 0;
    for (const packed of packedAfter(0, MADE_UP.records, read, memoryFor)) count += packed.count;
    if (count !== MADE_UP.records) throw new Error(`${MADE_UP.records} records were made up, and ${count} were read`);
  }
  Atomics.store(shared, SHARED.readiness, READY.warm);
}

/** Waits until the thread is told after how many records to begin; undefined when it is told to stop. */
function waitForBegin(shared: Int32Array): number | undefined {
  for (;;) {
    const begin = Atomics.load(shared, SHARED.begin);
    if (Atomics.load(shared, SHARED.taken) === STOPPED) return undefined;
    if (begin !== UNDECIDED) return begin;
    Atomics.wait(shared, SHARED.begin, UNDECIDED);
  }
}

/** Waits until the slot of the next pack is free; false when no more packs are wanted. */
function waitForSlot({ shared, slots }: ReadAheadMemory, sent: number): boolean {
  for (;;) {
    const taken = Atomics.load(shared, SHARED.taken);
    if (taken === STOPPED) return false;
    if (sent - taken < slots.length) return true;
    Atomics.wait(shared, SHARED.taken, taken);
  }
}

function messageOf(error: unknown): ReadAheadMessage {
  if (error instanceof JournalDamaged) return { damage: { sequence: error.sequence, reason: error.reason } };
  if (error instanceof JournalArchived) return { archived: error.message };
  return { failure: reasonOf(error) };
}

/** Sends the packs of the task's records, each in the next slot. */
function sendPacks(
  reader: JournalReader,
  { from, total }: ReadAheadTask,
  begin: number,
  memory: ReadAheadMemory,
  port: MessagePort,
): void {
  const { slots } = memory;
  let sent = 0;
  let own: SharedArrayBuffer | undefined;
  const memoryFor = (bytes: number): SharedArrayBuffer | undefined => {
    if (!waitForSlot(memory, sent)) return undefined;
    const slot = slots[sent % slots.length];
    own = bytes > slot.byteLength ? new SharedArrayBuffer(bytes) : undefined;
    return own ?? slot;
  };
  const packs = packedAfter(from + begin, total, (sequence) => reader.lentCursors(sequence), memoryFor);
  for (const { firstSequence, count, hash } of packs) {
    const message: ReadAheadMessage = { packed: { firstSequence, count, hash, own } };
    port.postMessage(message);
    sent += 1;
  }
}

async function run(task: ReadAheadTask, memory: ReadAheadMemory, port: MessagePort): Promise<void> {
  const { shared } = memory;
  let reader: JournalReader | undefined;
  try {
    reader = new JournalReader(task.dataDir);
    Atomics.compareExchange(shared, SHARED.readiness, READY.no, READY.cold);
    const begin = waitForBegin(shared);
    if (begin !== undefined) sendPacks(reader, task, begin, memory, port);
  } catch (error) {
    port.postMessage(messageOf(error));
  } finally {
    await reader?.close();
  }
}

async function main(port: MessagePort): Promise<void> {
  const memory = workerData as ReadAheadMemory; // what the starter passes
  warmUp(memory.shared);
  const [task] = (await once(port, 'message')) as [ReadAheadTask | undefined];
  if (task !== undefined) await run(task, memory, port);
}

if (parentPort !== null) await main(parentPort);
