// An index that is rebuilt: while it is far behind the log, the exchange's figures say that histories are not answered. The
// records are ticks of the clock, which cost nothing to make; the progress is the number of them indexed.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { openHistorian } from '../../server/history/historian.ts';
import { inTempDir } from '../journal/support.ts';
import { PATIENCE } from '../support/patience.ts';
import { openVenue } from './harness.ts';

/** More than an index may lack before its progress is reported. */
const RECORDS = 30_000;
/**
 * While one commit is written, the thread indexes at most this many records more. So a fast machine, too, is far behind after
 * its first portion of some milliseconds.
 */
const RECORDS_PER_COMMIT = 1_000;

test('isCatchingUp is true while the index is rebuilt and false once it is complete', async () => {
  await inTempDir(async (dataDir) => {
    const venue = await openVenue({ dataDir });
    await venue.exchange.submitTogether(new Array(RECORDS).fill(encodeCommand({ type: 'Tick' })));
    const lastSequence = venue.exchange.durableSequence;
    await venue.close();
    rmSync(join(dataDir, 'history'), { recursive: true });
    const isConsistent: boolean[] = [];
    const historian = openHistorian({
      dataDir,
      recordsPerCommit: RECORDS_PER_COMMIT,
      onProgress: (done, total) => void isConsistent.push(historian.isCatchingUp === done < total),
    });
    expect(historian.isCatchingUp).toBe(false);
    historian.durable(new Uint8Array(), lastSequence);
    await historian.caughtUp();
    await expect.poll(() => historian.isCatchingUp, PATIENCE).toBe(false);
    expect(isConsistent.length).toBeGreaterThan(1);
    expect(isConsistent).not.toContain(false);
    await historian.close();
  });
});
