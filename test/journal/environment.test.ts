// The files on which LMDB opens an environment: the first pages of a new file are LMDB's own, byte by byte. Where the disk
// or the file does not allow it, the result is a named error, and LMDB is not called.
import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { prepareToRead, prepareToWrite } from '../../engine/journal/environment.ts';
import { JournalDamaged } from '../../engine/journal/errors.ts';
import { LmdbStore } from '../../engine/journal/lmdbStore.ts';
import { emptyFile } from '../../engine/journal/meta.ts';
import { inTempDir } from './support.ts';

test('a new file is byte for byte the one that LMDB creates', async () => {
  await inTempDir(async (dir) => {
    const database = open({ path: dir, encoding: 'binary', overlappingSync: false, maxDbs: 1 });
    await database.close();
    expect(emptyFile()).toEqual(readFileSync(join(dir, 'data.mdb')));
  });
});

test('a new file can be opened, written and read back after reopening', async () => {
  await inTempDir(async (dir) => {
    const store = new LmdbStore(dir);
    await store.write(1, Buffer.from('first'));
    await store.close();
    const again = new LmdbStore(dir);
    expect(Buffer.from(again.last()?.bytes ?? []).toString()).toBe('first');
    await again.close();
  });
});

test('a file with an invalid meta page throws JournalDamaged', async () => {
  const spoiled = [
    ['a page that is none of the two', 18, 0],
    ['another version', 28, 3],
    ['a map that no processor has', 46, 0xff],
    ['pages that are encrypted', 53, 0x20],
    ['pages of no bytes', 49, 0],
    ['pages of 4097 bytes', 48, 1],
    ['free pages listed twice', 52, 0x0c],
    ['numbers for keys', 100, 0x08],
    ['keys in reverse', 100, 0x02],
    ['a tree without a root', 102, 1],
    ['a root that is no page', 143, 0x7f],
  ] as const;
  for (const [what, offset, value] of spoiled) {
    for (const page of [0, 4096]) {
      await inTempDir(async (dir) => {
        prepareToWrite(dir);
        const file = join(dir, 'data.mdb');
        const bytes = readFileSync(file);
        bytes[page + offset] = value;
        writeFileSync(file, bytes);
        for (const prepare of [prepareToWrite, prepareToRead]) {
          expect(() => prepare(dir), what).toThrow(JournalDamaged);
        }
      });
    }
  }
});

test('a flipped bit in the transaction number of either meta page is reported as damage', async () => {
  // LMDB uses the page with the higher number: a flipped bit in the older page's would silently undo the last transaction.
  // The next test covers the one bit that is tolerated.
  for (const writes of [1, 2, 5, 6]) {
    await inTempDir(async (dir) => {
      const store = new LmdbStore(dir);
      for (let first = 1; first <= writes; first += 1) await store.write(first, Buffer.from('a batch'));
      await store.close();
      prepareToWrite(dir);
      const file = join(dir, 'data.mdb');
      const sound = readFileSync(file);
      for (const page of [0, 4096]) {
        for (let bit = 0; bit < 64; bit += 1) {
          const bytes = Buffer.from(sound);
          const isNewer = page === (writes % 2) * 4096;
          if (isNewer && bit === 1 && (writes & 2) !== 0) continue;
          bytes[page + 152 + (bit >> 3)] ^= 1 << (bit & 7);
          writeFileSync(file, bytes);
          const what = `bit ${bit} of page ${page / 4096} after ${writes} writes`;
          expect(() => prepareToWrite(dir), what).toThrow(/transactions \d+ and \d+/);
        }
      }
    });
  }
});

/** A journal of six batches; the meta page of the sixth transaction is the first page. */
async function sixBatches(dir: string): Promise<{ readonly file: string; readonly bytes: Buffer }> {
  const store = new LmdbStore(dir);
  for (let first = 1; first <= 6; first += 1) await store.write(first, Buffer.from('a batch'));
  await store.close();
  const file = join(dir, 'data.mdb');
  const bytes = readFileSync(file);
  expect(bytes.readBigUInt64LE(152)).toBe(6n);
  return { file, bytes };
}

test('a free-page list outside the file is reported as damage if the current meta page points to it', async () => {
  await inTempDir(async (dir) => {
    const { file, bytes } = await sixBatches(dir);
    for (const root of [10_000n, 2n ** 62n, bytes.readBigUInt64LE(144) + 1n]) {
      bytes.writeBigUInt64LE(root, 88);
      writeFileSync(file, bytes);
      expect(() => prepareToWrite(dir)).toThrow(JournalDamaged);
    }
  });
});

test('the meta page left by a failed write is not reported as damage, and writing continues', async () => {
  await inTempDir(async (dir) => {
    // LMDB then leaves the previous transaction's number in that page, beside the root of the failed one.
    const { file, bytes } = await sixBatches(dir);
    bytes.writeBigUInt64LE(4n, 152);
    writeFileSync(file, bytes);
    const again = new LmdbStore(dir);
    expect(again.lastBatchSequence()).toBe(5);
    await again.write(6, Buffer.from('another batch'));
    expect(again.lastBatchSequence()).toBe(6);
    await again.close();
  });
});

test('a batch whose key is not a sequence throws JournalDamaged', async () => {
  for (const key of ['text', -1, 1.5, [1, Symbol.for('sequence')], [1, 'and text'], true]) {
    await inTempDir(async (dir) => {
      const database = open({ path: dir, encoding: 'binary', overlappingSync: false, maxDbs: 1 });
      await database.put(key, Buffer.from('a batch'));
      await database.close();
      const store = new LmdbStore(dir);
      for (const read of ['last', 'lastBatchSequence', 'firstBatchSequence'] as const) {
        expect(() => store[read](), `${read} of ${inspect(key)}`).toThrow(JournalDamaged);
      }
      await store.close();
    });
  }
});

test('a missing or truncated file throws a clear error, and an empty one is recreated for writing', async () => {
  await inTempDir(async (dir) => {
    expect(() => prepareToWrite(join(dir, 'none'))).toThrow(/ENOENT/);
    expect(() => prepareToRead(dir)).toThrow(/ENOENT/);
    prepareToWrite(dir);
    truncateSync(join(dir, 'data.mdb'), 5_000);
    expect(() => prepareToWrite(dir)).toThrow(/cut off: it has 5000 bytes/);
    truncateSync(join(dir, 'data.mdb'), 0);
    expect(() => prepareToRead(dir)).toThrow(/of 0 bytes is not an LMDB file/);
    prepareToWrite(dir);
    expect(readFileSync(join(dir, 'data.mdb'))).toEqual(emptyFile());
  });
});

test('a folder without write permission throws EACCES', async () => {
  if (process.getuid?.() === 0) {
    console.info('The superuser may write everywhere: a folder without permission cannot be rehearsed.');
    return;
  }
  await inTempDir(async (dir) => {
    const folder = join(dir, 'closed');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    expect(() => prepareToWrite(folder)).toThrow(/EACCES/);
  });
});
