// The historian's thread: receives what is durable and what is asked, schedules indexing and questions, and answers. A question
// sees one state: it begins once everything that was durable when it was asked is indexed, and nothing is indexed while
// questions are at work. Started by historian.ts; after `close` it ends by itself, never by force.
import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { reasonOf } from '../../engine/index.ts';
import { isFollowUpOfCommit } from '../process/commitFollowUp.ts';
import { failThread, nameThread } from '../process/thread.ts';
import type { HistoryRequest } from '../wire/historyQueries.ts';
import { answer } from './answer.ts';
import { AnswerMemory } from './answerMemory.ts';
import { hasRoom, longRowsOf } from './answerRows.ts';
import { IndexDamaged, keepsIndex } from './errors.ts';
import { LogFollower } from './follower.ts';
import type { FromThread, ThreadSettings, ToThread } from './messages.ts';
import { beginSlice, type Sliced } from './slice.ts';
import { BatchQueue, JournalSource } from './source.ts';
import { TotalsBoard } from './totals.ts';
import { TradedBoard } from './traded.ts';

/** Progress is reported if more than this many records remain to be indexed, this often (ms). */
const PROGRESS = { records: 20_000, everyMs: 200 } as const;
/** After catching up by more records than this, the index is reopened, which frees the memory that they took. */
const REOPEN_RECORDS = 100_000;
/** How long (ms) after indexing the thread checks again whether a commit is due. */
const COMMIT_CHECK_MS = 500;
/** Added to this thread's nice value, so that orders get the processor first. */
const NICE_INCREMENT = 5;
/**
 * A question that has waited this long (ms) is refused. It waits for its records, because the index is being built, which takes
 * longer than this, or for its turn behind long answers.
 */
const WAIT_MS_MAX = 5_000;

interface Waiting {
  readonly id: number;
  readonly sequence: number;
  /** Undefined: the message only waits for the sequence. */
  readonly request: HistoryRequest | undefined;
  readonly sinceMs: number;
}

interface Active {
  readonly id: number;
  /** The most rows of its answer; 0 for a short answer. */
  readonly longRows: number;
  readonly work: Sliced<Uint8Array | undefined>;
}

type Post = (message: FromThread, transfer?: readonly ArrayBuffer[]) => void;

class HistorianThread {
  private readonly post: Post;
  private readonly queue: BatchQueue | undefined;
  private readonly follower: LogFollower;
  private readonly board: TotalsBoard;
  private readonly tradedBoard: TradedBoard;
  private readonly waitMsMax: number;
  private readonly memory = new AnswerMemory();
  private waiting: Waiting[] = [];
  private active: Active[] = [];
  private durableSequence = 0;
  private isTurnDue = false;
  /** Something is running that needs the index for itself; no turn is taken until it is done. */
  private isExclusive = true;
  private isCommitAwaited = false;
  /** Index and journal are reopened as soon as no question is at work. */
  private isReopenDue = false;
  private isClosing = false;
  private rebuiltAt = -1;
  /** When progress was last reported. The thread's own clock begins at 0, and its first report is not delayed. */
  private progressMs = Number.NEGATIVE_INFINITY;
  private progressFrom = -1;
  private commitCheckTimer: NodeJS.Timeout | undefined;

  constructor(follower: LogFollower, queue: BatchQueue | undefined, post: Post, waitMsMax = WAIT_MS_MAX) {
    this.post = post;
    this.waitMsMax = waitMsMax;
    this.queue = queue;
    this.follower = follower;
    this.board = new TotalsBoard((memory) => post({ type: 'board', of: 'markets', memory }));
    this.tradedBoard = new TradedBoard((memory) => post({ type: 'board', of: 'accounts', memory }));
    this.runExclusively(() => this.follower.checkJournal());
  }

  onMessage(message: ToThread): void {
    switch (message.type) {
      case 'durable':
        this.durableSequence = Math.max(this.durableSequence, message.sequence);
        break;
      case 'batch':
        this.durableSequence = message.sequence;
        this.queue?.add(message.bytes);
        break;
      case 'ask':
      case 'reach': {
        const { id, sequence } = message;
        this.durableSequence = Math.max(this.durableSequence, sequence);
        const request = message.type === 'ask' ? message.request : undefined;
        this.waiting.push({ id, sequence, request, sinceMs: performance.now() });
        break;
      }
      case 'memory':
        this.memory.giveBack(message.memory);
        return;
      case 'close':
        this.isClosing = true;
        break;
      default: {
        const unknown: never = message;
        throw new Error(`historian: unknown message: ${JSON.stringify(unknown)}`);
      }
    }
    this.scheduleTurn();
  }

  private scheduleTurn(): void {
    if (this.isTurnDue || this.isExclusive) return;
    this.isTurnDue = true;
    setImmediate(() => this.turn());
  }

  private turn(): void {
    this.isTurnDue = false;
    if (this.isExclusive) return;
    if (this.isClosing) {
      this.close();
      return;
    }
    this.startReady();
    const hasWorked = this.active.length > 0;
    if (hasWorked) this.work();
    else if (this.isReopenDue) this.reopen();
    else this.index();
    // Messages that arrived while questions were at work, and questions about them, have waited for those to end.
    if (hasWorked || this.active.length > 0 || this.isReopenDue) this.scheduleTurn();
  }

  /** Starts the questions whose records are all indexed; those with long answers in order, a few at a time. */
  private startReady(): void {
    const { sequence, tables } = this.follower;
    if (this.waiting.length === 0) return;
    const stillWaiting: Waiting[] = [];
    const sinceMs = performance.now() - this.waitMsMax;
    let rowsAtWork = this.active.reduce((sum, { longRows }) => sum + longRows, 0);
    // Nothing is indexed while a question is at work, so no long one begins while others wait for indexing.
    let isFull = this.waiting.some((one) => one.sequence > sequence);
    for (const one of this.waiting) {
      const { id, request } = one;
      const isLate = request !== undefined && one.sinceMs < sinceMs;
      if (one.sequence > sequence) {
        if (isLate) this.refuse([one], `${sequence} of ${one.sequence} records are indexed`);
        else stillWaiting.push(one);
        continue;
      }
      if (request === undefined) {
        this.post({ type: 'answer', id, bytes: undefined });
        continue;
      }
      const longRows = longRowsOf(request.query);
      isFull ||= !hasRoom(longRows, rowsAtWork);
      if (longRows > 0 && isFull) {
        if (isLate) this.refuse([one], 'too many long answers were requested at once');
        else stillWaiting.push(one);
        continue;
      }
      rowsAtWork += longRows;
      this.active.push({ id, longRows, work: answer(tables, request, this.memory) });
    }
    this.waiting = stillWaiting;
  }

  /** Runs one slice of each question at work. */
  private work(): void {
    const { active } = this;
    this.active = [];
    for (const [index, one] of active.entries()) {
      try {
        beginSlice();
        const { done, value } = one.work.next();
        if (done !== true) this.active.push(one);
        else this.post({ type: 'answer', id: one.id, bytes: value }, value === undefined ? [] : transferListOf(value));
      } catch (error) {
        this.refuse([one], reasonOf(error));
        this.post({
          type: 'log',
          level: 'error',
          text: 'A question about histories failed.',
          reason: (error instanceof Error && error.stack) || reasonOf(error),
        });
        if (!(error instanceof IndexDamaged)) continue;
        this.refuse([...this.active, ...active.slice(index + 1)], 'its index is being rebuilt');
        this.active = [];
        this.runExclusively(() => this.follower.rebuild(reasonOf(error)));
        return;
      }
    }
  }

  private refuse(questions: readonly { readonly id: number }[], reason: string): void {
    for (const { id } of questions) this.post({ type: 'refused', id, reason });
  }

  private index(): void {
    const { follower } = this;
    if (follower.sequence >= this.durableSequence && !follower.hasUncommitted) return;
    try {
      if (follower.index(this.durableSequence)) this.scheduleTurn();
      if (follower.isCommitting) this.afterCommit();
    } catch (error) {
      this.rebuildOnce(error);
      return;
    }
    // Questions ask as of everything durable: until that is indexed, the boards answer none of them.
    if (follower.sequence >= this.durableSequence) this.showTotals();
    this.reportProgress();
    this.startReady();
    if (follower.hasUncommitted) this.checkCommitLater();
  }

  private showTotals(): void {
    const { tables, sequence } = this.follower;
    const { markets, accounts } = tables;
    this.board.show(markets.takeUnshown(), markets.list, sequence);
    this.tradedBoard.show(accounts.takeUnshown(), accounts, sequence);
  }

  /** Takes another turn once the commit being written is done. */
  private afterCommit(): void {
    if (this.isCommitAwaited) return;
    this.isCommitAwaited = true;
    this.follower.commit().then(
      () => {
        this.isCommitAwaited = false;
        this.scheduleTurn();
      },
      (error: unknown) => {
        this.isCommitAwaited = false;
        // What has the index for itself waits for this commit too, and ends or drops the index anyway.
        if (!this.isExclusive) this.rebuildOnce(error);
      },
    );
  }

  /** Takes another turn after a while, even if nothing else happens, to commit what is uncommitted. */
  private checkCommitLater(): void {
    this.commitCheckTimer ??= setTimeout(() => {
      this.commitCheckTimer = undefined;
      this.scheduleTurn();
    }, COMMIT_CHECK_MS);
  }

  private reportProgress(): void {
    const { sequence } = this.follower;
    const left = this.durableSequence - sequence;
    if (this.progressFrom < 0 && left > PROGRESS.records) this.progressFrom = sequence;
    if (this.progressFrom < 0) return;
    const nowMs = performance.now();
    if (left > 0 && nowMs - this.progressMs < PROGRESS.everyMs) return;
    this.progressMs = nowMs;
    this.post({ type: 'progress', done: sequence, total: this.durableSequence });
    if (left > 0) return;
    const indexed = sequence - this.progressFrom;
    this.progressFrom = -1;
    if (indexed > REOPEN_RECORDS) void this.commitForReopen();
  }

  /** Commits everything first, while questions are still answered; reopening, during which they wait, then takes little time. */
  private async commitForReopen(): Promise<void> {
    const { follower } = this;
    try {
      if (follower.isCommitting) await follower.commit();
      const commit = follower.commit();
      this.afterCommit();
      await commit;
    } catch {
      return; // afterCommit saw the error too, and has the index rebuilt
    }
    this.isReopenDue = true;
    this.scheduleTurn();
  }

  private reopen(): void {
    this.isReopenDue = false;
    this.runExclusively(() => this.follower.reopen());
  }

  /**
   * Rebuilds the index after the log could not be indexed, but not twice for the same record. A failure that says nothing about
   * the index ends the thread instead: the next one goes on from the last commit.
   */
  private rebuildOnce(error: unknown): void {
    const { sequence } = this.follower;
    const isInVain = keepsIndex(error) || sequence === this.rebuiltAt;
    this.rebuiltAt = sequence;
    this.runExclusively(() => (isInVain ? Promise.reject(error) : this.follower.rebuild(reasonOf(error))));
  }

  /** Neither indexes nor answers until `work` is done; if it fails, the thread ends with its error. */
  private runExclusively(work: () => Promise<void>): void {
    this.isExclusive = true;
    work().then(
      () => {
        this.isExclusive = false;
        this.showTotals();
        this.scheduleTurn();
      },
      async (error: unknown) => {
        await this.follower.abandon();
        failThread(error);
      },
    );
  }

  private close(): void {
    this.isExclusive = true;
    clearTimeout(this.commitCheckTimer);
    this.refuse([...this.waiting, ...this.active], 'the exchange is stopping');
    this.follower.close().then(() => parentPort?.close(), failThread);
  }
}

/** The memory of an answer to transfer, if the answer owns it (answer.ts); that of a long answer is shared instead. */
function transferListOf({ buffer }: Uint8Array): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}

/** Opens the index as it was left, and the log that it follows. If the index cannot be opened, the log is closed again. */
async function openFollower(settings: ThreadSettings, queue: BatchQueue | undefined, post: Post): Promise<LogFollower> {
  const source = queue ?? new JournalSource(settings.dataDir ?? '');
  const onDropped = (reason: string): void =>
    post({ type: 'log', level: 'warn', text: 'The index of histories is rebuilt.', reason });
  try {
    return new LogFollower(settings, source, onDropped);
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function begin(): Promise<void> {
  nameThread('historian');
  // Only Linux has per-thread priorities; id 0 is the calling thread.
  if (process.platform === 'linux')
    setPriority(0, Math.min(constants.priority.PRIORITY_LOW, getPriority(0) + NICE_INCREMENT));
  process.on('unhandledRejection', (reason) => {
    if (!isFollowUpOfCommit(reason)) throw reason;
  });
  const port = parentPort;
  if (port === null) throw new Error('historian: this file is the start of a thread');
  const settings = workerData as ThreadSettings; // historian.ts starts the thread with them
  const post: Post = (message, transfer) => port.postMessage(message, transfer);
  const queue = settings.dataDir === undefined ? new BatchQueue() : undefined;
  const follower = await openFollower(settings, queue, post);
  const thread = new HistorianThread(follower, queue, post, settings.waitMsMax);
  port.on('message', (message: ToThread) => thread.onMessage(message));
}

// Starts once every module is loaded: a thread that fails during loading can crash V8, and the process with it.
setImmediate(() => {
  begin().catch(failThread);
});
