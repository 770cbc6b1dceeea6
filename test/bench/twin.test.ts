// The C++ twin of the book core gives the same results on the same op file: the same fills, volume and remaining orders.
// Where there is no compiler the test says so in one line. No clock is read here.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askTwin, buildTwin } from '../../bench/engines/twin.ts';
import { makeOpFile, mixes } from '../../bench/opFile.ts';

test('the C++ twin agrees with the model on every figure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-twin-'));
  try {
    const twin = await buildTwin(folder);
    if (twin === undefined) {
      console.info('No C++ compiler is here: the twin was not built.');
      return;
    }
    for (const mix of [mixes.small, { ...mixes.mix999, restingOrders: 5_000 }]) {
      const checkpoints = [20_000, 60_000];
      const opFile = makeOpFile({ mix, seed: 7, settleOps: 5_000, timedOps: 60_000, checkpoints });
      const opFilePath = join(folder, 'ops');
      writeFileSync(opFilePath, opFile.bytes);
      const untimedOps = opFile.prefillOps + opFile.settleOps;
      const answers = await askTwin(twin, { opFilePath, ticks: mix.ticks, books: mix.books, untimedOps, checkpoints });
      expect(answers.map(({ timedOps, totals }) => ({ timedOps, totals }))).toEqual(opFile.expected);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
