// A pool of memory for long answers: the main thread receives it with an answer and returns it once the answer is no longer
// read. A new array of megabytes per answer would make both threads collect garbage every few answers, which stalls the
// collecting thread. Transferring memory back and forth makes V8 collect as well; shared memory does not. Owned by the
// historian's thread.

/** Initial bytes of an answer; KEPT is the most returned buffers that are kept. */
const FIRST_BYTES = 512 * 1024;
const KEPT = 12;
/** All kept memory is freed after this long (ms) without a return. */
const IDLE_MS = 10_000;

export class AnswerMemory {
  private kept: SharedArrayBuffer[] = [];
  private idleTimer: NodeJS.Timeout | undefined;

  /** Memory for a new answer. */
  take(): Uint8Array {
    return new Uint8Array(this.kept.pop() ?? new SharedArrayBuffer(FIRST_BYTES));
  }

  /** Memory with room for `more` bytes after the first `used`: the same, or a larger copy. */
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
