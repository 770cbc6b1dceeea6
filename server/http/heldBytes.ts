// Memory that clients make the door hold for them, bounded: long replies that wait for their readers, bodies that wait for their
// ends. Whoever has held theirs for longest gives way, since honest clients are done in a moment. Used by handle.ts.

/** What may have to give way. */
interface Holder {
  /** Its memory is wanted. It holds nothing any more when this returns. */
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

  /** Somebody holds so many bytes from now on; where there is no room for all, the oldest of the others give way. */
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

  /** Somebody holds nothing any more. */
  release(holder: Holder): void {
    this.bytes -= this.bytesOf.get(holder) ?? 0;
    this.bytesOf.delete(holder);
  }
}
