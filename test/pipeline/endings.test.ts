// What an exchange leaves in its data directory when it ends: a snapshot only of what is durable and complete, and its lock
// where its store could not be closed, since a call to the disk may still write.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BatchStore, encodeCommand, MemoryStore, openExchange, VirtualClock } from '../../engine/index.ts';
import { HeldStore, inTempDir } from '../journal/support.ts';
import { counter, START_MS, settings } from './workload.ts';

const tick = encodeCommand({ type: 'Tick' });

/** Options under which every stop writes a snapshot. */
const optionsOf = (dataDir: string) => ({
  ...{ dataDir, clock: new VirtualClock(START_MS), settings, snapshotFrom: 1, followers: [counter().follower] },
});

const hasSnapshots = (dataDir: string): boolean => existsSync(join(dataDir, 'snapshots'));

test('a stop makes a snapshot, but not of commands that the journal did not take', async () => {
  for (const isHeld of [false, true]) {
    await inTempDir(async (dataDir) => {
      const store = new HeldStore();
      const opening = openExchange(optionsOf(dataDir), { store });
      await store.endNext();
      const exchange = await opening;
      const answer = exchange.submit(tick).catch((error: Error) => error.message);
      if (!isHeld) await store.endNext();
      await exchange.close();
      expect(hasSnapshots(dataDir)).toBe(!isHeld);
      if (isHeld) expect(await answer).toMatch('the exchange has closed before the journal could be written');
    });
  }
});

test('a stop makes no snapshot once followers were left behind', async () => {
  await inTempDir(async (dataDir) => {
    const exchange = await openExchange(optionsOf(dataDir));
    exchange.endFollowing();
    await exchange.submit(tick);
    await exchange.close();
    expect(hasSnapshots(dataDir)).toBe(false);
  });
});

test('a data directory whose store could not be closed stays locked, after a stop and after a failed start', async () => {
  for (const isLeftOpen of [false, true]) {
    await inTempDir(async (dataDir) => {
      const store: BatchStore = Object.assign(new MemoryStore(true), { isLeftOpen });
      const exchange = await openExchange(optionsOf(dataDir), { store });
      await exchange.close();
      expect(readdirSync(dataDir).includes('lock')).toBe(isLeftOpen);
    });
    await inTempDir(async (dataDir) => {
      const fault = new Error('Input/output error');
      const write = () => Promise.reject(fault);
      const store: BatchStore = Object.assign(new MemoryStore(true), { isLeftOpen, write });
      const retry = { firstDelayMs: 1, largestDelayMs: 1, triesMax: 1 };
      await expect(openExchange(optionsOf(dataDir), { store, retry })).rejects.toThrow();
      expect(readdirSync(dataDir).includes('lock')).toBe(isLeftOpen);
    });
  }
});
