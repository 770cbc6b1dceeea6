// Sends a long reply in parts, one a turn of the loop and only while the connection accepts them, so that nobody waits
// while megabytes are copied and nothing piles up behind a slow reader. Called by handle.ts, which owns the response;
// nothing here touches it after the client has disconnected.
import type { HttpResponse } from 'uWebSockets.js';
import type { BodyParts } from './replyBody.ts';

export class LongReply {
  private readonly res: HttpResponse;
  private readonly body: BodyParts;
  private readonly onEnd: () => void;
  isEnded = false;
  /** Whether the next part is scheduled for the next turn. */
  private isScheduled = false;

  /** @param onEnd called once, when everything has been passed to uWebSockets or the client has disconnected */
  constructor(res: HttpResponse, body: BodyParts, onEnd: () => void) {
    this.res = res;
    this.body = body;
    this.onEnd = onEnd;
  }

  /** Sends the first part. Call it corked, after status and headers. */
  begin(): void {
    this.res.onWritable((offset) => this.send(offset));
    this.send(0);
  }

  get bytes(): number {
    return this.body.length;
  }

  /** Closes the connection of a client that reads too slowly. Must not be called within a cork. */
  cut(): void {
    if (!this.isEnded) this.res.close();
  }

  /** Call when the client has disconnected. */
  gone(): void {
    if (!this.isEnded) this.end();
  }

  /** Sends the part at an offset. Returns false if the connection accepts no more until uWebSockets calls onWritable. */
  private send(offset: number): boolean {
    if (this.isEnded) return true;
    const { res, body } = this;
    const [isTaken, isDone] = res.tryEnd(body.partFrom(offset), body.length);
    if (isDone) this.end();
    else if (isTaken && !this.isScheduled) {
      this.isScheduled = true;
      setImmediate(() => this.sendNext());
    }
    return isTaken;
  }

  private sendNext(): void {
    this.isScheduled = false;
    if (!this.isEnded) this.res.cork(() => this.send(this.res.getWriteOffset()));
  }

  private end(): void {
    this.isEnded = true;
    this.onEnd();
  }
}
