// The yardstick of the durability bench: batches appended to a plain file, each followed by fdatasync, behind the same
// group-commit loop. It has no index and cannot read records back; it must never hold more than this measurement needs.
import { close, fdatasync, openSync, write } from 'node:fs';
import { promisify } from 'node:util';
import type { BatchStore, StoredBatch } from '../../engine/journal/index.ts';

const writeAt = promisify(write);
const flush = promisify(fdatasync);
const closeFile = promisify(close);

export class PlainStore implements BatchStore {
  readonly isLeftOpen = false;
  private readonly descriptor: number;
  private at = 0;

  constructor(file: string) {
    this.descriptor = openSync(file, 'w');
  }

  async write(_firstSequence: number, batch: Uint8Array): Promise<void> {
    for (let done = 0; done < batch.length; ) {
      const { bytesWritten } = await writeAt(this.descriptor, batch, done, batch.length - done, this.at);
      done += bytesWritten;
      this.at += bytesWritten;
    }
    await flush(this.descriptor);
  }

  last(): StoredBatch | undefined {
    return undefined;
  }

  lastBatchSequence(): number {
    return 0;
  }

  *batches(): Generator<StoredBatch> {}

  async reopen(): Promise<void> {}

  async close(): Promise<void> {
    await closeFile(this.descriptor);
  }
}
