// A journal's counts of its own work: batches, bytes, flushes. The journal adds to them, the server publishes them. Counting
// is a few additions per batch, and nothing here allocates after its construction.

/** A histogram of values, with their sum. */
export class Distribution {
  /** Ascending upper bounds of the buckets, inclusive; values above the last bound have a bucket of their own. */
  readonly bounds: readonly number[];
  /** The number of values in each bucket; there is one more bucket than there are bounds. */
  readonly counts: Float64Array;
  /** In an array, since a field would be boxed anew with every addition. */
  private readonly total = new Float64Array(1);

  constructor(bounds: readonly number[]) {
    if (bounds.some((bound, index) => index > 0 && bound <= bounds[index - 1])) {
      throw new Error(`a distribution needs rising bounds, not ${bounds.join(', ')}`);
    }
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const { bounds, counts } = this;
    let part = 0;
    while (part < bounds.length && value > bounds[part]) part += 1;
    counts[part] += 1;
    this.total[0] += value;
  }

  get sum(): number {
    return this.total[0];
  }
}

const FLUSH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const BATCH_RECORDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];

export class JournalFigures {
  /** From handing a batch to the store until it was durable, retries included. */
  readonly flushSeconds = new Distribution(FLUSH_SECONDS);
  /** Records of each batch that became durable. */
  readonly batchRecords = new Distribution(BATCH_RECORDS);
  /** Bytes of those batches. */
  writtenBytes = 0;
  /** Writes that failed; each was retried or ended the journal. */
  failedWrites = 0;

  /** Counts a batch that has become durable. */
  wrote(recordCount: number, bytes: number, tookMs: number): void {
    this.flushSeconds.add(tookMs / 1000);
    this.batchRecords.add(recordCount);
    this.writtenBytes += bytes;
  }
}
