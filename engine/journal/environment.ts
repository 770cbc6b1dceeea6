// Makes sure that LMDB can open an environment before it is asked to: where its open fails, for whatever reason, LMDB's binding
// frees the same memory twice and the process ends. So what can fail is done here first, by calls of our own: the files are
// made with their space, opened as LMDB opens them, and looked at. Used by the stores of journal and historian.
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
import { codeOf, dataFileIn } from './files.ts';
import { emptyFile, readMetas } from './meta.ts';

const { R_OK, W_OK } = constants;
const LOCK_FILE = 'lock.mdb';
/** LMDB's table of readers, whole pages. */
const LOCK_FILE_BYTES = 12_288;

/**
 * Leaves the folder, which must exist, such that LMDB opens the environment in it to write. Throws the system's error where its
 * files cannot be made or opened, and JournalDamaged for a data file that is not whole. A lock file that is there is asked about
 * and not opened: closing it would drop the locks that this process holds on it through LMDB.
 */
export function prepareToWrite(folder: string): void {
  const [dataFile, lockFile] = [dataFileIn(folder), join(folder, LOCK_FILE)];
  // Made with its space: LMDB would make one of holes, and where the disk is full the first touch of a hole ends the process.
  makeFile(lockFile, Buffer.alloc(LOCK_FILE_BYTES));
  if (existsSync(dataFile) && statSync(dataFile).size === 0) rmSync(dataFile);
  makeFile(dataFile, emptyFile());
  assertFileIsWhole(folder);
  for (const file of [lockFile, dataFile]) accessSync(file, R_OK | W_OK);
}

/** The same to read what is there. */
export function prepareToRead(folder: string): void {
  const lockFile = join(folder, LOCK_FILE);
  accessSync(dataFileIn(folder), R_OK);
  assertFileIsWhole(folder);
  // On a file system that cannot be written to, LMDB reads without a table of readers.
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
    // Asked for last: whoever writes to the file meanwhile makes it longer first, and then states it in a meta page.
    const sizeBytes = fstatSync(descriptor).size;
    if (metas === undefined) throw new JournalDamaged(1, `the file data.mdb of ${sizeBytes} bytes is no LMDB file`);
    const { first, second, newer } = metas;
    const neededBytes = (newer.lastPage + 1) * newer.pageBytes;
    if (sizeBytes < neededBytes) {
      throw new JournalDamaged(1, `the file data.mdb is cut off: it has ${sizeBytes} bytes and needs ${neededBytes}`);
    }
    if (!metas.isSound) {
      const transactions = `transactions ${first.transaction} and ${second.transaction}`;
      throw new JournalDamaged(1, `the first pages of the file data.mdb, of ${transactions}, are not its last two`);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a file unless there is one; what cannot be written whole is not left behind. */
function makeFile(file: string, bytes: Uint8Array): void {
  if (existsSync(file)) return;
  try {
    writeFileSync(file, bytes, { flag: 'wx', flush: true });
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return;
    rmSync(file, { force: true });
    throw error;
  }
}
