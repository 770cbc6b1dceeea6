// Spreads the parsing of long bodies over turns of the event loop: a full one takes tens of milliseconds, and as many may
// arrive in one turn as there are connections. Used by body.ts. Bodies of ordinary size are parsed at once.
import { httpLimits } from './limits.ts';

const { shortBodyBytesMax, turnBodyBytesMax } = httpLimits;

export class BodyTurns {
  /** Bytes of the long bodies of this turn. */
  private takenBytes = 0;

  /**
   * Whether a body of this many bytes may be parsed in this turn: a short one always, the first long one, and more while they
   * are few bytes together. Ask again by setImmediate: whoever has waited longest then comes first.
   */
  take(bytes: number): boolean {
    if (bytes <= shortBodyBytesMax) return true;
    if (this.takenBytes > 0 && this.takenBytes + bytes > turnBodyBytesMax) return false;
    if (this.takenBytes === 0) {
      setImmediate(() => {
        this.takenBytes = 0;
      });
    }
    this.takenBytes += bytes;
    return true;
  }
}
