// A long journal read for a replay by two threads at once: the same records, in order, with the same bytes as one thread
// reads, wherever the second one takes over and whenever it is told to stop.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  Journal,
  JournalReader,
  LmdbStore,
  type PackedRecords,
  packedAfter,
  ReadAheadThread,
  readAhead,
} from '../../engine/journal/index.ts';
import { READY } from '../../engine/journal/readAhead.ts';
import { hashOf, RECORD_AT, RECORD_HEADER_BYTES } from '../../engine/journal/record.ts';
import { commandOf, eventsOf, inTempDir, recordingListener } from './support.ts';

/** More bytes than a pack has room for. */
const LARGE_EVENTS = new Uint8Array(700_000).fill(7);
const LARGE_EVERY = 9_001;

async function writeJournal(dataDir: string, count: number): Promise<void> {
  writeFileSync(join(dataDir, 'format.json'), '{"format":2}\n');
  const journal = new Journal(new LmdbStore(join(dataDir, 'journal')), recordingListener());
  for (let sequence = 1; sequence <= count; sequence += 1) {
    const events = sequence % LARGE_EVERY === 0 ? LARGE_EVENTS : eventsOf(sequence);
    journal.append(sequence, 1_000 + sequence, commandOf(sequence), events, events.length);
    if (sequence % 1_000 === 0) await journal.drained();
  }
  await journal.close(60_000);
}

/** The content of a pack: each record's bytes as a hash. Checks that sequences match positions. */
function recordsOf({ buffer, commandAt, count, firstSequence }: PackedRecords): string[] {
  const view = new DataView(buffer);
  return Array.from({ length: count }, (_, index) => {
    const start = commandAt[index] - RECORD_HEADER_BYTES;
    expect(view.getFloat64(start + RECORD_AT.sequence, true)).toBe(firstSequence + index);
    return hashOf(new Uint8Array(buffer, start, view.getUint32(start + RECORD_AT.length, true)));
  });
}

/** A thread that has warmed up. */
async function warmThread(): Promise<ReadAheadThread> {
  const thread = new ReadAheadThread();
  while (thread.readiness !== READY.warm) await sleep(5);
  return thread;
}

test('two threads read the same records as one, wherever the second takes over', async () => {
  await inTempDir(async (dataDir) => {
    const total = 70_000;
    await writeJournal(dataDir, total);
    const reader = new JournalReader(dataDir);
    const read = (sequence: number) => reader.cursors(sequence);
    const alone = [...packedAfter(0, total, read)];
    const records = alone.flatMap(recordsOf);
    expect(records.length).toBe(total);
    for (const [from, readHere] of [
      [0, undefined],
      [2, undefined],
      [0, 0],
      [0, 1],
      [17, 9_000],
      [60_123, 2_048],
      [9_000, 60_999],
      [69_000, undefined],
    ] as const) {
      const found: string[] = [];
      let hash = '';
      for await (const packed of readAhead(dataDir, from, total, read, { readHere })) {
        found.push(...recordsOf(packed));
        hash = packed.hash;
      }
      expect(found).toEqual(records.slice(from));
      expect(hash).toBe(alone.at(-1)?.hash);
    }
    await reader.close();
  });
});

test('a reader that stops early ends the thread, before and after it takes over', async () => {
  await inTempDir(async (dataDir) => {
    const total = 70_000;
    await writeJournal(dataDir, total);
    const reader = new JournalReader(dataDir);
    const read = (sequence: number) => reader.cursors(sequence);
    for (const readHere of [undefined, 5_000]) {
      for (const packs of [1, 4]) {
        let left = packs;
        for await (const { count } of readAhead(dataDir, 0, total, read, { readHere })) {
          expect(count).toBeGreaterThan(0);
          left -= 1;
          if (left === 0) break; // the generator waits here until its thread has ended
        }
        expect(left).toBe(0);
      }
    }
    await reader.close();
  });
});

test('a thread started in advance reads the same records, whether or not it has warmed up', async () => {
  await inTempDir(async (dataDir) => {
    const total = 21_000;
    await writeJournal(dataDir, total);
    const reader = new JournalReader(dataDir);
    const read = (sequence: number) => reader.cursors(sequence);
    const records = [...packedAfter(0, total, read)].flatMap(recordsOf);
    const threads = [async () => new ReadAheadThread(), warmThread];
    for (const start of threads) {
      for (const from of [0, 5, 10_999, 20_990]) {
        const thread = await start();
        const found: string[] = [];
        for await (const packed of readAhead(dataDir, from, total, read, { thread })) found.push(...recordsOf(packed));
        expect(found).toEqual(records.slice(from));
        await thread.end();
      }
    }
    await reader.close();
  });
});

test('a warm thread reports a journal that it cannot read', async () => {
  await inTempDir(async (dataDir) => {
    const thread = await warmThread();
    const packs = readAhead(dataDir, 0, 70_000, () => [], { thread });
    await expect(packs.next()).rejects.toThrow(`There is no journal in ${dataDir}.`);
  });
});

test('ending a thread during a read throws an error instead of ending the journal early', async () => {
  await inTempDir(async (dataDir) => {
    const total = 70_000;
    await writeJournal(dataDir, total);
    const reader = new JournalReader(dataDir);
    const read = (sequence: number) => reader.cursors(sequence);
    for (const packsBefore of [1, 8]) {
      const thread = new ReadAheadThread();
      let count = 0;
      const reading = async (): Promise<void> => {
        for await (const packed of readAhead(dataDir, 0, total, read, { thread, readHere: 5_000 })) {
          recordsOf(packed);
          count += 1;
          if (count === packsBefore) void thread.end();
        }
      };
      await expect(reading()).rejects.toThrow('The thread that reads the journal ended before it was done.');
      await thread.end();
    }
    await reader.close();
  });
});

test('an unused thread ends, before and after it has warmed up', async () => {
  await new ReadAheadThread().end();
  const thread = await warmThread();
  await thread.end();
  await thread.end();
});
