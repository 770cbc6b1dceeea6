// Checks the pages of LMDB's file on the way from its root to the last batch before LMDB follows them. It keeps no checksums of
// them: a flipped bit could lead it to an older page or hide the last entry of one, and the journal would end early and look
// sound; or it would end the process. A journal is only ever appended to: each transaction rewrites all of these pages. Used by
// the journal's store, not by the histories' index, whose entries go anywhere.
import { closeSync, existsSync, openSync } from 'node:fs';
import { JournalDamaged } from './errors.ts';
import { dataFileIn } from './files.ts';
import { type Meta, readMetas } from './meta.ts';
import { childOf, nodeAt, nodeCount, readTreePage } from './treePages.ts';

/** Throws JournalDamaged if a page on the way to the last batch is not what LMDB wrote. The meta pages must be sound. */
export function assertEndIsWhole(folder: string): void {
  const file = dataFileIn(folder);
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  try {
    let transaction: number | undefined;
    for (;;) {
      const newer = readMetas(descriptor)?.newer;
      const page = newer === undefined ? undefined : damagedPage(descriptor, newer);
      if (page === undefined) return;
      // A writer may have reused these pages meanwhile: then the meta page names a later transaction, and all are read again.
      if (newer?.transaction === transaction) {
        throw new JournalDamaged(
          1,
          `page ${page} of the file data.mdb, on the path to its last batch, differs from what was written`,
        );
      }
      transaction = newer?.transaction;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The number of the first unsound page from the root to the last leaf; undefined if all are sound. */
function damagedPage(descriptor: number, meta: Meta): number | undefined {
  const { root, depth, pageBytes } = meta;
  if (root === undefined) return undefined;
  const page = Buffer.alloc(pageBytes);
  let number = root;
  for (let level = 1; level < depth; level += 1) {
    if (!readTreePage(descriptor, page, { number, isLeaf: false, isLast: true }, meta)) return number;
    number = childOf(page, nodeAt(page, nodeCount(page) - 1));
  }
  return readTreePage(descriptor, page, { number, isLeaf: true, isLast: true }, meta) ? undefined : number;
}
