// The main thread's handle of the historian: starts its thread, reports durable records to it, and passes questions and answers
// between routes and thread. Opened by openServices.ts (and tests); routes see it as `services.historian`. It never reads
// records or the index itself, so orders do not wait for history queries.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Log, reasonOf, withDeadline } from '../../engine/index.ts';
import {
  type Historian,
  HistorianUnavailable,
  type HistoryQuery,
  type HistoryRequest,
} from '../wire/historyQueries.ts';
import { renderTotals } from '../wire/userDataRows.ts';
import { keepsIndex } from './errors.ts';
import type { FromThread, ThreadSettings, ToThread } from './messages.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './temporaryFolder.ts';
import {
  type MarketDirectory,
  marketsIn,
  type NamedMarket,
  ofKnownMarkets,
  TotalsReader,
  totalsRows,
} from './totals.ts';
import { TradedReader } from './traded.ts';

/**
 * How often (ms) new durable records are reported to the thread, or after how many bytes of them; every question reports them
 * too. The thread thus indexes in a few large portions and leaves the processor to orders in between.
 */
const REPORT = { everyMs: 250, bytes: 8 * 1024 * 1024 } as const;
/** Delay (ms) before the thread is restarted after a failure; each further failure doubles it. */
const RESTART = { firstMs: 500, largestMs: 30_000 } as const;
/** Failures in a row, with no answer in between, after which the next thread begins with an empty index. */
const FAILURES_UNTIL_FRESH = 2;
const RECORDS_PER_COMMIT = 1_000_000;
/** How long (ms) release waits for the thread to close the journal. */
const RELEASE_MS_MAX = 5_000;

const encoder = new TextEncoder();

interface HistorianOptions {
  /** The exchange's data directory: its journal is read, and the index lies beside it. Undefined: both are temporary. */
  readonly dataDir: string | undefined;
  readonly log?: Log | undefined;
  /**
   * The markets that questions may name, from the durable part of the log; other markets do not exist for whoever asks. With
   * this directory, totals of markets need no round trip to the thread.
   */
  readonly markets?: MarketDirectory<NamedMarket> | undefined;
  /** The same for accounts: the number of a wallet's account, undefined for none. */
  readonly accountIdOf?: ((wallet: string) => number | undefined) | undefined;
  /** Called while the index is built or catches up, with records done and in total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Most log records per commit while catching up; tests make it small. */
  readonly recordsPerCommit?: number | undefined;
  /** A question whose records are not indexed after this time (ms) is refused; tests make it long. */
  readonly waitMsMax?: number | undefined;
}

interface Waiting {
  readonly resolve: (bytes: Uint8Array | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** The folder of a data directory that holds the index of the histories. */
export const historyFolderIn = (dataDir: string): string => join(dataDir, 'history');

/** Opens the historian of an exchange; pass its `durable` to the exchange as `onDurable`. Cheap until it is used. */
export function openHistorian(options: HistorianOptions): OpenedHistorian {
  return new OpenedHistorian(options);
}

export class OpenedHistorian implements Historian {
  /**
   * Whether so much remains to be indexed (above all when the whole index is built) that questions wait in vain: they are
   * refused after some seconds. Only the historian sets it.
   */
  isCatchingUp = false;
  private readonly options: HistorianOptions;
  private readonly log: Log;
  private indexPath: string | undefined;
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private totalsBoard: TotalsReader | undefined;
  private tradedBoard: TradedReader | undefined;
  private lastId = 0;
  private durableSequence = 0;
  private reportedSequence = 0;
  private reportTimer: NodeJS.Timeout | undefined;
  private heldBatches: { readonly bytes: Uint8Array; readonly sequence: number }[] = [];
  private unreportedBytes = 0;
  private failures = 0;
  /** How often in a row the operating system could not start the thread. */
  private startFailures = 0;
  private fatalReason: string | undefined;
  private restartTimer: NodeJS.Timeout | undefined;
  /** The thread was ended for the journal to be reopened; the next durable batch starts it again. */
  private isReleased = false;
  private closing: Promise<void> | undefined;
  /** The sequence that a long catch-up has reached; 0 if there is none. */
  private caughtUpSequence = 0;

  constructor(options: HistorianOptions) {
    this.options = options;
    this.log = options.log ?? (() => {});
  }

  /** Takes every durable batch, in order, with its last sequence. The bytes must not change afterwards. */
  readonly durable = (bytes: Uint8Array, sequence: number): void => {
    this.durableSequence = sequence;
    this.isReleased = false;
    if (this.closing !== undefined || this.fatalReason !== undefined) return;
    if (this.options.dataDir === undefined) this.heldBatches.push({ bytes, sequence });
    else if (this.worker === undefined && this.restartTimer === undefined) this.start(false);
    if (this.restartTimer !== undefined) return;
    this.unreportedBytes += bytes.length;
    if (this.unreportedBytes > REPORT.bytes) {
      if (this.worker === undefined) this.start(false);
      else this.reportDurable();
    } else if (this.worker !== undefined)
      this.reportTimer ??= setTimeout(() => this.reportDurable(), REPORT.everyMs).unref();
  };

  ask(request: HistoryRequest): Promise<Uint8Array | undefined> {
    const { markets } = this.options;
    const limited = markets === undefined ? request : { ...request, query: ofKnownMarkets(request.query, markets) };
    const answer = this.fromBoards(limited.query);
    if (answer !== undefined) return Promise.resolve(answer);
    return this.post((id) => ({ type: 'ask', id, sequence: this.durableSequence, request: limited }));
  }

  reuse(answer: Uint8Array): void {
    const { buffer } = answer;
    if (buffer instanceof SharedArrayBuffer) this.send({ type: 'memory', memory: buffer });
  }

  /** The last sequence that the thread has reported as indexed; 0 before its first report. */
  get indexedSequence(): number {
    return Math.max(this.totalsBoard?.sequence ?? 0, this.caughtUpSequence);
  }

  /** Whether questions are accepted at present. */
  get isAnswering(): boolean {
    return this.unavailableReason === undefined;
  }

  /** Resolves when everything that is durable now is indexed. */
  async caughtUp(): Promise<void> {
    await this.post((id) => ({ type: 'reach', id, sequence: this.durableSequence }));
  }

  /** Ends the thread, which then no longer reads the journal. The next durable batch starts it again. */
  async release(): Promise<void> {
    this.isReleased = true;
    clearTimeout(this.restartTimer);
    this.restartTimer = undefined;
    const { worker } = this;
    if (worker === undefined || this.closing !== undefined) return;
    await withDeadline(this.endThread(worker), RELEASE_MS_MAX);
  }

  /** Commits what is indexed and ends the thread. Waiting questions are refused. */
  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  /** The answer to a question whose numbers a board shows as of now; undefined if the thread must answer it. */
  private fromBoards(query: HistoryQuery): Uint8Array | undefined {
    const { markets, accountIdOf } = this.options;
    if (query.kind === 'traded') {
      const account = accountIdOf?.(query.user);
      const traded = account === undefined ? undefined : this.tradedBoard?.read(account, this.durableSequence);
      return traded === undefined ? undefined : encoder.encode(renderTotals(query, traded));
    }
    if (this.totalsBoard === undefined || markets === undefined) return undefined;
    if (query.kind !== 'oi' && query.kind !== 'live-volume') return undefined;
    const scope = marketsIn(markets, query);
    const totals = scope === undefined ? undefined : this.totalsBoard.read(scope, this.durableSequence);
    return totals === undefined ? undefined : encoder.encode(renderTotals(query, totalsRows(query, totals)));
  }

  private post(message: (id: number) => ToThread): Promise<Uint8Array | undefined> {
    if (this.isAnswering) {
      if (this.worker === undefined) this.start(false);
      else this.reportDurable();
    }
    const reason = this.unavailableReason;
    if (reason !== undefined) return Promise.reject(new HistorianUnavailable(reason));
    return new Promise((resolve, reject) => {
      this.lastId += 1;
      if (this.waiting.size === 0) this.worker?.ref();
      this.waiting.set(this.lastId, { resolve, reject });
      this.send(message(this.lastId));
    });
  }

  private get unavailableReason(): string | undefined {
    if (this.closing !== undefined) return 'the exchange is stopping';
    if (this.fatalReason !== undefined) return this.fatalReason;
    if (this.isReleased) return 'the journal is being reopened';
    return this.restartTimer === undefined ? undefined : 'its thread starts again';
  }

  private send(message: ToThread): void {
    this.worker?.postMessage(message);
  }

  /** Reports to the thread what is durable, and passes the batches themselves if there is no journal. */
  private reportDurable(): void {
    clearTimeout(this.reportTimer);
    this.reportTimer = undefined;
    this.unreportedBytes = 0;
    if (this.reportedSequence === this.durableSequence) return;
    this.reportedSequence = this.durableSequence;
    if (this.options.dataDir !== undefined) this.send({ type: 'durable', sequence: this.durableSequence });
    for (const { bytes, sequence } of this.heldBatches) this.send({ type: 'batch', bytes, sequence });
    this.heldBatches = [];
  }

  /** Starts the thread, now or, if the operating system cannot start one or has no room for its index, after a delay. */
  private start(isFresh: boolean): void {
    clearTimeout(this.restartTimer);
    this.restartTimer = undefined;
    const { dataDir, recordsPerCommit = RECORDS_PER_COMMIT, waitMsMax } = this.options;
    let worker: Worker;
    try {
      this.indexPath ??= dataDir === undefined ? makeTemporaryFolder() : historyFolderIn(dataDir);
      const workerData: ThreadSettings = { indexPath: this.indexPath, dataDir, isFresh, recordsPerCommit, waitMsMax };
      worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData });
    } catch (error) {
      this.startFailures += 1;
      this.startLater('no thread can be started for it', reasonOf(error), isFresh);
      return;
    }
    this.startFailures = 0;
    this.worker = worker;
    worker.on('message', (message: FromThread) => this.onMessage(message));
    let failure: Error | undefined;
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.on('exit', () => this.threadEnded(worker, failure));
    worker.unref();
    this.reportDurable();
  }

  private onMessage(message: FromThread): void {
    if (message.type === 'progress') {
      // At the end the board is written again; from then on it carries the indexed sequence.
      this.isCatchingUp = message.done < message.total;
      this.caughtUpSequence = this.isCatchingUp ? message.done : 0;
      this.options.onProgress?.(message.done, message.total);
      return;
    }
    if (message.type === 'log') {
      this.log(message.level, message.text, { reason: message.reason });
      return;
    }
    if (message.type === 'board') {
      if (message.of === 'markets') this.totalsBoard = new TotalsReader(message.memory);
      else this.tradedBoard = new TradedReader(message.memory);
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (this.waiting.size === 0 && this.closing === undefined) this.worker?.unref();
    if (message.type === 'answer') {
      this.failures = 0;
      waiting?.resolve(message.bytes);
    } else waiting?.reject(new HistorianUnavailable(message.reason));
  }

  /** Has the thread commit what is indexed and end; resolves when it has ended. */
  private endThread(worker: Worker): Promise<void> {
    return new Promise((resolve) => {
      worker.once('exit', () => resolve());
      worker.postMessage({ type: 'close' } satisfies ToThread);
    });
  }

  private threadEnded(worker: Worker, failure: Error | undefined): void {
    if (this.worker !== worker) return;
    this.worker = undefined;
    this.totalsBoard = undefined;
    this.tradedBoard = undefined;
    this.caughtUpSequence = 0;
    this.isCatchingUp = false;
    const isClosing = this.closing !== undefined;
    const reason = isClosing ? 'the exchange is stopping' : (failure?.message ?? 'its thread ended');
    for (const { reject } of this.waiting.values()) reject(new HistorianUnavailable(reason));
    this.waiting.clear();
    clearTimeout(this.reportTimer);
    this.reportTimer = undefined;
    this.reportedSequence = 0;
    if (!isClosing && !this.isReleased) this.recover(reason, keepsIndex(failure));
  }

  /**
   * Restarts the thread, with an empty index if it keeps failing and the index may be the cause. Without a journal the records
   * are lost, so it gives up.
   */
  private recover(reason: string, isIndexKept: boolean): void {
    this.failures += 1;
    if (this.options.dataDir === undefined) {
      this.fatalReason = `its thread failed: ${reason}`;
      this.log('error', 'The historian failed for good; requests for histories get 503.', { reason });
      return;
    }
    this.startLater('the historian failed', reason, !isIndexKept && this.failures >= FAILURES_UNTIL_FRESH);
  }

  private startLater(what: string, reason: string, isFresh: boolean): void {
    const times = this.failures + this.startFailures;
    const delayMs = Math.min(RESTART.firstMs * 2 ** (times - 1), RESTART.largestMs);
    this.log('error', `The historian is started again: ${what}.`, { reason, delayMs });
    this.restartTimer = setTimeout(() => {
      this.restartTimer = undefined;
      if (this.closing === undefined) this.start(isFresh);
    }, delayMs).unref();
  }

  private async closeOnce(): Promise<void> {
    clearTimeout(this.reportTimer);
    clearTimeout(this.restartTimer);
    const { worker } = this;
    if (worker !== undefined) {
      worker.ref();
      await this.endThread(worker);
    }
    if (this.options.dataDir === undefined && this.indexPath !== undefined) removeTemporaryFolder(this.indexPath);
  }
}
