// A journal read from its pages: the same batches that LMDB finds, beside a process that writes it, without a trace in the
// state that LMDB's processes share. Whatever bit of a page is flipped, it finds the same batches or reports damage.
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SeededRandom } from '../../bench/lib/seededRandom.ts';
import { JournalDamaged } from '../../engine/journal/errors.ts';
import { LmdbStore } from '../../engine/journal/lmdbStore.ts';
import { PageReader } from '../../engine/journal/pageReader.ts';
import type { StoredBatch } from '../../engine/journal/store.ts';
import { inTempDir, startWriter, storeBatches } from './support.ts';

/** Least number of batches to read beside the process that writes them. */
const SEEN_MIN = 2_000;
/** Bytes of the batch that begins at a sequence: in a page, in pages of its own, and at the edges of both. */
const SIZES = [0, 1, 700, 2_010, 2_034, 2_036, 4_071, 4_072, 4_073, 9_000];
const sizeOf = (first: number): number => SIZES[first % SIZES.length];
const batchOf = (first: number): Buffer => Buffer.alloc(sizeOf(first), first % 251);

/** Writes batches of every size that begin at 1, 8, 15, …; returns these sequences. */
const makeJournal = (folder: string, count: number): Promise<number[]> =>
  storeBatches(
    folder,
    Array.from({ length: count }, (_, index) => batchOf(1 + 7 * index)),
  );

const textOf = ({ firstSequence, bytes }: StoredBatch): string =>
  `${firstSequence}: ${bytes.length} bytes of ${bytes[0]} to ${bytes[bytes.length - 1]}`;

test('the page reader finds the same batches as LMDB, from any sequence', async () => {
  for (const count of [0, 1, 2, 30, 400]) {
    await inTempDir(async (dir) => {
      const firsts = await makeJournal(dir, count);
      const [lmdb, pages] = [new LmdbStore(dir, true), new PageReader(dir)];
      const end = (firsts.at(-1) ?? 0) + 10;
      for (let sequence = 0; sequence <= end; sequence += count > 30 ? 13 : 1) {
        const found = [...pages.batches(sequence)].map(textOf);
        expect(found, `from ${sequence} of ${count}`).toEqual([...lmdb.batches(sequence)].map(textOf));
        expect([...pages.lentBatches(sequence)].length).toBe(found.length);
      }
      expect([pages.firstBatchSequence(), pages.lastBatchSequence()]).toEqual([
        lmdb.firstBatchSequence(),
        lmdb.lastBatchSequence(),
      ]);
      const [last, lmdbLast] = [pages.last(), lmdb.last()].map((batch) => batch && textOf(batch));
      expect(last).toBe(lmdbLast);
      await lmdb.close();
      await pages.close();
    });
  }
});

test('the page reader creates no LMDB lock file', async () => {
  await inTempDir(async (dir) => {
    const firsts = await makeJournal(dir, 5);
    rmSync(join(dir, 'lock.mdb'));
    const pages = new PageReader(dir);
    expect([...pages.batches(1)].map(({ firstSequence }) => firstSequence)).toEqual(firsts);
    await pages.close();
    expect(existsSync(join(dir, 'lock.mdb'))).toBe(false);
  });
});

test('while another process writes, every batch is read complete and in order', async () => {
  await inTempDir(async (dir) => {
    const writer = await startWriter(
      dir,
      `await store.write(1, new Uint8Array(1).fill(1));
      console.log('writing');
      const sizes = ${JSON.stringify(SIZES)};
      for (let first = 2; ; first += 1) {
        await store.write(first, new Uint8Array(sizes[first % sizes.length]).fill(first % 251));
      }`,
    );
    const reader = new PageReader(dir);
    let seen = 1;
    try {
      while (seen < SEEN_MIN) {
        const from = Math.max(1, seen - 50);
        let next = from;
        for (const { firstSequence, bytes } of reader.lentBatches(from)) {
          expect(firstSequence).toBe(next);
          expect(Buffer.compare(bytes, batchOf(next))).toBe(0);
          next += 1;
        }
        expect(next).toBeGreaterThan(seen);
        seen = next - 1;
        expect(reader.lastBatchSequence()).toBeGreaterThanOrEqual(seen);
      }
    } finally {
      writer.kill('SIGKILL');
      await once(writer, 'exit');
      await reader.close();
    }
  });
});

/** The first sequences of the batches that a reader finds in a damaged file; undefined when it reports damage. */
async function foundIn(dir: string): Promise<number[] | undefined> {
  let pages: PageReader | undefined;
  try {
    pages = new PageReader(dir);
    return [...pages.batches(1)].map(({ firstSequence }) => firstSequence);
  } catch (error) {
    if (error instanceof JournalDamaged) return undefined;
    throw error;
  } finally {
    await pages?.close();
  }
}

test('a flipped bit in any page is reported as damage or leaves the number of batches unchanged', async () => {
  const random = new SeededRandom(20_261);
  await inTempDir(async (dir) => {
    const firsts = await makeJournal(dir, 120);
    const file = join(dir, 'data.mdb');
    const sound = readFileSync(file);
    const used = (Number(sound.readBigUInt64LE(144)) + 1) * 4096;
    let named = 0;
    for (let flip = 0; flip < 3_000; flip += 1) {
      const bytes = Buffer.from(sound);
      bytes[random.below(used)] ^= 1 << random.below(8);
      writeFileSync(file, bytes);
      const found = await foundIn(dir);
      if (found === undefined) named += 1;
      // A key that became another sequence is detected by the records in its batch.
      else expect(found.length).toBe(firsts.length);
    }
    expect(named).toBeGreaterThan(10);
  });
});

test('a flipped bit in a key above the leaves is reported as damage or leaves the batches unchanged', async () => {
  await inTempDir(async (dir) => {
    const firsts = await makeJournal(dir, 120);
    const file = join(dir, 'data.mdb');
    const sound = readFileSync(file);
    const root =
      Number(sound.readBigUInt64LE(sound.readBigUInt64LE(152) > sound.readBigUInt64LE(4_248) ? 136 : 4_232)) * 4096;
    const nodes = Array.from(
      { length: sound.readUInt16LE(root + 20) / 2 },
      (_, index) => root + 24 + sound.readUInt16LE(root + 24 + 2 * index),
    );
    expect(nodes.length).toBeGreaterThan(3);
    for (const node of nodes) {
      for (let at = node + 8; at < node + 8 + sound.readUInt16LE(node + 6); at += 1) {
        for (let bit = 0; bit < 8; bit += 1) {
          const bytes = Buffer.from(sound);
          bytes[at] ^= 1 << bit;
          writeFileSync(file, bytes);
          const found = await foundIn(dir);
          if (found !== undefined) expect(found, `bit ${bit} of byte ${at}`).toEqual(firsts);
        }
      }
    }
  });
});
