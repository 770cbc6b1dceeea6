// Splits long work on a shared thread: it pauses after some milliseconds and goes on in the event loop's next turn. Used by
// recovery and verification, and by long work in the server.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The share of the event loop's current turn that one piece of long work may use. */
export class LoopTurn {
  private readonly msMax: number;
  private endsMs: number;

  /** @param msMax how long (ms) the work may run before others get their turn */
  constructor(msMax: number) {
    this.msMax = msMax;
    this.endsMs = performance.now() + msMax;
  }

  /** Whether the time of this turn is used up: the work should wait for `next`. */
  get isOver(): boolean {
    return performance.now() >= this.endsMs;
  }

  /** Starts the time of this turn anew, as the work begins after a pause. */
  begin(): void {
    this.endsMs = performance.now() + this.msMax;
  }

  /** Resolves in the loop's next turn, in which the work may run as long again. */
  async next(): Promise<void> {
    await nextTurn();
    this.begin();
  }
}
