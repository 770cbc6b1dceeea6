// The pages on the path to the last batch, with each of their bits flipped in turn: whatever hides the last batch is
// reported as damage before LMDB follows these pages, and intact pages are never reported.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JournalDamaged } from '../../engine/journal/errors.ts';
import { assertEndIsWhole } from '../../engine/journal/lastPages.ts';
import { LmdbStore } from '../../engine/journal/lmdbStore.ts';
import { inTempDir, storeBatches } from './support.ts';

const PAGE_BYTES = 4096;
const HEADER_BYTES = 24;
const NODE_BYTES = 8;
/** The size of a leaf's reference to a value in pages of its own, and the offset of the page count in it. */
const REFERENCE_BYTES = 24;
const COUNT_AT = 16;

/** Writes one batch for each size in `batchBytes` into a new journal folder. */
async function makeJournal(folder: string, batchBytes: readonly number[]): Promise<string> {
  await storeBatches(
    folder,
    batchBytes.map((bytes, index) => Buffer.alloc(bytes, index)),
  );
  return join(folder, 'data.mdb');
}

/** The pages from the root to the last leaf, on the path that LMDB takes. */
function lastPagesOf(bytes: Buffer): number[] {
  const meta = bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(PAGE_BYTES + 152) ? 0 : PAGE_BYTES;
  const pages = [Number(bytes.readBigUInt64LE(meta + 136))];
  for (;;) {
    const at = pages[pages.length - 1] * PAGE_BYTES;
    if ((bytes.readUInt16LE(at + 18) & 1) === 0) return pages;
    pages.push(bytes.readUInt32LE(nodesOf(bytes, at).at(-1) ?? 0));
  }
}

/** The offsets in the file of a page's nodes. */
function nodesOf(bytes: Buffer, page: number): number[] {
  const count = bytes.readUInt16LE(page + 20) / 2;
  const at = page + HEADER_BYTES;
  return Array.from({ length: count }, (_, index) => at + bytes.readUInt16LE(at + 2 * index));
}

/**
 * Every byte of these pages that determines where the last batch is: headers, node offsets, node heads. Bytes that a
 * checksum or a number protects are left out: keys, values, and the page number of another batch or of a value of several
 * pages.
 */
function structureOf(bytes: Buffer): number[] {
  const places: number[] = [];
  const add = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) places.push(at);
  };
  for (const number of lastPagesOf(bytes)) {
    const page = number * PAGE_BYTES;
    const isLeaf = (bytes.readUInt16LE(page + 18) & 2) !== 0;
    // The two bytes before the flags mean nothing in these pages.
    add(page, page + 16);
    add(page + 18, page + HEADER_BYTES + bytes.readUInt16LE(page + 20));
    for (const [index, node] of nodesOf(bytes, page).entries()) {
      const isReference = isLeaf && (bytes.readUInt16LE(node + 4) & 1) !== 0;
      const isLast = (index + 1) * 2 === bytes.readUInt16LE(page + 20);
      const hasNumber = isReference || (!isLeaf && !isLast);
      add(hasNumber ? node + 4 : node, node + NODE_BYTES);
      const reference = node + NODE_BYTES + bytes.readUInt16LE(node + 6);
      if (isReference) add(reference + COUNT_AT, reference + REFERENCE_BYTES);
    }
  }
  return places;
}

const LARGE = 6_000;
const journals = [
  ['small batches in one page', [100, 50, 70]],
  ['batches in pages of their own', [LARGE, LARGE, 80, LARGE]],
  ['a tree of two levels', [...Array.from({ length: 150 }, () => LARGE), 1_000, 1_000, 1_000]],
] as const;

for (const [what, batches] of journals) {
  test(`a flipped bit on the path to the last batch is reported as damage: ${what}`, async () => {
    await inTempDir(async (dir) => {
      const file = await makeJournal(join(dir, 'sound'), batches);
      const sound = readFileSync(file);
      assertEndIsWhole(join(dir, 'sound'));
      const unseen: string[] = [];
      const places = structureOf(sound);
      expect(places.length).toBeGreaterThan(50);
      for (const at of places) {
        for (let bit = 0; bit < 8; bit += 1) {
          const bytes = Buffer.from(sound);
          bytes[at] ^= 1 << bit;
          writeFileSync(file, bytes);
          try {
            assertEndIsWhole(join(dir, 'sound'));
            unseen.push(`bit ${bit} of byte ${at % PAGE_BYTES} of page ${Math.floor(at / PAGE_BYTES)}`);
          } catch (error) {
            if (!(error instanceof JournalDamaged)) throw error;
          }
        }
      }
      expect(unseen).toEqual([]);
    });
  });
}

test('an intact journal is never reported as damaged while it grows to 1,199 batches', async () => {
  await inTempDir(async (dir) => {
    const store = new LmdbStore(dir);
    for (let first = 1; first < 1_200; first += 1) {
      await store.write(first, Buffer.alloc((first * 37) % 5_000));
      if (first % 10 === 0 || first < 30) assertEndIsWhole(dir);
    }
    await store.close();
    assertEndIsWhole(dir);
  });
});
