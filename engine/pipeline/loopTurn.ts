// Long work on a thread that others need too: it stops after some milliseconds and goes on in the event loop's next turn. Used
// by recovery and verification, and by whatever in the server works for long.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The present turn of the loop, as far as one piece of long work may use it. */
export class LoopTurn {
  private readonly msMax: number;
  private endsMs: number;

  /** @param msMax how long (ms) the work may go on before others have their turn */
  constructor(msMax: number) {
    this.msMax = msMax;
    this.endsMs = performance.now() + msMax;
  }

  /** Whether the time of this turn is used up: the work should wait for `next`. */
  get isOver(): boolean {
    return performance.now() >= this.endsMs;
  }

  /** The work begins, after a time in which it did nothing. */
  begin(): void {
    this.endsMs = performance.now() + this.msMax;
  }

  /** Resolves in the loop's next turn, of which the work may use as much again. */
  async next(): Promise<void> {
    await nextTurn();
    this.begin();
  }
}
