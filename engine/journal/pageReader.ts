// Reads the batches of a journal from LMDB's file without opening it by LMDB: for processes that read beside the exchange that
// writes it. Opening an environment in another process sets the processes' shared number of the last transaction to a value
// read a moment before: if the exchange commits meanwhile, that number goes back, and the next batch overwrites the last one,
// which was answered (LMDB's ITS#9496). And a damaged page is an error here, where LMDB would end the process. A journal is
// only appended to: batches stay where they are, and only the pages above the last one are rewritten.
import { accessSync, closeSync, constants, openSync, readSync } from 'node:fs';
import { readKey } from 'ordered-binary';
import { assertFileIsWhole } from './environment.ts';
import { JournalDamaged } from './errors.ts';
import { dataFileIn } from './files.ts';
import { type Meta, readMetas } from './meta.ts';
import { type BatchStore, copyOf, isSequence, requireSequence, type StoredBatch } from './store.ts';
import { childOf, keyOf, nodeAt, nodeCount, placeOf, readTreePage } from './treePages.ts';

/** A leaf as it was read, and the first sequence of the next one; undefined after the last. */
interface Leaf {
  readonly page: Buffer;
  readonly number: number;
  readonly next: number | undefined;
}

export class PageReader implements BatchStore {
  readonly isLeftOpen = false;
  private readonly descriptor: number;
  /** The buffer whose bytes lentBatches() lends. */
  private value = Buffer.alloc(0);

  /** Throws the system's error when the folder has no journal that can be read, JournalDamaged when its file is not whole. */
  constructor(folder: string) {
    const file = dataFileIn(folder);
    accessSync(file, constants.R_OK);
    assertFileIsWhole(folder);
    this.descriptor = openSync(file, 'r');
  }

  write(): Promise<void> {
    return Promise.reject(new Error('The journal is open for reading only.'));
  }

  reopen(): Promise<void> {
    return Promise.resolve();
  }

  last(): StoredBatch | undefined {
    const leaf = this.leafOf(Number.POSITIVE_INFINITY);
    return leaf === undefined ? undefined : copyOf(this.batchOf(leaf, nodeCount(leaf.page) - 1));
  }

  lastBatchSequence(): number {
    const leaf = this.leafOf(Number.POSITIVE_INFINITY);
    return leaf === undefined ? 0 : sequenceOf(leaf.page, nodeCount(leaf.page) - 1);
  }

  /** The first sequence of the first batch, if there is one. */
  firstBatchSequence(): number | undefined {
    const leaf = this.leafOf(0);
    return leaf === undefined ? undefined : sequenceOf(leaf.page, 0);
  }

  *batches(sequence: number): Generator<StoredBatch> {
    for (const batch of this.lentBatches(sequence)) yield copyOf(batch);
  }

  /** The same without copies: the bytes of a batch are valid until anything else is read from this reader. */
  *lentBatches(sequence: number): Generator<StoredBatch> {
    let previous = 0;
    for (let from: number | undefined = sequence; from !== undefined; ) {
      const leaf = this.leafOf(from);
      if (leaf === undefined) return;
      // A leaf that follows another is read whole.
      for (let index = previous > 0 ? 0 : (lastUpTo(leaf.page, from) ?? 0); index < nodeCount(leaf.page); index += 1) {
        const batch = this.batchOf(leaf, index);
        if (batch.firstSequence <= previous) {
          throw new JournalDamaged(previous, `the batch after its batch begins at ${batch.firstSequence}`);
        }
        previous = batch.firstSequence;
        yield batch;
      }
      from = leaf.next;
    }
  }

  /** Does nothing: every read sees what others have written by then. */
  refresh(): void {}

  async close(): Promise<void> {
    closeSync(this.descriptor);
  }

  /** The leaf that holds the batch of a sequence, if any does; undefined if there is no batch at all. */
  private leafOf(sequence: number): Leaf | undefined {
    let damagedTransaction: number | undefined;
    for (;;) {
      const meta = this.newest();
      if (meta.root === undefined) return undefined;
      const found = this.descend(meta, meta.root, sequence);
      // LMDB keeps the pages of the last two transactions: those of an older one may have been overwritten while they were
      // read.
      if (this.newest().transaction > meta.transaction + 1) continue;
      if (typeof found !== 'number') return found;
      if (damagedTransaction === meta.transaction) {
        const text = `page ${found} of the file data.mdb is not as it was written`;
        throw new JournalDamaged(Number.isFinite(sequence) ? Math.max(1, sequence) : 1, text);
      }
      damagedTransaction = meta.transaction;
    }
  }

  /**
   * The leaf, or the number of an unsound page on the way to it. The keys above the leaves ascend, and each is the first key of
   * the leaf that it leads to: a key that leads past a leaf is damage.
   */
  private descend(meta: Meta, root: number, sequence: number): Leaf | number {
    const page = Buffer.allocUnsafeSlow(meta.pageBytes);
    let number = root;
    let first: number | undefined;
    let end = Number.POSITIVE_INFINITY;
    for (let level = 1; level < meta.depth; level += 1) {
      const isLast = end === Number.POSITIVE_INFINITY;
      if (!readTreePage(this.descriptor, page, { number, isLeaf: false, isLast }, meta)) return number;
      const index = lastUpTo(page, sequence);
      if (index === undefined) return number;
      if (index > 0) first = sequenceAt(page, index);
      if (index < nodeCount(page) - 1) {
        const next = sequenceAt(page, index + 1);
        const afterNext = index + 2 < nodeCount(page) ? sequenceAt(page, index + 2) : end;
        if (next === undefined || afterNext === undefined) return number;
        if (next <= (first ?? 0) || next >= afterNext || next >= end) return number;
        end = next;
      }
      number = childOf(page, nodeAt(page, index));
    }
    const isLast = end === Number.POSITIVE_INFINITY;
    if (!readTreePage(this.descriptor, page, { number, isLeaf: true, isLast }, meta)) return number;
    if (first !== undefined && sequenceAt(page, 0) !== first) return number;
    return { page, number, next: isLast ? undefined : end };
  }

  private batchOf({ page, number }: Leaf, index: number): StoredBatch {
    const firstSequence = sequenceOf(page, index);
    const { at, bytes } = placeOf(page, nodeAt(page, index), number);
    if (this.value.length < bytes) this.value = Buffer.allocUnsafeSlow(2 * bytes);
    const inPage = at - number * page.length;
    if (inPage >= 0 && inPage + bytes <= page.length) {
      page.copy(this.value, 0, inPage, inPage + bytes);
    } else if (readSync(this.descriptor, this.value, 0, bytes, at) < bytes) {
      throw new JournalDamaged(firstSequence, `the file data.mdb ends within the batch of ${bytes} bytes`);
    }
    return { firstSequence, bytes: this.value.subarray(0, bytes) };
  }

  private newest(): Meta {
    const metas = readMetas(this.descriptor);
    if (metas?.isSound === true) return metas.newer;
    throw new JournalDamaged(1, 'the first pages of the file data.mdb have changed');
  }
}

/** The first sequence of the batch at an index of a leaf. */
function sequenceOf(page: Buffer, index: number): number {
  return requireSequence(keyAt(page, index), 1);
}

/** The first sequence of the batch or subtree that a node leads to; undefined if its key is not a sequence. */
function sequenceAt(page: Buffer, index: number): number | undefined {
  const key = keyAt(page, index);
  return isSequence(key) ? key : undefined;
}

/** A node's key; its raw bytes if they cannot be decoded. */
function keyAt(page: Buffer, index: number): unknown {
  const key = keyOf(page, nodeAt(page, index));
  try {
    return readKey(key, 0, key.length);
  } catch {
    return key;
  }
}

/**
 * Index of a page's last node that begins at or before a sequence; of the first node if none does (a branch's first has no
 * key). Undefined if a key that is compared is not a sequence.
 */
function lastUpTo(page: Buffer, sequence: number): number | undefined {
  let low = 0;
  let high = nodeCount(page) - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const first = sequenceAt(page, middle);
    if (first === undefined) return undefined;
    if (first <= sequence) low = middle;
    else high = middle - 1;
  }
  return low;
}
