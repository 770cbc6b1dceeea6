// Sends a long reply in parts, one a turn of the loop and only while the connection takes them, so that nobody waits for
// the copying of megabytes and nothing of them piles up behind a slow reader. Called by handle.ts, which owns the
// response: nothing here touches it once it is told that the client has gone.
import type { HttpResponse } from 'uWebSockets.js';
import type { BodyParts } from './replyBody.ts';

export class LongReply {
  private readonly res: HttpResponse;
  private readonly body: BodyParts;
  private readonly onEnd: () => void;
  isEnded = false;
  /** The next part is sent in the next turn. */
  private isDue = false;

  /** @param onEnd called once, when everything is handed over or the client has gone */
  constructor(res: HttpResponse, body: BodyParts, onEnd: () => void) {
    this.res = res;
    this.body = body;
    this.onEnd = onEnd;
  }

  /** Sends the first part; called corked, after status and headers. */
  begin(): void {
    this.res.onWritable((offset) => this.send(offset));
    this.send(0);
  }

  get bytes(): number {
    return this.body.length;
  }

  /** Ends the connection: who asked reads too slowly. Not to be called within a cork. */
  cut(): void {
    if (!this.isEnded) this.res.close();
  }

  /** The client has gone. */
  gone(): void {
    if (!this.isEnded) this.end();
  }

  /** Sends the part from an offset on; false when the connection takes no more until it says so (uWebSockets' onWritable). */
  private send(offset: number): boolean {
    if (this.isEnded) return true;
    const { res, body } = this;
    const [isTaken, isDone] = res.tryEnd(body.partFrom(offset), body.length);
    if (isDone) this.end();
    else if (isTaken && !this.isDue) {
      this.isDue = true;
      setImmediate(() => this.goOn());
    }
    return isTaken;
  }

  private goOn(): void {
    this.isDue = false;
    if (!this.isEnded) this.res.cork(() => this.send(this.res.getWriteOffset()));
  }

  private end(): void {
    this.isEnded = true;
    this.onEnd();
  }
}
