// The command `archive`: moves the records of a journal that no snapshot needs any more into a folder named by the
// operator, and reports what went where. Called by the command line, while no exchange runs.
import { resolve } from 'node:path';
import { requireReadable } from '../dataDirectory/firstLook.ts';
import { fatal } from '../process/fatal.ts';
import { requireJournal, runJournalTask } from './journalTask.ts';
import { requireOutside } from './targetFolder.ts';

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Archives and prints. Returns the exit status: 0, or 1 if archiving failed.
 * @throws FatalError if another process uses the data directory, or the journal that a killed one left kills its reader
 */
export async function runArchive(dataDir: string, folder: string): Promise<number> {
  requireJournal(dataDir);
  requireOutside(folder, dataDir);
  // As at a start: archiving takes the killed process's lock and leaves none, so the next start does not look first.
  await requireReadable(dataDir);
  const result = await runJournalTask({ kind: 'archive', dataDir, toFolder: resolve(folder) });
  if (result.kind === 'failed') {
    if (result.isLocked === true) fatal('locked', result.text);
    process.stderr.write(`${result.text}\nNo record was removed from ${dataDir}.\n`);
    return 1;
  }
  if (result.kind !== 'archived') return 1;
  const { archived } = result;
  if (archived === undefined) {
    process.stdout.write(`Nothing to archive: no record of ${dataDir} is older than what its snapshots need.\n`);
    return 0;
  }
  const { part, keptFrom, bytesBefore, bytesAfter } = archived;
  process.stdout.write(
    `Archived the records ${part.firstSequence} to ${part.lastSequence} in ${part.folder}, read back.\n` +
      `${dataDir} keeps the records from ${keptFrom} on: ${megabytes(bytesAfter)} instead of ${megabytes(bytesBefore)}. ` +
      'It names the archive in archive.json; verify, backup, restore, a start without a snapshot, a rebuild of the history index and old messages of user streams read it there.\n',
  );
  return 0;
}
