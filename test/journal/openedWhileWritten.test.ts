// A growing journal is whole at every moment: a process that opens it beside the exchange that writes it must never take it
// for cut off or damaged. The writer is a process of its own.
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { assertFileIsWhole } from '../../engine/journal/environment.ts';
import { assertEndIsWhole } from '../../engine/journal/lastPages.ts';
import { inTempDir, startWriter } from './support.ts';

const LOOKS = 20_000;

test('a journal that is being written is never reported as truncated or damaged', async () => {
  await inTempDir(async (dir) => {
    const folder = join(dir, 'journal');
    const writer = await startWriter(
      folder,
      `await store.write(1, new Uint8Array(64));
      console.log('writing');
      for (let first = 2; ; first += 1) await store.write(first, new Uint8Array(40_000));`,
    );
    const faults: unknown[] = [];
    for (let look = 0; look < LOOKS; look += 1) {
      try {
        assertFileIsWhole(folder);
        assertEndIsWhole(folder);
      } catch (error) {
        faults.push(error);
      }
    }
    writer.kill('SIGKILL');
    expect(await once(writer, 'exit')).toEqual([null, 'SIGKILL']); // it was writing until now
    expect(faults).toEqual([]);
  });
});
