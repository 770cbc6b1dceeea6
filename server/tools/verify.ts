// The command `verify`: reports what a data directory's journal was checked for and the findings, whether or not an
// exchange is using it. Called by the command line. It changes nothing.
import type { ChainContracts } from '../auth/contracts.ts';
import { counted, figure } from '../lib/counted.ts';
import { isoTime } from '../wire/numbers.ts';
import { requireJournal, runJournalTask, type SoundJournal } from './journalTask.ts';

/** The checks that a sound journal passed, one a line. */
export function soundText(dataDir: string, { journal, signedOrders }: SoundJournal): string {
  const { recordCount, firstTMs, lastTMs, invariantLooks, snapshotCount, hashes } = journal;
  const span = recordCount === 0 ? '' : `, from ${isoTime(firstTMs)} to ${isoTime(lastTMs)}`;
  const looks = invariantLooks === 1 ? 'once, at the end' : `${invariantLooks} times, the last at the end`;
  const signatures =
    signedOrders === undefined
      ? 'not checked; --signatures does'
      : signedOrders === 0
        ? 'no order is there to be checked'
        : `${counted(signedOrders, 'order')},${signedOrders === 1 ? '' : ' each'} with the id and the signature of what its owner signed`;
  return [
    `The journal of ${dataDir} is sound.`,
    `  records     ${figure(recordCount)}${span}`,
    '  checksums   every record: CRC32C, sequence without a gap, time, running hash of all before it',
    '  replay      every command gave again, byte for byte, the events that were recorded',
    `  invariants  hold: money and shares are conserved (looked at ${looks})`,
    `  signatures  ${signatures}`,
    `  snapshots   ${snapshotCount === 0 ? 'none' : `${figure(snapshotCount)}, each with the state that the replay had there`}`,
    ...journal.foreignSnapshots.map((text) => `  snapshot    not checked, for it is of another version: ${text}`),
    ...journal.snapshotFaults.map((text) => `  snapshot    cannot be used, and may be deleted: ${text}`),
    `  state       core ${hashes.core}, registry ${hashes.registry}, ids ${hashes.ids}`,
    '',
  ].join('\n');
}

export interface VerifyOptions {
  readonly dataDir: string;
  /** Chain and contracts under which signatures are checked; undefined = they are not. */
  readonly contracts: ChainContracts | undefined;
  readonly isJson: boolean;
}

/** Verifies and prints. Returns the exit status: 0 for a sound journal with sound snapshots, else 1. */
export async function runVerify({ dataDir, contracts, isJson }: VerifyOptions): Promise<number> {
  requireJournal(dataDir);
  const result = await runJournalTask({ kind: 'verify', dataDir, contracts });
  if (isJson) process.stdout.write(`${JSON.stringify({ dataDir, ...result })}\n`);
  else if (result.kind === 'sound') process.stdout.write(soundText(dataDir, result));
  else if (result.kind === 'failed') process.stderr.write(`${result.text}\n`);
  return result.kind === 'sound' && result.journal.snapshotFaults.length === 0 ? 0 : 1;
}
