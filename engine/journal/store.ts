// The interface of a store of batches, as the journal uses it, and the store in memory for tests and simulations. The one
// on disk is lmdbStore.ts. A store knows nothing of records: it maps a batch's first sequence to the batch's bytes.
import { inspect } from 'node:util';
import { JournalDamaged } from './errors.ts';

export interface StoredBatch {
  readonly firstSequence: number;
  readonly bytes: Uint8Array;
}

/** A batch whose bytes are its own, of one whose bytes are lent. */
export const copyOf = ({ firstSequence, bytes }: StoredBatch): StoredBatch => ({
  firstSequence,
  bytes: new Uint8Array(bytes),
});

/** Whether a key can be that of a batch. */
export const isSequence = (key: unknown): key is number =>
  typeof key === 'number' && Number.isSafeInteger(key) && key > 0;

/**
 * Returns a batch's key, which must be a sequence. Any other is damage, and LMDB's binding would throw on a look-up of it:
 * throws JournalDamaged from `damagedFrom` on.
 */
export function requireSequence(key: unknown, damagedFrom: number): number {
  if (isSequence(key)) return key;
  const text = `LMDB lists a batch with the key ${inspect(key)}, which is not a sequence`;
  throw new JournalDamaged(Math.max(1, damagedFrom), text);
}

export interface BatchStore {
  /**
   * Resolves when the batch is durable. Otherwise rejects with an error whose message is the reason; then the store must be
   * reopened before the next write. The bytes must not change afterwards.
   */
  write(firstSequence: number, batch: Uint8Array): Promise<void>;
  /** The last batch, if there is one. */
  last(): StoredBatch | undefined;
  /** The first sequence of the last batch, without reading the batch; 0 if there is none. */
  lastBatchSequence(): number;
  /** The batches in order, from the one that holds this sequence (or would) on, as of the time each is asked for. */
  batches(sequence: number): Generator<StoredBatch>;
  /** Closes what is left of a store whose write failed and opens it again. */
  reopen(): Promise<void>;
  close(): Promise<void>;
  /** Whether closing had to be given up, since a call to the disk hangs: an orderly end of the process would wait for it. */
  readonly isLeftOpen: boolean;
}

/** Batches in memory; nothing survives the process. Without `keepsBatches` only the last one is remembered. */
export class MemoryStore implements BatchStore {
  readonly isLeftOpen = false;
  private readonly kept: StoredBatch[] = [];
  private readonly keepsBatches: boolean;

  constructor(keepsBatches: boolean) {
    this.keepsBatches = keepsBatches;
  }

  async write(firstSequence: number, bytes: Uint8Array): Promise<void> {
    if (!this.keepsBatches) this.kept.length = 0;
    this.kept.push({ firstSequence, bytes });
  }

  last(): StoredBatch | undefined {
    return this.kept.at(-1);
  }

  lastBatchSequence(): number {
    return this.last()?.firstSequence ?? 0;
  }

  *batches(sequence: number): Generator<StoredBatch> {
    const after = this.kept.findIndex((batch) => batch.firstSequence > sequence);
    let next = Math.max(0, (after < 0 ? this.kept.length : after) - 1);
    for (; next < this.kept.length; next += 1) yield this.kept[next];
  }

  async reopen(): Promise<void> {}

  async close(): Promise<void> {}
}
