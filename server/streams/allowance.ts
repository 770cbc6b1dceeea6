// How many frames of one kind a client may send: some at once, then so many each second. Used by connection.ts, which has one
// for messages and one for pings and pongs.
import { streamLimits } from './limits.ts';

const { messagesBurst, messagesPerSecond } = streamLimits;

export class Allowance {
  private left: number = messagesBurst;
  private takenMs: number;

  constructor(nowMs: number) {
    this.takenMs = nowMs;
  }

  /** Takes one frame; returns whether it was within the allowance. */
  take(nowMs: number): boolean {
    const gained = ((nowMs - this.takenMs) / 1000) * messagesPerSecond;
    this.left = Math.min(messagesBurst, this.left + gained) - 1;
    this.takenMs = nowMs;
    return this.left >= 0;
  }
}
