// Journals of every released format replay for ever: each record is intact, every command gives the recorded events, and an
// exchange continues from the end. A new format number gets a fixture of its own (fixture.ts).
import { expect, test } from 'vitest';
import { DATA_FORMAT, openExchange, VirtualClock, verifyJournal } from '../../engine/index.ts';
import { START_MS, settings } from '../pipeline/workload.ts';
import { unpackFixture } from './fixture.ts';
import { inTempDir } from './support.ts';

/** Every released format, with the number of records in its fixture. */
const RELEASED: ReadonlyMap<number, number> = new Map([[2, 354]]);

test('the current format has a fixture', () => {
  expect([...RELEASED.keys()]).toContain(DATA_FORMAT);
});

for (const [format, recordCount] of RELEASED) {
  test(`a journal of format ${format} replays to the same events, and an exchange continues from it`, async () => {
    await inTempDir(async (dataDir) => {
      unpackFixture(format, dataDir);
      expect((await verifyJournal(dataDir)).recordCount).toBe(recordCount);
      const clock = new VirtualClock(START_MS + 60_000);
      const exchange = await openExchange({ dataDir, clock, settings, followers: [] });
      expect(exchange.durableSequence).toBeGreaterThan(recordCount);
      exchange.checkInvariants();
      await exchange.close();
    });
  });
}
