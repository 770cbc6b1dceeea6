// The index ends where the historian was told that the log is durable, although the journal's file holds more: what the device
// has not flushed yet may be gone after a power loss, and then no answer may have shown it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHistorian } from '../../server/history/historian.ts';
import { inTempDir } from '../journal/support.ts';
import { answersInPlace, expectSame, openVenue, oracleOf, WAIT_MS_MAX } from './harness.ts';
import { everything } from './questions.ts';
import { Player } from './world.ts';

test('records in the file that are not reported as durable are neither answered nor committed', {
  timeout: 300_000,
}, async () => {
  await inTempDir(async (dataDir) => {
    const venue = await openVenue({ dataDir });
    const ends: number[] = [];
    for (const seed of [1, 2, 3]) {
      await new Player(seed, venue).play(100);
      ends.push(venue.exchange.durableSequence);
    }
    const { records } = venue;
    await venue.close();
    rmSync(join(dataDir, 'history'), { recursive: true });

    const historian = openHistorian({ dataDir, waitMsMax: WAIT_MS_MAX });
    for (const end of ends.slice(0, 2)) {
      historian.durable(new Uint8Array(), end);
      const oracle = oracleOf(records.filter(({ sequence }) => sequence <= end));
      await expectSame(historian, oracle, everything(oracle), `up to ${end} of ${records.length}`);
    }
    await historian.close();

    const [, second, last] = ends;
    const { foundSequence } = await answersInPlace(dataDir, last, []);
    expect(foundSequence).toBe(second);
  });
});
