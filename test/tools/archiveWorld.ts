// A data directory to archive, with snapshots and records after them, and how to read all of its records. Used by the tests of
// archives.
import { join } from 'node:path';
import { JournalReader, openExchange, type VirtualClock, verifyJournal } from '../../engine/index.ts';
import { counter, settings, submitFounding, submitRounds } from '../pipeline/workload.ts';

export const LONG = { timeout: 300_000 } as const;
/** The program. */
export const main = join(import.meta.dirname, '../../server/main.ts');

/** Runs further commands in an exchange that is opened and closed; it leaves a snapshot. */
export async function run(dataDir: string, clock: VirtualClock, seed: number, snapshotFrom = 1) {
  const followers = [counter().follower];
  const exchange = await openExchange({ dataDir, clock, settings, followers, snapshotFrom });
  if (exchange.isFresh) await submitFounding(exchange);
  await submitRounds(exchange, clock, seed, { rounds: 5, commandsEach: 25 });
  await exchange.close();
  return { hashes: exchange.stateHash(), from: exchange.snapshotSequence };
}

/** A data directory with three snapshots and some records after the last one, with its journal's verification and bytes. */
export async function makeWorld(dataDir: string, clock: VirtualClock) {
  for (const seed of [1, 2, 3]) await run(dataDir, clock, seed);
  await run(dataDir, clock, 4, 1_000_000);
  return { verified: await verifyJournal(dataDir), bytes: await bytesOf(dataDir) };
}

/** Every record of a journal, back to back. */
export async function bytesOf(dataDir: string): Promise<Buffer> {
  const reader = new JournalReader(dataDir);
  const all: Uint8Array[] = [];
  for (const records of reader.read()) for (const { bytes } of records) all.push(bytes);
  await reader.close();
  return Buffer.concat(all);
}
