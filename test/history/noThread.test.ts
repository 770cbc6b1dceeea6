// A historian whose thread the system has no room for, at its start or later: the exchange goes on, questions are refused
// meanwhile, and once there is room the existing index is brought up to date.
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { inTempDir } from '../journal/support.ts';
import { PATIENCE } from '../support/patience.ts';
import { refuseThreads } from '../support/threads.ts';
import { askText, openVenue } from './harness.ts';
import { OPEN_INTEREST } from './questions.ts';

test.each([true, false])(
  'if no thread can be started, the exchange runs on and the historian retries (journal %s)',
  async (hasJournal) => {
    await inTempDir(async (folder) => {
      const logged: string[] = [];
      const allowThreads = refuseThreads();
      let venue: Awaited<ReturnType<typeof openVenue>>;
      try {
        venue = await openVenue({
          ...(hasJournal && { dataDir: join(folder, 'venue') }),
          onLog: (text) => logged.push(text),
        });
        await venue.exchange.submit(encodeCommand({ type: 'Tick' }));
        await expect(venue.historian.ask(OPEN_INTEREST)).rejects.toThrow('its thread starts again');
      } finally {
        allowThreads();
      }
      await expect.poll(() => askText(venue.historian, OPEN_INTEREST).catch(String), PATIENCE).toMatch(/^\[/);
      expect(
        logged.every((text) => text.startsWith('The historian is started again: no thread can be started for it.')),
      ).toBe(true);
      expect(logged.length).toBeGreaterThan(0);
      await venue.close();
    });
  },
);

test('once a thread was started, the next one that cannot be is tried again as soon as the first was', async () => {
  await inTempDir(async (dataDir) => {
    const delays: unknown[] = [];
    const onLog = (text: string): void => void delays.push(JSON.parse(text.slice(text.indexOf('{'))).delayMs);
    const venue = await openVenue({ dataDir, onLog });
    const firstDelays: unknown[] = [];
    for (let times = 0; times < 2; times += 1) {
      await venue.historian.release(); // ends its thread, so that the next record starts another
      const before = delays.length;
      const allowThreads = refuseThreads();
      try {
        await venue.exchange.submit(encodeCommand({ type: 'Tick' }));
        await vi.waitUntil(() => delays.length > before, PATIENCE);
      } finally {
        allowThreads();
      }
      firstDelays.push(delays[before]);
      await expect.poll(() => askText(venue.historian, OPEN_INTEREST).catch(String), PATIENCE).toMatch(/^\[/);
    }
    expect(firstDelays[1]).toBe(firstDelays[0]);
    await venue.close();
  });
});
