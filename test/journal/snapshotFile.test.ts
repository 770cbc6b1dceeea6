// A snapshot's file by itself: sections of many megabytes come back whole, though they are written and synced piece by piece and
// the system may take less at a time, they lie in memory as the core's tables do, and no descriptor stays open.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newRecords } from '../../engine/core/grow.ts';
import { readFacts, SnapshotFile } from '../../engine/journal/index.ts';
import { writeSections } from '../../engine/journal/snapshotFile.ts';
import type { Sections } from '../../engine/protocol/index.ts';
import { inTempDir } from './support.ts';

const { writeSync, fdatasyncSync, openSync, closeSync } = fs;
afterEach(() => {
  Object.assign(fs, { writeSync, fdatasyncSync, openSync, closeSync });
  syncBuiltinESMExports();
});

const facts = { sequence: 7, tMs: 8, journalHash: 'ab', versions: { core: 1 } };
const MEBIBYTE = 1024 * 1024;
/** A file is synced after so many bytes at the latest. */
const SYNC_BYTES = 4 * MEBIBYTE;

const arrayOf = (length: number, seed: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, index) => (Math.imul(index + seed, 0x9e3779b1) >>> 13) & 0xff);

/** Writes the arrays as sections and one number; returns the path, and the number of calls of `onSection`. */
function written(dir: string, arrays: readonly Uint8Array<ArrayBuffer>[]): { path: string; calls: number } {
  const path = join(dir, 'snapshot');
  const descriptor = openSync(path, 'w');
  let calls = 0;
  const visit = (sections: Sections): void => {
    for (const [index, array] of arrays.entries()) sections.part('core').uint8(`array ${index}`, array);
    sections.number('number', 42);
  };
  writeSections(descriptor, facts, visit, () => {
    calls += 1;
  });
  closeSync(descriptor);
  return { path, calls };
}

function loaded(path: string, count: number): Uint8Array[] {
  const arrays: Uint8Array[] = [];
  new SnapshotFile(path).load((sections) => {
    for (let index = 0; index < count; index += 1) {
      arrays.push(sections.part('core').uint8(`array ${index}`, new Uint8Array()));
    }
    expect(sections.number('number', 0)).toBe(42);
  });
  return arrays;
}

test.each([Number.POSITIVE_INFINITY, 700_001])(
  'sections of up to several pieces come back when the system takes %d bytes at a time, and are synced in time',
  async (takes) => {
    await inTempDir((dir) => {
      const arrays = [0, 1, 63, SYNC_BYTES - 500, 64, 2 * SYNC_BYTES + 1, SYNC_BYTES, 5].map(arrayOf);
      let [unsynced, unsyncedMax, syncs] = [0, 0, 0];
      fs.writeSync = ((descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number) => {
        const count = writeSync(descriptor, bytes, offset, Math.min(length, takes), position);
        unsynced += count;
        unsyncedMax = Math.max(unsyncedMax, unsynced);
        return count;
      }) as typeof writeSync; // always called with bytes and a position
      fs.fdatasyncSync = (descriptor) => {
        fdatasyncSync(descriptor);
        unsynced = 0;
        syncs += 1;
      };
      syncBuiltinESMExports();
      const { path, calls } = written(dir, arrays);
      expect([unsyncedMax, syncs]).toEqual([SYNC_BYTES, 4]);
      // Once as each array is listed, once as each section is written (the numbers are one), and once for each sync.
      expect(calls).toBe(arrays.length + arrays.length + 1 + syncs);
      const back = loaded(path, arrays.length);
      for (const [index, array] of arrays.entries()) expect(Buffer.compare(back[index], array)).toBe(0);
      expect(readFacts(path)).toEqual(facts);
    });
  },
);

test('sections lie in memory as the tables of records do that grow', async () => {
  await inTempDir((dir) => {
    const arrays = [64, 3 * MEBIBYTE].map(arrayOf);
    const places = loaded(written(dir, arrays).path, arrays.length).map(({ buffer, byteOffset }) => ({
      byteOffset,
      bytes: buffer.byteLength,
    }));
    const grown = arrays.map(({ length }) => newRecords(length / 4));
    expect(places).toEqual(grown.map(({ buffer, byteOffset }) => ({ byteOffset, bytes: buffer.byteLength })));
  });
});

test('no descriptor stays open, whether a file is sound or not', async () => {
  await inTempDir((dir) => {
    const { path } = written(dir, [arrayOf(100, 1)]);
    const damaged = join(dir, 'damaged');
    fs.writeFileSync(damaged, fs.readFileSync(path).fill(0, 30, 60));
    let [opened, closed] = [0, 0];
    fs.openSync = (...how: Parameters<typeof openSync>) => {
      opened += 1;
      return openSync(...how);
    };
    fs.closeSync = (descriptor) => {
      closed += 1;
      closeSync(descriptor);
    };
    syncBuiltinESMExports();
    expect(loaded(path, 1)).toHaveLength(1);
    readFacts(path);
    expect(() => readFacts(damaged)).toThrow('its head does not match its checksum');
    expect(() => new SnapshotFile(damaged)).toThrow('its head does not match its checksum');
    expect([opened, closed]).toEqual([4, 4]);
  });
});
