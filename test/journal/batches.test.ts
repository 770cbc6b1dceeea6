// How the journal writes its batches, on stores in memory that can be held back or fail: what forms a batch, what is tried again
// and when, what is counted, and how it closes.
import { expect, test, vi } from 'vitest';
import { Journal, MemoryStore } from '../../engine/journal/index.ts';
import { readBatches } from '../../engine/journal/journal.ts';
import { RECORD_HEADER_BYTES } from '../../engine/journal/record.ts';
import {
  appendRange,
  HeldStore,
  openJournal,
  quickRetry,
  range,
  recordingListener,
  sequencesIn,
  turn,
} from './support.ts';

/** The size of the buffer in which the journal's next batch is gathered. */
function gatheringBytes(journal: Journal): number {
  const { gathered } = journal as unknown as { readonly gathered: Uint8Array };
  return gathered.length;
}
test('records of one event-loop turn form one batch, and the next one gathers during a write', async () => {
  const store = new HeldStore();
  const listener = recordingListener();
  const journal = openJournal(store, listener);
  appendRange(journal, 1, 3);
  await turn();
  appendRange(journal, 4, 4);
  await turn();
  appendRange(journal, 5, 9);
  await turn();
  expect(store.log).toEqual(['write 1']);
  expect(listener.calls).toEqual([]);
  expect(journal.durableSequence).toBe(0);
  await store.endNext();
  await turn();
  expect(listener.calls).toEqual(['durable 3']);
  expect(journal.durableSequence).toBe(3);
  expect(store.log).toEqual(['write 1', 'written 1', 'write 4']);
  await store.endNext();
  await journal.drained();
  expect(listener.calls).toEqual(['durable 3', 'durable 6']);
  expect(sequencesIn(readBatches(store, 1))).toEqual(range(1, 9));
});

test.each([
  { end: 'kept', next: 11 },
  { end: 'refused', next: 1 },
])('a journal gives back the memory in which a large import that is $end was gathered', async ({ end, next }) => {
  const journal = openJournal(new MemoryStore(false));
  const bytesBefore = gatheringBytes(journal);
  const large = new Uint8Array(2 ** 20);
  const importAll = (): void => {
    for (const sequence of range(1, 10)) journal.append(sequence, 1_000 + sequence, large, large, large.length);
    if (end === 'refused') throw new Error('refused');
  };
  if (end === 'kept') journal.together(importAll);
  else expect(() => journal.together(importAll)).toThrow('refused');
  expect(gatheringBytes(journal)).toBeGreaterThan(20 * 2 ** 20);
  appendRange(journal, next, next + 1);
  await journal.drained();
  expect(gatheringBytes(journal)).toBe(bytesBefore);
  appendRange(journal, next + 2, next + 3);
  await journal.drained();
  expect(journal.durableSequence).toBe(next + 3);
});

test('records that were kept together leave the next ones to batches of the usual size', async () => {
  const store = new MemoryStore(true);
  const journal = openJournal(store);
  const large = new Uint8Array(2 ** 20);
  const append = (first: number, last: number): void => {
    for (const sequence of range(first, last)) journal.append(sequence, 1_000 + sequence, large, large, large.length);
  };
  journal.together(() => append(1, 10));
  append(11, 18);
  await journal.drained();
  // Of two MiB each, three records are the most that 8 MiB hold with their headers.
  expect([...store.batches(1)].map(({ firstSequence }) => firstSequence)).toEqual([1, 11, 14, 17]);
});

test('what is not durable yet is counted, whether it is being written, waits or gathers', async () => {
  const store = new HeldStore();
  const journal = openJournal(store);
  const eight = new Uint8Array(8);
  const append = (sequence: number): void => journal.append(sequence, 1_000, eight, eight, 8);
  const bytes = RECORD_HEADER_BYTES + 16;
  append(1);
  append(2);
  await turn();
  append(3);
  expect(journal.pendingBytes).toBe(3 * bytes);
  await store.endNext();
  await turn();
  expect(journal.pendingBytes).toBe(bytes);
  await store.endNext();
  await journal.drained();
  expect(journal.pendingBytes).toBe(0);
});

test('a journal that was closed takes no more records', async () => {
  const journal = openJournal(new MemoryStore(true));
  appendRange(journal, 1, 2);
  await journal.close(1_000);
  expect(() => appendRange(journal, 3, 3)).toThrow('journal: it no longer accepts records');
  expect(journal.durableSequence).toBe(2);
});

test('records that are refused together leave neither their bytes nor their sequences nor their time', async () => {
  const store = new MemoryStore(true);
  const journal = openJournal(store);
  appendRange(journal, 1, 2);
  const refuse = (): never => {
    for (const sequence of [3, 4]) journal.append(sequence, 9_000, new Uint8Array(8), new Uint8Array(8), 8);
    throw new Error('refused');
  };
  expect(() => journal.together(refuse)).toThrow('refused');
  await journal.drained();
  expect([journal.durableSequence, journal.durableTMs]).toEqual([2, 1_002]);
  appendRange(journal, 3, 3);
  await journal.drained();
  expect([journal.durableSequence, journal.durableTMs]).toEqual([3, 1_003]);
  const records = [...readBatches(store, 1)].flat();
  expect(records.map(({ sequence, tMs }) => [sequence, tMs])).toEqual([
    [1, 1_001],
    [2, 1_002],
    [3, 1_003],
  ]);
});

test('a failed batch is retried with the same bytes before the next one is written', async () => {
  const store = new HeldStore();
  const listener = recordingListener();
  const journal = openJournal(store, listener);
  appendRange(journal, 1, 2);
  await turn();
  appendRange(journal, 3, 5);
  const first = await store.endNext(new Error('No space left on device'));
  const second = await store.endNext(new Error('No space left on device'));
  expect(journal.unavailableReason).toBe('the journal cannot be written: No space left on device');
  const third = await store.endNext();
  expect([second, third]).toEqual([first, first]);
  await store.endNext();
  await journal.drained();
  expect(journal.unavailableReason).toBeUndefined();
  expect(store.log).toEqual([
    ...['write 1', 'reopen', 'write 1', 'reopen', 'write 1', 'written 1'],
    ...['write 3', 'written 3'],
  ]);
  const reason = 'unavailable: the journal cannot be written: No space left on device';
  expect(listener.calls).toEqual([reason, reason, 'available', 'durable 2', 'durable 3']);
  const { failedWrites, batchRecords, flushSeconds, writtenBytes } = journal.figures;
  expect([failedWrites, batchRecords.sum, flushSeconds.counts.reduce((sum, count) => sum + count)]).toEqual([2, 5, 2]);
  expect(writtenBytes).toBe([...store.batches(1)].reduce((sum, { bytes }) => sum + bytes.length, 0));
});

test.each([
  { what: 'the failed batch itself', found: 3, isSame: true },
  { what: 'another batch in its place', found: 3, isSame: false },
  { what: 'a later batch', found: 4, isSame: false },
])(
  'a store that holds $what after a failed write is written again only if that is the same',
  async ({ found, isSame }) => {
    const store = new HeldStore();
    const listener = recordingListener();
    const journal = openJournal(store, listener);
    appendRange(journal, 1, 2);
    await store.endNext();
    await journal.drained();
    appendRange(journal, 3, 3);
    const bytes = Buffer.from(await store.endNext(new Error('I/O error')), 'hex');
    if (!isSame) bytes[bytes.length - 1] ^= 1;
    await MemoryStore.prototype.write.call(store, found, bytes);
    if (isSame) await store.endNext();
    await journal.drained();
    const reason = `after a failed write its last batch starts at ${found}, not at 1`;
    const refusal = `fatal: The journal is damaged at sequence 3: ${reason}.`;
    expect(listener.calls.at(-1)).toBe(isSame ? 'durable 1' : refusal);
    expect(journal.durableSequence).toBe(isSame ? 3 : 2);
  },
);

/** A store that fails every write, after the call that tells of it. */
function failingStore(onWrite = (): void => {}): MemoryStore {
  const store = new MemoryStore(true);
  store.write = async () => {
    onWrite();
    throw new Error('I/O error');
  };
  return store;
}

test('a failed batch is tried again after delays that double, up to the largest', async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const tries: number[] = [];
    const store = failingStore(() => void tries.push(Date.now()));
    const journal = new Journal(store, recordingListener(), { firstDelayMs: 100, largestDelayMs: 500, triesMax: 7 });
    appendRange(journal, 1, 2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(tries).toEqual([0, 100, 300, 700, 1_200, 1_700, 2_200]);
    await journal.drained();
  } finally {
    vi.useRealTimers();
  }
});

test('a batch that fails all 5 tries ends the journal', async () => {
  const store = new HeldStore();
  const listener = recordingListener();
  const journal = openJournal(store, listener);
  appendRange(journal, 1, 2);
  for (let tries = 1; tries <= 5; tries += 1) await store.endNext(new Error('I/O error'));
  await journal.drained();
  expect(listener.calls.at(-1)).toBe('fatal: The journal could not be written after 5 tries: I/O error.');
  expect(journal.unavailableReason).toContain('after 5 tries');
  expect(journal.durableSequence).toBe(0);
  expect(() => appendRange(journal, 3, 3)).toThrow('no longer accepts records');
});

test('close does not wait for the next retry of a failed write, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const store = new HeldStore();
    const journal = new Journal(store, recordingListener(), { ...quickRetry, firstDelayMs: 1e6, largestDelayMs: 1e6 });
    appendRange(journal, 1, 1);
    await store.endNext(new Error('No space left on device'));
    await turn();
    const closing = journal.close(5_000);
    await Promise.race([closing, store.endNext()]);
    await closing;
    expect([journal.durableSequence, vi.getTimerCount()]).toEqual([1, 0]);
  } finally {
    vi.useRealTimers();
  }
});

test('close gives up after its deadline while the disk stays full', async () => {
  const store = new HeldStore();
  const journal = openJournal(store);
  appendRange(journal, 1, 1);
  await store.endNext(new Error('No space left on device'));
  const closing = journal.close(0);
  while (store.heldCount > 0) await store.endNext(new Error('No space left on device'));
  await closing;
  expect(journal.durableSequence).toBe(0);
});

test('close gives up at its deadline, however far away the next retry is', async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const retry = { ...quickRetry, firstDelayMs: 1e6, largestDelayMs: 1e6 };
    const journal = new Journal(failingStore(), recordingListener(), retry);
    appendRange(journal, 1, 1);
    await vi.advanceTimersByTimeAsync(10);
    let isClosed = false;
    const closing = journal.close(5_000).then(() => {
      isClosed = true;
    });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(isClosed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect([isClosed, vi.getTimerCount()]).toEqual([true, 0]);
    await closing;
  } finally {
    vi.useRealTimers();
  }
});
