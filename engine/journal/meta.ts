// What the meta pages of LMDB's file say: how far LMDB uses it. Read from the file, since reading a damaged one through the
// mapping can end the process. Used by the journal's store and by room.ts.
import { readSync } from 'node:fs';

/**
 * The two meta pages of LMDB's file: page header, then magic, version, …, two tables (that of free pages and that of the
 * data, each with how many pages its tree has), last page number, transaction.
 */
const META = {
  ...{ magic: 24, pageBytes: 48, branchPages: 104, leafPages: 112, lastPage: 144, transaction: 152, end: 160 },
} as const;
const MAGIC = 0xbeefc0de;

/**
 * The meta page of the last transaction; undefined where one of the two is missing: LMDB writes both as it makes a file, and
 * opening one that has lost either ends the process.
 */
export function newerMeta(descriptor: number) {
  const first = readMeta(descriptor, 0);
  const second = first === undefined ? undefined : readMeta(descriptor, first.pageBytes);
  if (first === undefined || second === undefined) return undefined;
  return second.transaction > first.transaction ? second : first;
}

function readMeta(descriptor: number, offset: number) {
  const page = Buffer.alloc(META.end);
  if (readSync(descriptor, page, 0, page.length, offset) < page.length) return undefined;
  if (page.readUInt32LE(META.magic) !== MAGIC) return undefined;
  return {
    pageBytes: page.readUInt32LE(META.pageBytes),
    /** Pages of the tree that holds the data: those with its entries, and those above them. */
    leafPages: Number(page.readBigUInt64LE(META.leafPages)),
    branchPages: Number(page.readBigUInt64LE(META.branchPages)),
    lastPage: Number(page.readBigUInt64LE(META.lastPage)),
    transaction: Number(page.readBigUInt64LE(META.transaction)),
  };
}
