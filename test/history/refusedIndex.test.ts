// An index that the system will not open, for longer than the historian takes to try again several times: it is kept, and
// answers again as soon as it can be opened. The refusal is a link that leads to itself, in place of the index's folder.
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openHistorian } from '../../server/history/historian.ts';
import { inTempDir } from '../journal/support.ts';
import { PATIENCE } from '../support/patience.ts';
import { askText, openVenue, WAIT_MS_MAX } from './harness.ts';
import { OPEN_INTEREST } from './questions.ts';
import { Player } from './world.ts';

/** One more than after which the historian begins with an empty index if it is the index that fails. */
const FAILURES = 3;

test('an index that the system refuses to open again and again is kept', { timeout: 300_000 }, async () => {
  await inTempDir(async (dataDir) => {
    const venue = await openVenue({ dataDir });
    await new Player(1, venue).play(60);
    const last = venue.exchange.durableSequence;
    await venue.close();
    const [index, kept] = [join(dataDir, 'history'), join(dataDir, 'kept')];
    renameSync(index, kept);
    symlinkSync(index, index);

    const logged: string[] = [];
    const log = (_: string, text: string, figures: object = {}): void =>
      void logged.push(text + JSON.stringify(figures));
    const historian = openHistorian({ dataDir, log, waitMsMax: WAIT_MS_MAX });
    historian.durable(new Uint8Array(), last);
    await vi.waitUntil(() => logged.length >= FAILURES, PATIENCE);
    rmSync(index);
    renameSync(kept, index);
    await expect.poll(() => askText(historian, OPEN_INTEREST).catch(String), PATIENCE).toMatch(/^\[/);
    await historian.close();
    for (const text of logged) expect(text).toMatch(/^The historian is started again: .*history/);
  });
});
