// Bounds the memory that clients make the server hold: long replies that are read slowly, bodies that arrive slowly. When it is
// too much, the oldest are cut off first, since honest clients are done in a moment. Used by handle.ts.

/** Something that holds memory and can be cut off. */
interface Holder {
  /** Ends it: it holds nothing any more when this returns. */
  cut(): void;
}

export class HeldBytes {
  private readonly bytesMax: number;
  /** The oldest first. */
  private readonly bytesOf = new Map<Holder, number>();
  private bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Notes how many bytes a holder has from now on; cuts off the oldest of the others while all together have too many. */
  hold(holder: Holder, bytes: number): void {
    this.bytes += bytes - (this.bytesOf.get(holder) ?? 0);
    this.bytesOf.set(holder, bytes);
    for (const oldest of this.bytesOf.keys()) {
      if (this.bytes <= this.bytesMax) return;
      if (oldest === holder) continue;
      oldest.cut();
      this.release(oldest);
    }
  }

  /** Notes that a holder has nothing any more. */
  release(holder: Holder): void {
    this.bytes -= this.bytesOf.get(holder) ?? 0;
    this.bytesOf.delete(holder);
  }
}
