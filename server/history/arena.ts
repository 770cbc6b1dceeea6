// Memory for the values of one commit, in parts that do not move until it completes. Used by tables that store their values in
// another form than they hold in memory.
import { dataViewOf } from '../../engine/index.ts';
import type { PutBytes } from './store.ts';

/** Bytes of a part, unless one value needs more. */
const PART_BYTES = 2 ** 20;

export class Arena {
  /** All parts; the last is the one being filled. */
  readonly parts: PutBytes[] = [];
  /** The part being filled. */
  bytes: PutBytes = Buffer.alloc(0);
  view: DataView = new DataView(new ArrayBuffer(0));
  /** Offset at which the next value begins. */
  offset = 0;

  /** Reserves room for a value of at most this many bytes; returns its offset. */
  reserve(bytes: number): number {
    if (this.offset + bytes > this.bytes.length) {
      this.bytes = Buffer.allocUnsafeSlow(Math.max(PART_BYTES, bytes));
      this.view = dataViewOf(this.bytes);
      this.offset = 0;
      this.parts.push(this.bytes);
    }
    return this.offset;
  }
}
