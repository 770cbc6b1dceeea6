// Limits how long one event-loop turn may render what is owed, that is dumps and replays, over all sockets: however many ask at
// once, everything else is served between two turns. A channel that finds no time left continues in a later turn, first come
// first served, one step each. The publisher owns one; the channels ask it. A live message waits for it only behind what the
// same stream of its socket is owed.
import { streamLimits } from './limits.ts';

export class PayTurns {
  private readonly queue: (() => void)[] = [];
  private isTurn = false;
  private isRunning = false;
  private untilMs = 0;
  /** No channel has asked in this turn yet. */
  private isFresh = false;

  /**
   * Whether more may be rendered in this turn. The first to ask in a turn always may, so each turn makes progress. Queued steps
   * come before new requests.
   */
  hasTime(): boolean {
    if (this.queue.length > 0 && !this.isRunning) return false;
    if (!this.isTurn) this.begin();
    const isFirst = this.isFresh;
    this.isFresh = false;
    return isFirst || performance.now() < this.untilMs;
  }

  /** Queues a step for a later turn. */
  later(step: () => void): void {
    this.queue.push(step);
    if (!this.isTurn) this.begin();
  }

  private begin(): void {
    this.isTurn = true;
    this.isFresh = true;
    this.untilMs = performance.now() + streamLimits.payTurnMsMax;
    setImmediate(() => this.run());
  }

  /** Begins the next turn with the steps queued so far: the first always runs, the others while there is time. */
  private run(): void {
    this.isTurn = false;
    const { queue } = this;
    const waiting = queue.length;
    if (waiting === 0) return;
    this.begin();
    this.isRunning = true;
    let count = 0;
    try {
      while (count < waiting && (count === 0 || this.hasTime())) {
        count += 1;
        queue[count - 1]();
      }
    } finally {
      this.isRunning = false;
      queue.splice(0, count);
    }
  }
}
