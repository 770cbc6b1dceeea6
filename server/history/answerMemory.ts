// Memory for long answers, used again and again: the main thread is shown it with an answer, and gives it back when nobody
// reads that any more. An array of megabytes for each would have both threads collect garbage every few answers, and whoever
// collects stands still; V8 collects for memory that goes back and forth as well, but not for memory that both share. Owned by
// the historian's thread.

/** What an answer begins with, and what is kept of memory that came back. */
const FIRST_BYTES = 512 * 1024;
const KEPT = 12;
/** After this long (ms) in which none came back, all of it is let go. */
const IDLE_MS = 10_000;

export class AnswerMemory {
  private kept: SharedArrayBuffer[] = [];
  private idleTimer: NodeJS.Timeout | undefined;

  /** Memory for an answer that begins. */
  take(): Uint8Array {
    return new Uint8Array(this.kept.pop() ?? new SharedArrayBuffer(FIRST_BYTES));
  }

  /** This memory, or larger one with the first `used` bytes of it, so that there is room for more. */
  enlarge(memory: Uint8Array, used: number, more: number): Uint8Array {
    if (used + more <= memory.length) return memory;
    const larger = new Uint8Array(new SharedArrayBuffer(Math.max(2 * memory.length, used + more)));
    larger.set(memory.subarray(0, used));
    return larger;
  }

  giveBack(memory: SharedArrayBuffer): void {
    if (this.kept.length < KEPT) this.kept.push(memory);
    this.idleTimer ??= setTimeout(() => {
      this.idleTimer = undefined;
      this.kept = [];
    }, IDLE_MS).unref();
    this.idleTimer.refresh();
  }
}
