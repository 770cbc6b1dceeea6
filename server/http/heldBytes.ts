// Bounds the memory that clients make the server hold: long replies that are read slowly, bodies that arrive slowly. Over
// the bound the oldest are cut off first, since honest clients finish quickly. Used by handle.ts.

/** A holder of memory that can be cut off. */
interface Holder {
  /** Ends it; it must hold nothing when this returns. */
  cut(): void;
}

export class HeldBytes {
  private readonly bytesMax: number;
  /** Oldest first. */
  private readonly bytesOf = new Map<Holder, number>();
  private bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Sets the number of bytes of a holder, and cuts off the oldest others while the total is over the bound. */
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

  /** Records that a holder has released its memory. */
  release(holder: Holder): void {
    this.bytes -= this.bytesOf.get(holder) ?? 0;
    this.bytesOf.delete(holder);
  }
}
