// Packed records as a replay receives them: all of them, in order, with their bytes, each where a reducer can read it in
// place, whatever their lengths. Records before damage come before the damage is reported.
import { expect, test } from 'vitest';
import {
  type Journal,
  JournalRecord,
  MemoryStore,
  type PackedRecords,
  packedAfter,
  storedCursors,
} from '../../engine/journal/index.ts';
import { hashAfter, RECORD_HEADER_BYTES } from '../../engine/journal/record.ts';
import { Message } from '../../engine/protocol/index.ts';
import { openJournal, range } from './support.ts';

/** Lengths of commands and of events: small ones, and more than a pack has room for. */
const LENGTHS = [
  [17, 0],
  [16, 35],
  [600_001, 3],
  [5, 900_010],
  [1, 1],
  [300_003, 299_999],
] as const;

type Lengths = readonly (readonly [number, number])[];

const bytesOf = (sequence: number, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, (_, index) => (sequence * 31 + index * 7) & 0xff);

/** Lengths of small records only. */
const SMALL = [[9, 0]] as const;

function append(journal: Journal, sequence: number, lengths: Lengths = LENGTHS): void {
  const [commandBytes, eventsBytes] = lengths[sequence % lengths.length];
  const command = bytesOf(sequence, commandBytes);
  journal.append(sequence, 1_000 + sequence, command, bytesOf(-sequence, eventsBytes), eventsBytes);
}

async function stored(count: number): Promise<MemoryStore> {
  const store = new MemoryStore(true);
  const journal = openJournal(store);
  for (let sequence = 1; sequence <= count; sequence += 1) {
    append(journal, sequence);
    if (sequence % 5 === 0) await journal.drained();
  }
  await journal.drained();
  return store;
}

const packsOf = (store: MemoryStore, from: number, total: number): Generator<PackedRecords> =>
  packedAfter(from, total, (sequence) => storedCursors(store, sequence));

/** The records in the packs, each checked against what was appended, and the running hash after the last of each pack. */
function sequencesOf(packs: Iterable<PackedRecords>, lengths: Lengths = LENGTHS): number[] {
  const found: number[] = [];
  for (const packed of packs) {
    const message = new Message(packed.buffer); // in place: words and doubles must divide the length
    for (let index = 0; index < packed.count; index += 1) {
      const at = packed.commandAt[index];
      expect(at % 8).toBe(0);
      const record = new JournalRecord(Buffer.from(packed.buffer), message.view, at - RECORD_HEADER_BYTES);
      const { sequence } = record;
      const [commandBytes, eventsBytes] = lengths[sequence % lengths.length];
      expect(sequence).toBe(packed.firstSequence + index);
      expect(Buffer.compare(record.command, bytesOf(sequence, commandBytes))).toBe(0);
      expect(Buffer.compare(record.events, bytesOf(-sequence, eventsBytes))).toBe(0);
      found.push(sequence);
      if (index === packed.count - 1) expect(packed.hash).toBe(hashAfter(record));
    }
  }
  return found;
}

test('records of every length are packed in order, for any start and end', async () => {
  const store = await stored(40);
  for (const [from, total] of [
    [0, 40],
    [0, 1],
    [7, 23],
    [39, 40],
    [40, 40],
  ]) {
    expect(sequencesOf(packsOf(store, from, total))).toEqual(range(from + 1, total));
  }
});

test('more small records than fit in one pack are split over several', async () => {
  const store = new MemoryStore(true);
  const journal = openJournal(store);
  for (let sequence = 1; sequence <= 5_000; sequence += 1) {
    append(journal, sequence, SMALL);
  }
  await journal.drained();
  const packs = [...packsOf(store, 0, 5_000)];
  expect(packs.length).toBeGreaterThan(2);
  expect(sequencesOf(packs, SMALL)).toEqual(range(1, 5_000));
  const [last] = packs.slice(-1);
  expect([last.firstSequence + last.count - 1, last.hash]).toEqual([5_000, journal.endHash]);
});

test('records before a damaged one are returned before the damage is reported', async () => {
  const store = await stored(9);
  const [, second] = [...store.batches(1)];
  second.bytes[second.bytes.length - 1] ^= 1; // in the last record of the journal, 9
  const found: number[] = [];
  expect(() => {
    for (const { firstSequence, count } of packsOf(store, 0, 9)) {
      found.push(...range(firstSequence, firstSequence + count - 1));
    }
  }).toThrow(/sequence 9: the record does not match its checksum/);
  expect(found).toEqual(range(1, 8));
});
