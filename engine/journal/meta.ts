// Reads the meta pages of LMDB's file, which say how far LMDB uses it, and makes those of an empty file. They are read from the
// file, since reading a damaged one through the mapping can end the process. Used by environment.ts, diskSpace.ts and the
// readers of LMDB's tree.
import { readSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/**
 * The two meta pages of LMDB's file: page header, then magic, version, …, two tables (that of free pages and that of the
 * data, each with how many pages its tree has), last page number, transaction.
 */
const META = {
  pageNumber: 0,
  pageFlags: 18,
  magic: 24,
  version: 28,
  mapBytes: 40,
  pageBytes: 48,
  flags: 52,
  freeRoot: 88,
  mainFlags: 100,
  depth: 102,
  branchPages: 104,
  leafPages: 112,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
  end: 160,
} as const;
/** Every page begins with its number and the transaction that wrote it. */
const PAGE = { number: 0, transaction: 8, end: 24 } as const;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const IS_META = 0x08;
/** Bounds of the page size (bytes) and of a tree's depth. */
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
const DEPTH_MAX = 32;
/** No processor can map more than this (bytes). */
const MAP_BYTES_MAX = 2 ** 46;
const META_PAGES = 2;
const PAGE_BYTES = 4096;
/** Map size of a new file (bytes); LMDB enlarges the map as the file grows. */
const FIRST_MAP_BYTES = 128 * 1024;
const NO_ROOT = 2n ** 64n - 1n;
const INTEGER_KEYS = 0x08;

/** The content of a meta page. */
export type Meta = NonNullable<ReturnType<typeof readMeta>>;

/** The two meta pages of a file. */
interface Metas {
  readonly first: Meta;
  readonly second: Meta;
  /** The one that LMDB uses: that of the later transaction. */
  readonly newer: Meta;
  /** Whether both can be those of the last two transactions, see areConsecutive. */
  readonly isSound: boolean;
}

/**
 * Reads both meta pages; undefined if one is missing or LMDB would not open it. LMDB writes both as it creates a file, and
 * opening a file that has lost either ends the process.
 */
export function readMetas(descriptor: number): Metas | undefined {
  for (;;) {
    const first = readMeta(descriptor, 0);
    const second = first === undefined ? undefined : readMeta(descriptor, first.pageBytes);
    if (first === undefined || second === undefined) return undefined;
    const newer = second.transaction > first.transaction ? second : first;
    const isSound = areConsecutive(first, second) && hasSoundRoots(descriptor, newer);
    if (isSound) return { first, second, newer, isSound };
    // A writer may have committed between these reads, or in the middle of one.
    const isUnchanged =
      isDeepStrictEqual(readMeta(descriptor, 0), first) &&
      isDeepStrictEqual(readMeta(descriptor, first.pageBytes), second);
    if (isUnchanged) return { first, second, newer, isSound };
  }
}

/**
 * Whether two meta pages can be those of the last two transactions: LMDB writes even ones to the first page and odd ones to the
 * second, and never shortens a file. LMDB does not check this: if a bit of the older number flips, it uses the older page, and
 * the last transaction is silently lost.
 */
function areConsecutive(first: Meta, second: Meta): boolean {
  const step = second.transaction - first.transaction;
  if (first.pageBytes !== second.pageBytes) return false;
  if (step === 0) return first.transaction === 0 && first.lastPage === second.lastPage;
  const isLonger = step > 0 ? second.lastPage >= first.lastPage : first.lastPage >= second.lastPage;
  return Math.abs(step) === 1 && first.transaction % 2 === 0 && isLonger;
}

/**
 * Whether the root of the data is a page of the meta page's own transaction, since every transaction that writes anything
 * rewrites it, and the root of the free pages is a page at all. Not valid for the older meta page: when the disk has refused a
 * meta page, LMDB leaves the previous transaction's number with the roots of the failed one.
 */
function hasSoundRoots(descriptor: number, meta: Meta): boolean {
  const { root, freeRoot, transaction } = meta;
  if (freeRoot !== undefined && transactionOf(descriptor, freeRoot, meta) === undefined) return false;
  return root === undefined || transactionOf(descriptor, root, meta) === transaction;
}

/** The transaction that wrote a page; undefined if there is no such page. */
function transactionOf(descriptor: number, number: number, { lastPage, pageBytes }: Meta): number | undefined {
  if (number > lastPage || !Number.isSafeInteger(number * pageBytes)) return undefined;
  const page = Buffer.alloc(PAGE.end);
  if (readSync(descriptor, page, 0, page.length, number * pageBytes) < page.length) return undefined;
  if (Number(page.readBigUInt64LE(PAGE.number)) !== number) return undefined;
  return Number(page.readBigUInt64LE(PAGE.transaction));
}

/** The file of an empty environment, byte by byte as LMDB creates it. */
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
  const isSupported =
    page.readUInt32LE(META.version) === VERSION &&
    page.readUInt16LE(META.flags) === INTEGER_KEYS &&
    page.readUInt16LE(META.mainFlags) === 0 &&
    page.readBigUInt64LE(META.mapBytes) <= MAP_BYTES_MAX;
  const pageBytes = page.readUInt32LE(META.pageBytes);
  const root = page.readBigUInt64LE(META.mainRoot);
  const depth = page.readUInt16LE(META.depth);
  const isPageSize = pageBytes >= PAGE_BYTES_MIN && pageBytes <= PAGE_BYTES_MAX && (pageBytes & (pageBytes - 1)) === 0;
  if (!isMeta || !isSupported || !isPageSize || depth > DEPTH_MAX || (root === NO_ROOT) !== (depth === 0))
    return undefined;
  const freeRoot = page.readBigUInt64LE(META.freeRoot);
  return {
    pageBytes,
    /** Root page of the tree of free pages; undefined if there is none. */
    freeRoot: freeRoot === NO_ROOT ? undefined : Number(freeRoot),
    /** Root page of the tree of data; undefined if there is none. */
    root: root === NO_ROOT ? undefined : Number(root),
    /** Depth of the tree of data. */
    depth,
    /** Pages of the tree of data: those with its entries, and those above them. */
    leafPages: Number(page.readBigUInt64LE(META.leafPages)),
    branchPages: Number(page.readBigUInt64LE(META.branchPages)),
    lastPage: Number(page.readBigUInt64LE(META.lastPage)),
    transaction: Number(page.readBigUInt64LE(META.transaction)),
  };
}
