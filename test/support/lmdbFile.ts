// How far LMDB uses its data file, for tests that damage one: what lies behind is only room, and nothing is lost with it.
// Used by the tests of journal and histories; it never opens the file by LMDB.
import { closeSync, openSync } from 'node:fs';
import { newerMeta } from '../../engine/journal/meta.ts';

/** Bytes of the pages that LMDB uses. Throws when the file has lost its meta pages. */
export function usedBytesOf(file: string): number {
  const descriptor = openSync(file, 'r');
  const meta = newerMeta(descriptor);
  closeSync(descriptor);
  if (meta === undefined) throw new Error(`${file} has no meta page`);
  return (meta.lastPage + 1) * meta.pageBytes;
}
