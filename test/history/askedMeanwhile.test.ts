// A question about records that became durable while another question was at work, on an exchange in which nothing else happens,
// is answered. The historian's thread gets all messages at once, as it does whenever it had to wait for a processor.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openExchange } from '../../engine/index.ts';
import { openHistorian } from '../../server/history/historian.ts';
import { inTempDir } from '../journal/support.ts';
import { PATIENCE } from '../support/patience.ts';
import { openVenue } from './harness.ts';
import { OPEN_INTEREST } from './questions.ts';
import { settings } from './world.ts';

test('a request that needs newer records than the one in progress is answered', async () => {
  await inTempDir(async (dataDir) => {
    const venue = await openVenue({ dataDir });
    const { clock } = venue;
    const indexed = venue.exchange.durableSequence;
    await venue.historian.caughtUp();
    await venue.close();
    const unseen = await openExchange({ dataDir, clock, settings, followers: [] });
    const last = unseen.durableSequence;
    await unseen.close();
    expect(last).toBeGreaterThan(indexed);

    const historian = openHistorian({ dataDir });
    historian.durable(new Uint8Array(), indexed);
    await historian.caughtUp(); // everything indexed is committed: nothing makes it look again by itself
    // Without markets that this could be answered from, the thread answers it.
    const first = historian.ask(OPEN_INTEREST);
    historian.durable(new Uint8Array(), last);
    const second = historian.ask(OPEN_INTEREST);
    for (const answer of [first, second]) {
      expect(await Promise.race([answer, sleep(PATIENCE.timeout, 'no answer', { ref: false })])).not.toBe('no answer');
    }
    await historian.close();
  });
});
