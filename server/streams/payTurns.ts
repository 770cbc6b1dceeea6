// How long one turn of the loop renders what sockets are owed: dumps and replays, of all sockets together. However many ask at
// once, everybody else is served between two turns. Whoever finds no time left goes on in a later turn, in the order of asking,
// a step each. The publisher has one; the channels ask it. What is published live never waits for it.
import { streamLimits } from './limits.ts';

export class PayTurns {
  private readonly line: (() => void)[] = [];
  private isTurn = false;
  private isRunning = false;
  private untilMs = 0;
  /** Nobody has asked in this turn. */
  private isFresh = false;

  /**
   * Whether more may be rendered in this turn; the first who asks in a turn may, however long others have held it, so that
   * each turn pays something. Those in line come before who asks anew.
   */
  hasTime(): boolean {
    if (this.line.length > 0 && !this.isRunning) return false;
    if (!this.isTurn) this.begin();
    const isFirst = this.isFresh;
    this.isFresh = false;
    return isFirst || performance.now() < this.untilMs;
  }

  /** Runs a step in a later turn, behind those that wait already. */
  later(step: () => void): void {
    this.line.push(step);
    if (!this.isTurn) this.begin();
  }

  private begin(): void {
    this.isTurn = true;
    this.isFresh = true;
    this.untilMs = performance.now() + streamLimits.payTurnMsMax;
    setImmediate(() => this.run());
  }

  /** The turn after: its time goes to the line as it stands, of which one goes on in any case. Who comes meanwhile waits. */
  private run(): void {
    this.isTurn = false;
    const { line } = this;
    const waiting = line.length;
    if (waiting === 0) return;
    this.begin();
    this.isRunning = true;
    let count = 0;
    try {
      while (count < waiting && (count === 0 || this.hasTime())) {
        count += 1;
        line[count - 1]();
      }
    } finally {
      this.isRunning = false;
      line.splice(0, count);
    }
  }
}
