// Copies a journal record by record into a new environment: for backups, also while an exchange writes, and for restoring a
// prefix of a journal. Every record is verified on the way; the copy holds the same bytes in larger batches.

import { isOfSystem } from './files.ts';
import { LmdbStore } from './lmdbStore.ts';
import { JournalReader } from './reader.ts';
import type { JournalRecord } from './record.ts';

/** Records are gathered into batches of about this size: a copy needs few flushes. */
const BATCH_BYTES = 4 * 1024 * 1024;

interface CopyOptions {
  /** The last record to copy; all that are durable now unless given. */
  readonly lastSequence?: number | undefined;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Copies the journal of one data directory into the folder of another, which must have none.
 * @param toFolder the folder of the new environment
 * @returns the last sequence that was copied, 0 for none
 * @throws JournalDamaged naming the first record that is not sound; those before it have been copied by then
 */
export async function copyJournal(fromDataDir: string, toFolder: string, options: CopyOptions = {}): Promise<number> {
  const reader = new JournalReader(fromDataDir);
  try {
    const last = options.lastSequence ?? reader.lastSequence();
    return await copyRecords(reader.read(), toFolder, { first: 1, last, onProgress: options.onProgress });
  } finally {
    await reader.close();
  }
}

interface CopiedRange {
  /** The first and the last record to copy. */
  readonly first: number;
  readonly last: number;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Copies records from any source into a folder's environment; returns the last sequence that was copied. Throws a plain error
 * that names the folder when the system refuses a write.
 */
export async function copyRecords(
  source: Iterable<readonly JournalRecord[]>,
  folder: string,
  { onProgress = () => {}, ...range }: CopiedRange,
): Promise<number> {
  const store = await writeTo(folder, () => new LmdbStore(folder));
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  let { first } = range;
  let last = first - 1;
  const write = async (): Promise<void> => {
    if (gathered.length === 0) return;
    const batch = Buffer.concat(gathered, gatheredBytes);
    gathered = [];
    gatheredBytes = 0;
    await writeTo(folder, () => store.write(first, batch));
    first = last + 1;
    onProgress(last, range.last);
  };
  const take = ({ sequence, bytes }: JournalRecord): void => {
    gathered.push(bytes);
    gatheredBytes += bytes.length;
    last = sequence;
  };
  try {
    for (const records of source) {
      for (const record of records) if (record.sequence <= range.last) take(record);
      if (gatheredBytes >= BATCH_BYTES) await write();
      if (last >= range.last) break;
    }
  } finally {
    await write().finally(() => store.close());
  }
  return last;
}

/** Runs a step that writes to a copy; rethrows a system error with the copy's folder in its text. */
async function writeTo<Result>(folder: string, write: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    throw new Error(`The copy in ${folder} cannot be written: ${error.message}.`, { cause: error });
  }
}
