// Makes sure that LMDB can open an environment before it is asked to: if its open fails, for any reason, LMDB's binding frees
// the same memory twice and the process ends. So everything that can fail is done here first, by calls of our own: the files
// are created with their space, and their permissions and content are checked. Used by the stores of journal and historian.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { JournalDamaged } from './errors.ts';
import { codeOf, dataFileIn, PRIVATE_FILE } from './files.ts';
import { emptyFile, readMetas } from './meta.ts';

const { R_OK, W_OK } = constants;
const LOCK_FILE = 'lock.mdb';
/** Size of LMDB's reader table, in whole pages. */
const LOCK_FILE_BYTES = 12_288;

/**
 * Prepares the folder, which must exist, for LMDB to open its environment for writing. Throws the system's error if its files
 * cannot be created or accessed, and JournalDamaged for a data file that is not whole. An existing lock file is checked for
 * access but not opened: closing it would drop the locks that this process holds on it through LMDB.
 */
export function prepareToWrite(folder: string): void {
  const [dataFile, lockFile] = [dataFileIn(folder), join(folder, LOCK_FILE)];
  // Created with its space: LMDB would make a sparse file, and on a full disk the first access to a hole ends the process.
  makeFile(lockFile, Buffer.alloc(LOCK_FILE_BYTES));
  if (existsSync(dataFile) && statSync(dataFile).size === 0) rmSync(dataFile);
  makeFile(dataFile, emptyFile());
  assertFileIsWhole(folder);
  for (const file of [lockFile, dataFile]) accessSync(file, R_OK | W_OK);
}

/** The same, for reading an existing environment. */
export function prepareToRead(folder: string): void {
  const lockFile = join(folder, LOCK_FILE);
  accessSync(dataFileIn(folder), R_OK);
  assertFileIsWhole(folder);
  // On a file system that cannot be written to, LMDB reads without a reader table.
  try {
    makeFile(lockFile, Buffer.alloc(LOCK_FILE_BYTES));
    accessSync(lockFile, R_OK | W_OK);
  } catch (error) {
    if (!['EROFS', 'EACCES'].includes(codeOf(error))) throw error;
  }
}

/**
 * Compares LMDB's meta pages with each other, and the size of its data file with what the newer says: reading a truncated
 * file through the mapping would end the process with SIGBUS. Throws JournalDamaged; a file that is missing passes.
 */
export function assertFileIsWhole(folder: string): void {
  const file = dataFileIn(folder);
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  try {
    const metas = readMetas(descriptor);
    // Asked for last: a writer makes the file longer first, and then states it in a meta page.
    const sizeBytes = fstatSync(descriptor).size;
    if (metas === undefined) throw new JournalDamaged(1, `the file data.mdb of ${sizeBytes} bytes is not an LMDB file`);
    const { first, second, newer } = metas;
    const neededBytes = (newer.lastPage + 1) * newer.pageBytes;
    if (sizeBytes < neededBytes) {
      throw new JournalDamaged(1, `the file data.mdb is cut off: it has ${sizeBytes} bytes and needs ${neededBytes}`);
    }
    if (!metas.isSound) {
      const transactions = `transactions ${first.transaction} and ${second.transaction}`;
      throw new JournalDamaged(
        1,
        `the first pages of the file data.mdb, of ${transactions}, do not hold its last two transactions`,
      );
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a file unless there is one; leaves none behind that could not be written whole. */
function makeFile(file: string, bytes: Uint8Array): void {
  if (existsSync(file)) return;
  try {
    writeFileSync(file, bytes, { flag: 'wx', flush: true, mode: PRIVATE_FILE });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    rmSync(file, { force: true });
    throw error;
  }
}
