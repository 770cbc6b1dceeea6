// How far LMDB uses its data file, for tests that damage one: what lies behind is only room, and nothing is lost with it.
// Used by the tests of journal and histories; it never opens the file by LMDB.
import { closeSync, openSync } from 'node:fs';
import { readMetas } from '../../engine/journal/meta.ts';

/** Bytes of the pages that LMDB uses. Throws when the file has lost its meta pages. */
export function usedBytesOf(file: string): number {
  const descriptor = openSync(file, 'r');
  const metas = readMetas(descriptor);
  closeSync(descriptor);
  if (metas === undefined) throw new Error(`${file} has no meta page`);
  return (metas.newer.lastPage + 1) * metas.newer.pageBytes;
}
