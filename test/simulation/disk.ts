// The disk of a simulation and the store of an exchange on it: batches in memory that outlive the exchange, writes that
// hang, fail, land without being confirmed, or find no space. Used by simulation.ts and by whatever reads such a disk:
// damage.ts, histories.ts and replayChild.ts.
import type { BatchStore, StoredBatch } from '../../engine/journal/store.ts';

interface PendingWrite {
  readonly batch: StoredBatch;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface RecordPlace {
  readonly sequence: number;
  readonly start: number;
  readonly end: number;
}

/** Where a record has its length and its time (ms). */
const LENGTH_AT = 4;
const TIME_AT = 24;

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** The records of a batch, in order. */
export function recordsIn({ firstSequence, bytes }: StoredBatch): RecordPlace[] {
  const view = viewOf(bytes);
  const records: RecordPlace[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = start + view.getUint32(start + LENGTH_AT, true);
    records.push({ sequence: firstSequence + records.length, start, end });
    start = end;
  }
  return records;
}

/** The storage that survives a power loss. */
export class Disk {
  batches: StoredBatch[] = [];
  /** The latest batch whose records were counted, and the sequence of its last one. */
  private counted: StoredBatch | undefined;
  private countedUpTo = 0;

  /** The sequence of the last record, 0 when there is none. */
  get lastSequence(): number {
    const last = this.batches.at(-1);
    if (last === undefined) return 0;
    if (last !== this.counted) {
      this.counted = last;
      this.countedUpTo = recordsIn(last).at(-1)?.sequence ?? 0;
    }
    return this.countedUpTo;
  }

  /** The time (ms) of the last record, 0 when there is none. */
  get lastTMs(): number {
    const last = this.batches.at(-1);
    const place = last && recordsIn(last).at(-1);
    if (last === undefined || place === undefined) return 0;
    return viewOf(last.bytes).getFloat64(place.start + TIME_AT, true);
  }

  /** Stores a batch under its first sequence, as the real store does: only the last one is ever rewritten. */
  put(batch: StoredBatch): void {
    if (this.batches.at(-1)?.firstSequence === batch.firstSequence) this.batches.pop();
    this.batches.push(batch);
  }
}

const powerLost = (): Error => new Error('the power is lost');

export class FaultyStore implements BatchStore {
  readonly isLeftOpen = false;
  /** While held, writes wait for `open()`. */
  private isHeld = false;
  private isDead = false;
  /** Whether the disk is full. */
  isFull = false;
  /** How many of the next writes are refused, and how many after them land but are reported as failed. */
  refusals = 0;
  lostAnswers = 0;
  private pending: PendingWrite | undefined;
  private readonly disk: Disk;

  constructor(disk: Disk) {
    this.disk = disk;
  }

  /** Whether some write was or will be answered with a failure, which allows the exchange to refuse commands. */
  get isTroubled(): boolean {
    return this.isFull || this.refusals > 0 || this.lostAnswers > 0;
  }

  write(firstSequence: number, bytes: Uint8Array): Promise<void> {
    if (this.isDead) return Promise.reject(powerLost());
    if (this.pending !== undefined)
      throw new Error('simulation: a second batch was handed over before the first ended');
    return new Promise((resolve, reject) => {
      this.pending = { batch: { firstSequence, bytes }, resolve, reject };
      if (!this.isHeld || this.isFull) this.endPending();
    });
  }

  last(): StoredBatch | undefined {
    return this.disk.batches.at(-1);
  }

  lastBatchSequence(): number {
    return this.last()?.firstSequence ?? 0;
  }

  *batches(sequence: number): Generator<StoredBatch> {
    const { batches } = this.disk;
    const after = batches.findIndex((batch) => batch.firstSequence > sequence);
    for (let next = Math.max(0, (after < 0 ? batches.length : after) - 1); next < batches.length; next += 1) {
      yield batches[next];
    }
  }

  async reopen(): Promise<void> {}

  async close(): Promise<void> {}

  hold(): void {
    this.isHeld = true;
  }

  open(): void {
    this.isHeld = false;
    this.isFull = false;
    if (this.pending !== undefined) this.endPending();
  }

  /** From now on there is no space, not even for the write in progress, unless the answer to that one is to be lost. */
  fill(): void {
    this.isFull = true;
    this.endPending();
  }

  /** The power is lost: the write in progress is on disk afterwards, or it is not. Either way the writer gets an error. */
  die(isWritten: boolean): void {
    const { pending } = this;
    this.isDead = true;
    this.pending = undefined;
    if (pending === undefined) return;
    if (isWritten) this.disk.put(pending.batch);
    pending.reject(powerLost());
  }

  private endPending(): void {
    const { pending } = this;
    if (pending === undefined) return;
    this.pending = undefined;
    if (this.lostAnswers > 0 && this.refusals === 0) {
      // First of all, also on a disk that is full from now on: a log may end with a batch that nobody was told about.
      this.lostAnswers -= 1;
      this.disk.put(pending.batch);
      pending.reject(new Error('the disk failed after it had written'));
    } else if (this.isFull) {
      pending.reject(new Error('there is no space left on the disk'));
    } else if (this.refusals > 0) {
      this.refusals -= 1;
      pending.reject(new Error('the disk failed'));
    } else {
      this.disk.put(pending.batch);
      pending.resolve();
    }
  }
}
