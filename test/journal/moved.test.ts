// A journal whose file is moved, removed or replaced while it is in use: nothing is written to a file that nobody would find
// again, and writing goes on once the file is back.
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LmdbStore } from '../../engine/journal/index.ts';
import { inTempDir } from './support.ts';

const batch = (text: string): Uint8Array => new TextEncoder().encode(text);
const NOT_IN_PLACE =
  /^its file data\.mdb was moved, removed or replaced while in use: move it back, or stop the exchange$/;

test('a journal that was moved takes nothing until it is back', async () => {
  await inTempDir(async (dir) => {
    const [folder, elsewhere] = [join(dir, 'journal'), join(dir, 'elsewhere')];
    const store = new LmdbStore(folder);
    await store.write(1, batch('first'));
    renameSync(folder, elsewhere);
    await expect(store.write(2, batch('second'))).rejects.toThrow(NOT_IN_PLACE);
    expect(store.last()?.firstSequence).toBe(1);
    renameSync(elsewhere, folder);
    await store.reopen();
    await store.write(2, batch('second'));
    await store.close();
    const reader = new LmdbStore(folder, true);
    expect([...reader.batches(1)].map(({ firstSequence }) => firstSequence)).toEqual([1, 2]);
    await reader.close();
  });
});

test('a journal that was removed or replaced takes nothing, and leaves the other one alone', async () => {
  await inTempDir(async (dir) => {
    const folder = join(dir, 'journal');
    const store = new LmdbStore(folder);
    await store.write(1, batch('first'));
    rmSync(folder, { recursive: true });
    await expect(store.write(2, batch('second'))).rejects.toThrow(NOT_IN_PLACE);
    mkdirSync(folder);
    const other = new LmdbStore(folder);
    await other.write(1, batch('of another'));
    await expect(store.write(2, batch('second'))).rejects.toThrow(NOT_IN_PLACE);
    await store.close();
    expect(other.last()).toEqual({ firstSequence: 1, bytes: Buffer.from('of another') });
    await other.close();
  });
});
