// The pages of LMDB's file on the way from its root to the last batch, judged before LMDB follows them: it keeps no checksums of
// them, so that a flipped bit could lead it to an older page, or hide the last entry of one, and the journal would end early
// and look sound; or it would end the process. A journal is only ever appended to: each transaction writes all of these pages
// anew. Used by the journal's store, not by the histories' index, whose entries go anywhere.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { JournalDamaged } from './errors.ts';
import { type Meta, readMetas } from './meta.ts';

const DATA_FILE = 'data.mdb';
/** Places in a page's header. */
const PAGE = { number: 0, transaction: 8, flags: 18, listBytes: 20, nodesAt: 22, headBytes: 24 } as const;
const IS_BRANCH = 0x01;
const IS_LEAF = 0x02;
/** Places in a node: in front a leaf's has its value's length, a branch's the number of a page, which goes on in its flags. */
const NODE = { flags: 4, keyBytes: 6, headBytes: 8 } as const;
/** A value that lies in pages of its own: its node has their first number, a transaction and how many they are. */
const IS_ELSEWHERE = 0x01;
const REFERENCE = { page: 0, pages: 16, bytes: 24 } as const;
const KEY_BYTES_MAX = 511;
/** The first page behind the meta pages. */
const FIRST_PAGE = 2;

/** Throws JournalDamaged where a page on the way to the last batch is not what LMDB wrote. The meta pages are sound. */
export function assertEndIsWhole(folder: string): void {
  const file = join(folder, DATA_FILE);
  if (!existsSync(file)) return;
  const descriptor = openSync(file, 'r');
  try {
    let transaction: number | undefined;
    for (;;) {
      const newer = readMetas(descriptor)?.newer;
      const page = newer === undefined ? undefined : damagedPage(descriptor, newer);
      if (page === undefined) return;
      // Whoever writes to the file may have used these pages again meanwhile: then it says so of a later transaction.
      if (newer?.transaction === transaction) {
        throw new JournalDamaged(
          1,
          `page ${page} of the file data.mdb, on the way to its last batch, is not as it was written`,
        );
      }
      transaction = newer?.transaction;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The first page from the root to the last leaf that is not what it should be; undefined where all are. */
function damagedPage(descriptor: number, meta: Meta): number | undefined {
  const { root, depth, pageBytes } = meta;
  if (root === undefined) return undefined;
  const page = Buffer.alloc(pageBytes);
  let number = root;
  for (let level = 1; ; level += 1) {
    const isRead = readSync(descriptor, page, 0, pageBytes, number * pageBytes) === pageBytes;
    const isLeaf = level === depth;
    if (!isRead || !isSoundPage(page, number, isLeaf, meta)) return number;
    if (isLeaf) return undefined;
    number = childOf(page, nodeAt(page, page.readUInt16LE(PAGE.listBytes) / 2 - 1));
  }
}

/** Where the node at an index starts. */
const nodeAt = (page: Buffer, index: number): number => PAGE.headBytes + page.readUInt16LE(PAGE.headBytes + 2 * index);

const childOf = (page: Buffer, node: number): number =>
  page.readUInt32LE(node) + page.readUInt16LE(node + NODE.flags) * 2 ** 32;

/** Whether a page is the one that was asked for, and its nodes fill exactly the part of it that they say. */
function isSoundPage(page: Buffer, number: number, isLeaf: boolean, meta: Meta): boolean {
  const isAsked =
    Number(page.readBigUInt64LE(PAGE.number)) === number &&
    Number(page.readBigUInt64LE(PAGE.transaction)) === meta.transaction &&
    page.readUInt16LE(PAGE.flags) === (isLeaf ? IS_LEAF : IS_BRANCH);
  const listBytes = page.readUInt16LE(PAGE.listBytes);
  const nodesAt = page.readUInt16LE(PAGE.nodesAt);
  const room = page.length - PAGE.headBytes;
  if (!isAsked || listBytes % 2 !== 0 || listBytes === 0 || listBytes > nodesAt || nodesAt > room) return false;
  let filled = 0;
  const nodes = new Set<number>();
  for (let index = 0; index < listBytes / 2; index += 1) {
    const node = nodeAt(page, index);
    const bytes = node < PAGE.headBytes + nodesAt ? undefined : nodeBytes(page, node, isLeaf, meta);
    if (bytes === undefined || node + bytes > page.length || nodes.has(node)) return false;
    nodes.add(node);
    filled += bytes;
  }
  return filled === room - nodesAt;
}

/** Bytes of a node; undefined where it cannot be one. */
function nodeBytes(page: Buffer, node: number, isLeaf: boolean, meta: Meta): number | undefined {
  if (node % 2 !== 0 || node + NODE.headBytes > page.length) return undefined;
  const keyBytes = page.readUInt16LE(node + NODE.keyBytes);
  const valueAt = node + NODE.headBytes + keyBytes;
  if (keyBytes > KEY_BYTES_MAX) return undefined;
  if (!isLeaf) return isPage(childOf(page, node), 1, meta) ? even(NODE.headBytes + keyBytes) : undefined;
  const flags = page.readUInt16LE(node + NODE.flags);
  const valueBytes = page.readUInt32LE(node);
  if (flags === 0) return even(NODE.headBytes + keyBytes + valueBytes);
  if (flags !== IS_ELSEWHERE || valueAt + REFERENCE.bytes > page.length) return undefined;
  const first = Number(page.readBigUInt64LE(valueAt + REFERENCE.page));
  const pages = Number(page.readBigUInt64LE(valueAt + REFERENCE.pages));
  const isRight = pages === Math.ceil((PAGE.headBytes + valueBytes) / page.length) && isPage(first, pages, meta);
  return isRight ? even(NODE.headBytes + keyBytes + REFERENCE.bytes) : undefined;
}

/** Whether so many pages from this one on can hold what is no meta page. */
const isPage = (first: number, pages: number, meta: Meta): boolean =>
  first >= FIRST_PAGE && first + pages - 1 <= meta.lastPage;

/** Nodes begin at even places. */
const even = (bytes: number): number => bytes + (bytes % 2);
