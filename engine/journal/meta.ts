// What the meta pages of LMDB's file say: how far LMDB uses it; and the pages of a file that holds nothing yet. Read from the
// file, since reading a damaged one through the mapping can end the process. Used by environment.ts and room.ts.
import { readSync } from 'node:fs';

/**
 * The two meta pages of LMDB's file: page header, then magic, version, …, two tables (that of free pages and that of the
 * data, each with how many pages its tree has), last page number, transaction.
 */
const META = {
  ...{ pageNumber: 0, pageFlags: 18, magic: 24, version: 28, mapBytes: 40, pageBytes: 48, flags: 52 },
  ...{ freeRoot: 88, branchPages: 104, leafPages: 112, mainRoot: 136, lastPage: 144, transaction: 152, end: 160 },
} as const;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const IS_META = 0x08;
/** Of the flags of an environment the one that LMDB cannot open here: its pages are encrypted. */
const IS_ENCRYPTED = 0x2000;
/** More than this (bytes) no processor can map. */
const MAP_BYTES_MAX = 2 ** 46;
const META_PAGES = 2;
const PAGE_BYTES = 4096;
/** What a new file is mapped with (bytes); LMDB makes the map larger as the file grows. */
const FIRST_MAP_BYTES = 128 * 1024;
const NO_ROOT = 2n ** 64n - 1n;
const INTEGER_KEYS = 0x08;

/**
 * The meta page of the last transaction; undefined where one of the two is missing or not what LMDB opens: LMDB writes both
 * as it makes a file, and opening one that has lost either ends the process.
 */
export function newerMeta(descriptor: number) {
  const first = readMeta(descriptor, 0);
  const second = first === undefined ? undefined : readMeta(descriptor, first.pageBytes);
  if (first === undefined || second === undefined) return undefined;
  return second.transaction > first.transaction ? second : first;
}

/** The file of an environment that holds nothing, byte by byte as LMDB makes it. */
export function emptyFile(): Buffer {
  const file = Buffer.alloc(META_PAGES * PAGE_BYTES);
  for (let number = 0; number < META_PAGES; number += 1) {
    const page = file.subarray(number * PAGE_BYTES);
    page.writeBigUInt64LE(BigInt(number), META.pageNumber);
    page.writeUInt16LE(IS_META, META.pageFlags);
    page.writeUInt32LE(MAGIC, META.magic);
    page.writeUInt32LE(VERSION, META.version);
    page.writeBigUInt64LE(BigInt(FIRST_MAP_BYTES), META.mapBytes);
    page.writeUInt32LE(PAGE_BYTES, META.pageBytes);
    page.writeUInt16LE(INTEGER_KEYS, META.flags);
    page.writeBigUInt64LE(NO_ROOT, META.freeRoot);
    page.writeBigUInt64LE(NO_ROOT, META.mainRoot);
    page.writeBigUInt64LE(BigInt(META_PAGES - 1), META.lastPage);
  }
  return file;
}

function readMeta(descriptor: number, offset: number) {
  const page = Buffer.alloc(META.end);
  if (readSync(descriptor, page, 0, page.length, offset) < page.length) return undefined;
  const isMeta = page.readUInt16LE(META.pageFlags) === IS_META && page.readUInt32LE(META.magic) === MAGIC;
  const isOpened = page.readUInt32LE(META.version) === VERSION && (page.readUInt16LE(META.flags) & IS_ENCRYPTED) === 0;
  if (!isMeta || !isOpened || page.readBigUInt64LE(META.mapBytes) > MAP_BYTES_MAX) return undefined;
  return {
    pageBytes: page.readUInt32LE(META.pageBytes),
    /** Pages of the tree that holds the data: those with its entries, and those above them. */
    leafPages: Number(page.readBigUInt64LE(META.leafPages)),
    branchPages: Number(page.readBigUInt64LE(META.branchPages)),
    lastPage: Number(page.readBigUInt64LE(META.lastPage)),
    transaction: Number(page.readBigUInt64LE(META.transaction)),
  };
}
