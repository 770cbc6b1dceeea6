// The journal on a real LMDB environment in a temporary folder: appended records come back, and every kind of damage is found
// and named by its sequence.

import { closeSync, openSync, readSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import {
  copyJournal,
  DATA_FORMAT,
  JournalDamaged,
  JournalReader,
  LmdbStore,
  type StoredBatch,
} from '../../engine/journal/index.ts';
import { cursorsOf, readBatches } from '../../engine/journal/journal.ts';
import { readMetas } from '../../engine/journal/meta.ts';
import { RECORD_HEADER_BYTES } from '../../engine/journal/record.ts';
import type { RecordCursor } from '../../engine/journal/recordCursor.ts';
import { childOf, nodeAt, nodeCount } from '../../engine/journal/treePages.ts';
import { appendRange, inTempDir, openJournal, range, sequencesIn } from './support.ts';

async function writeBatches(dir: string, ...ranges: readonly (readonly [number, number])[]): Promise<void> {
  const journal = openJournal(new LmdbStore(dir));
  for (const [first, last] of ranges) {
    appendRange(journal, first, last);
    await journal.drained();
  }
  await journal.close(1_000);
}

async function rewrite(dir: string, change: (batches: StoredBatch[]) => StoredBatch[]): Promise<void> {
  const database = open<Uint8Array, number>({ path: dir, encoding: 'binary', overlappingSync: false, maxDbs: 1 });
  const before = [...database.getRange()].map(({ key, value }) => ({ firstSequence: key, bytes: Buffer.from(value) }));
  const after = change(before);
  await database.clearAsync();
  for (const { firstSequence, bytes } of after) await database.put(firstSequence, bytes);
  await database.close();
}

async function damageIn(dir: string): Promise<JournalDamaged> {
  const store = new LmdbStore(dir);
  try {
    openJournal(store);
    for (const records of readBatches(store, 1)) expect(records.length).toBeGreaterThan(0);
  } catch (error) {
    if (error instanceof JournalDamaged) return error;
    throw error;
  } finally {
    await store.close();
  }
  throw new Error('no damage was found');
}

test('appended records are read back after a restart, from any sequence', async () => {
  await inTempDir(async (dir) => {
    await writeBatches(dir, [1, 1], [2, 40], [41, 41], [42, 300]);
    const store = new LmdbStore(dir);
    const journal = openJournal(store);
    expect(journal.durableSequence).toBe(300);
    expect(journal.durableTMs).toBe(1_300);
    for (const from of [1, 2, 3, 40, 41, 42, 43, 299, 300])
      expect(sequencesIn(readBatches(store, from))).toEqual(range(from, 300));
    expect(sequencesIn(readBatches(store, 301))).toEqual([]);
    appendRange(journal, 301, 302);
    await journal.drained();
    expect(sequencesIn(readBatches(store, 290))).toEqual(range(290, 302));
    await journal.close(1_000);
  });
});

/** Flips a bit in the header of the page that holds a journal's last batch. */
function damageLastLeaf(file: string): void {
  const descriptor = openSync(file, 'r+');
  const meta = readMetas(descriptor)?.newer;
  let number = meta?.root ?? 0;
  const page = Buffer.alloc(4_096);
  for (let level = 1; level <= (meta?.depth ?? 0); level += 1) {
    readSync(descriptor, page, 0, page.length, number * page.length);
    if (level < (meta?.depth ?? 0)) number = childOf(page, nodeAt(page, nodeCount(page) - 1));
  }
  page[20] ^= 2;
  writeSync(descriptor, page, 0, page.length, number * page.length);
  closeSync(descriptor);
}

test('records before a damaged page can still be copied', async () => {
  await inTempDir(async (dir) => {
    const journal = join(dir, 'journal');
    await writeBatches(journal, ...range(1, 200).map((sequence) => [sequence, sequence] as const));
    writeFileSync(join(dir, 'format.json'), JSON.stringify({ format: DATA_FORMAT }));
    damageLastLeaf(join(journal, 'data.mdb'));
    const all = new JournalReader(dir);
    expect(() => sequencesIn(all.read())).toThrow(JournalDamaged);
    await all.close();
    const copy = join(dir, 'copy');
    expect(await copyJournal(dir, join(copy, 'journal'), { lastSequence: 50 })).toBe(50);
    writeFileSync(join(copy, 'format.json'), JSON.stringify({ format: DATA_FORMAT }));
    const copied = new JournalReader(copy);
    expect(sequencesIn(copied.read())).toEqual(range(1, 50));
    await copied.close();
  });
});

test('a long journal is read back in order', async () => {
  await inTempDir(async (dir) => {
    const ranges = range(0, 59).map((batch) => [batch * 7 + 1, batch * 7 + 7] as const);
    await writeBatches(dir, ...ranges);
    const store = new LmdbStore(dir);
    expect(sequencesIn(readBatches(store, 1))).toEqual(range(1, 420));
    expect(sequencesIn(readBatches(store, 200))).toEqual(range(200, 420));
    await store.close();
  });
});

test('a store with a last batch that yields none is damaged from the first record that was asked for', () => {
  const read = (from: number): RecordCursor[] => [...cursorsOf(from, [], () => 60)];
  expect(() => read(50)).toThrow('The journal is damaged at sequence 50: the records from it to 59 are not found.');
  expect(() => read(1)).toThrow('The journal is damaged at sequence 1: the records from it to 59 are not found.');
});

test('an empty journal reads as empty and starts at sequence 1', async () => {
  await inTempDir(async (dir) => {
    const store = new LmdbStore(dir);
    const journal = openJournal(store);
    expect(sequencesIn(readBatches(store, 1))).toEqual([]);
    expect(journal.durableSequence).toBe(0);
    expect(() => appendRange(journal, 2, 2)).toThrow('2 does not follow 0');
    await journal.close(1_000);
  });
});

test('an edited byte is detected at the sequence of its record, wherever it is', async () => {
  await inTempDir(async (dir) => {
    await writeBatches(dir, [1, 5], [6, 12]);
    const lengths = new Map<number, number>();
    await rewrite(dir, (batches) => {
      for (const { firstSequence, bytes } of batches) lengths.set(firstSequence, bytes.length);
      return batches;
    });
    const places = [0, 4, 9, 12, 17, 25, 40, RECORD_HEADER_BYTES, RECORD_HEADER_BYTES + 3, (lengths.get(1) ?? 0) - 1];
    for (const place of places) {
      await rewrite(dir, (batches) => {
        batches[0].bytes[place] ^= 0x10;
        return batches;
      });
      expect((await damageIn(dir)).sequence, `byte ${place}`).toBe(place === places.at(-1) ? 5 : 1);
      await rewrite(dir, (batches) => {
        batches[0].bytes[place] ^= 0x10;
        return batches;
      });
    }
    const store = new LmdbStore(dir);
    expect(sequencesIn(readBatches(store, 1))).toEqual(range(1, 12));
    await store.close();
  });
});

test('a record replaced by another valid one is detected by the running hash', async () => {
  await inTempDir(async (dir) => {
    await writeBatches(join(dir, 'true'), [1, 1], [2, 4]);
    const other = openJournal(new LmdbStore(join(dir, 'other')));
    const forged = new TextEncoder().encode('another command');
    other.append(1, 1_001, forged, forged, forged.length);
    await other.close(1_000);
    let bytes = new Uint8Array();
    await rewrite(join(dir, 'other'), (batches) => {
      bytes = Uint8Array.from(batches[0].bytes);
      return batches;
    });
    await rewrite(join(dir, 'true'), ([, second]) => [{ firstSequence: 1, bytes }, second]);
    const damage = await damageIn(join(dir, 'true'));
    expect(damage.sequence).toBe(2);
    expect(damage.message).toContain('one of them was changed');
  });
});

test('a missing, a torn and a duplicated batch are each detected with their sequence', async () => {
  await inTempDir(async (dir) => {
    await writeBatches(dir, [1, 5], [6, 12], [13, 20]);
    let kept: StoredBatch[] = [];
    await rewrite(dir, (batches) => {
      kept = batches;
      return [batches[0], batches[2]];
    });
    expect((await damageIn(dir)).message).toBe(
      'The journal is damaged at sequence 6: the records from it to 12 are missing.',
    );
    await rewrite(dir, () => [kept[1], kept[2]]);
    expect((await damageIn(dir)).sequence).toBe(1);
    await rewrite(dir, () => [kept[0], { firstSequence: 6, bytes: kept[1].bytes.subarray(0, -10) }, kept[2]]);
    expect(await damageIn(dir)).toMatchObject({ sequence: 12, reason: expect.stringContaining('cut off') });
    await rewrite(dir, () => [kept[0], kept[1], { firstSequence: 13, bytes: kept[2].bytes.subarray(0, 20) }]);
    expect(await damageIn(dir)).toMatchObject({ sequence: 13, reason: 'the record is cut off after 20 bytes' });
    await rewrite(dir, () => [kept[0], { firstSequence: 3, bytes: kept[0].bytes }, kept[1], kept[2]]);
    expect((await damageIn(dir)).sequence).toBe(3);
    await rewrite(dir, () => [kept[0], { firstSequence: 6, bytes: kept[2].bytes }]);
    expect((await damageIn(dir)).sequence).toBe(6);
  });
});

test('a truncated file and a foreign file are rejected before they are mapped', async () => {
  await inTempDir(async (dir) => {
    await writeBatches(dir, [1, 5], [6, 900]);
    const file = join(dir, 'data.mdb');
    truncateSync(file, 3 * 4096);
    expect(() => new LmdbStore(dir)).toThrow(/data\.mdb is cut off: it has 12288 bytes and needs \d+/);
    writeFileSync(file, 'this is something else entirely');
    expect(() => new LmdbStore(dir)).toThrow('data.mdb of 31 bytes is not an LMDB file');
  });
});
