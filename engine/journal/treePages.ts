// The pages of LMDB's tree as they lie in its file: checks whether one is as LMDB wrote it, and reads its nodes. LMDB keeps no
// checksums of them and follows whatever they say. Used by lastPages.ts and pageReader.ts; values have their own checksums, see
// record.ts.
import { readSync } from 'node:fs';
import type { Meta } from './meta.ts';

/** Offsets in a page's header. */
const PAGE = { number: 0, transaction: 8, flags: 18, listBytes: 20, nodesAt: 22, headBytes: 24 } as const;
const IS_BRANCH = 0x01;
const IS_LEAF = 0x02;
/** Offsets in a node. A leaf's begins with its value's length, a branch's with a page number, which continues in its flags. */
const NODE = { flags: 4, keyBytes: 6, headBytes: 8 } as const;
/** A value in overflow pages: its node holds the first one's number, a transaction, and their count. */
const IS_IN_OVERFLOW_PAGES = 0x01;
const REFERENCE = { page: 0, pages: 16, bytes: 24 } as const;
const KEY_BYTES_MAX = 511;
/** The first page behind the meta pages. */
const FIRST_PAGE = 2;

/** The page asked for: its number, whether it is a leaf, and whether the last batch lies below it. */
interface AskedPage {
  readonly number: number;
  readonly isLeaf: boolean;
  readonly isLast: boolean;
}

/** Reads a page; returns whether it is sound and the one that was asked for. */
export function readTreePage(descriptor: number, page: Buffer, asked: AskedPage, meta: Meta): boolean {
  const at = asked.number * page.length;
  return readSync(descriptor, page, 0, page.length, at) === page.length && isSoundPage(page, asked, meta);
}

/** How many nodes a page has. */
export const nodeCount = (page: Buffer): number => page.readUInt16LE(PAGE.listBytes) / 2;

/** Where the node at an index starts. */
export const nodeAt = (page: Buffer, index: number): number =>
  PAGE.headBytes + page.readUInt16LE(PAGE.headBytes + 2 * index);

/** The page that a branch's node leads to. */
export const childOf = (page: Buffer, node: number): number =>
  page.readUInt32LE(node) + page.readUInt16LE(node + NODE.flags) * 2 ** 32;

/** The key of a node, as bytes. */
export const keyOf = (page: Buffer, node: number): Buffer =>
  page.subarray(node + NODE.headBytes, node + NODE.headBytes + page.readUInt16LE(node + NODE.keyBytes));

/** Offset in the file and length of the value of a leaf's node, bytes. */
export function placeOf(page: Buffer, node: number, leaf: number): { readonly at: number; readonly bytes: number } {
  const bytes = page.readUInt32LE(node);
  const valueAt = node + NODE.headBytes + page.readUInt16LE(node + NODE.keyBytes);
  if (page.readUInt16LE(node + NODE.flags) === 0) return { at: leaf * page.length + valueAt, bytes };
  return { at: Number(page.readBigUInt64LE(valueAt + REFERENCE.page)) * page.length + PAGE.headBytes, bytes };
}

/**
 * Whether a page is the one that was asked for, and its nodes fill exactly the part of it that its header states. A journal is
 * only ever appended to: every transaction rewrites the pages above the last batch, and no others.
 */
function isSoundPage(page: Buffer, { number, isLeaf, isLast }: AskedPage, meta: Meta): boolean {
  const transaction = Number(page.readBigUInt64LE(PAGE.transaction));
  const isAsked =
    Number(page.readBigUInt64LE(PAGE.number)) === number &&
    (isLast ? transaction === meta.transaction : transaction <= meta.transaction) &&
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

/** Length of a node, bytes; undefined if it cannot be one. */
function nodeBytes(page: Buffer, node: number, isLeaf: boolean, meta: Meta): number | undefined {
  if (node % 2 !== 0 || node + NODE.headBytes > page.length) return undefined;
  const keyBytes = page.readUInt16LE(node + NODE.keyBytes);
  const valueAt = node + NODE.headBytes + keyBytes;
  if (keyBytes > KEY_BYTES_MAX) return undefined;
  if (!isLeaf) return arePagesOfFile(childOf(page, node), 1, meta) ? even(NODE.headBytes + keyBytes) : undefined;
  const flags = page.readUInt16LE(node + NODE.flags);
  const valueBytes = page.readUInt32LE(node);
  if (flags === 0) return even(NODE.headBytes + keyBytes + valueBytes);
  if (flags !== IS_IN_OVERFLOW_PAGES || valueAt + REFERENCE.bytes > page.length) return undefined;
  const first = Number(page.readBigUInt64LE(valueAt + REFERENCE.page));
  const pages = Number(page.readBigUInt64LE(valueAt + REFERENCE.pages));
  const isSound =
    pages === Math.ceil((PAGE.headBytes + valueBytes) / page.length) && arePagesOfFile(first, pages, meta);
  return isSound ? even(NODE.headBytes + keyBytes + REFERENCE.bytes) : undefined;
}

/** Whether this many pages, from `first` on, lie in the file and behind the meta pages. */
const arePagesOfFile = (first: number, pages: number, meta: Meta): boolean =>
  first >= FIRST_PAGE && first + pages - 1 <= meta.lastPage;

/** Nodes begin at even offsets. */
const even = (bytes: number): number => bytes + (bytes % 2);
