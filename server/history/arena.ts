// Memory for the values of one commit, in parts that stay where they are until it is through. Used by tables whose values
// are not kept as they are stored.
import type { PutBytes } from './store.ts';

/** Length of a part, unless one value is longer. */
const PART_BYTES = 2 ** 20;

export class Arena {
  /** All parts, the one that is being written last. */
  readonly parts: PutBytes[] = [];
  /** The part that holds the value which is being written. */
  bytes: PutBytes = Buffer.alloc(0);
  view: DataView = new DataView(new ArrayBuffer(0));
  /** Where the next value begins. */
  offset = 0;

  /** Makes room for a value of so many bytes at most; returns where it begins. */
  reserve(bytes: number): number {
    if (this.offset + bytes > this.bytes.length) {
      this.bytes = Buffer.allocUnsafeSlow(Math.max(PART_BYTES, bytes));
      this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
      this.offset = 0;
      this.parts.push(this.bytes);
    }
    return this.offset;
  }
}
