// How much of its data file LMDB uses, for tests that damage one: the rest is free room, and damage there loses nothing.
// Used by the tests of journal and histories; it never opens the file with LMDB.
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
