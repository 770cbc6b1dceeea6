// Makes snapshots beside a running exchange: after a number of records, a separate process (makerChild.ts) with the lowest
// priority follows the journal from the previous snapshot to the durable end, and writes the next one. Created by
// openServices.ts. The exchange does no work for it and never waits; a failed maker only costs a slower start.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Log, reasonOf } from '../../engine/index.ts';
import { howEnded } from '../process/childProcess.ts';

const CHILD = './makerChild.ts';
/**
 * Restricts V8 to the maker's one thread for compilation and garbage collection: with helper threads it would occupy
 * several processors at once, and a waking thread of the exchange would wait for one, several milliseconds on a machine
 * with two.
 */
const V8_OPTIONS = ['--single-threaded'];

/** The messages of the child. */
export type MakerNews =
  | { readonly kind: 'made'; readonly sequence: number | undefined; readonly ms: number }
  | { readonly kind: 'log'; readonly text: string; readonly figures: Readonly<Record<string, unknown>> }
  | { readonly kind: 'failed'; readonly reason: string };

interface SnapshotMakerOptions {
  /** Undefined = nothing is on disk, so no snapshot is made. */
  readonly dataDir: string | undefined;
  /** Records after which a snapshot is due; 0 = never. */
  readonly every: number;
  readonly log: Log;
}

export class SnapshotMaker {
  private readonly options: SnapshotMakerOptions;
  private readonly every: number;
  /** The sequence at which the next snapshot is due. */
  private dueSequence = Number.POSITIVE_INFINITY;
  private child: ChildProcess | undefined;
  private isClosed = false;
  /** Numbers of snapshots made and failed since this process started. */
  madeCount = 0;
  failedCount = 0;
  /** The last record in the newest snapshot known to it, 0 for none. */
  newestSequence = 0;

  constructor(options: SnapshotMakerOptions) {
    this.options = options;
    const { dataDir, every } = options;
    this.every = dataDir === undefined || every === 0 ? Number.POSITIVE_INFINITY : every;
  }

  /**
   * Call when the exchange has opened.
   * @param snapshotSequence the last record in the snapshot that it started from, 0 for none
   */
  opened(snapshotSequence: number): void {
    this.newestSequence = snapshotSequence;
    this.dueSequence = snapshotSequence + this.every;
  }

  /** Call when the records up to this one are durable. */
  durable(sequence: number): void {
    if (sequence >= this.dueSequence && this.child === undefined && !this.isClosed) this.start(sequence);
  }

  /** Kills a running maker. It leaves only a draft, which the next maker or start removes. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { child } = this;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref(); // or nothing might keep this process alive until the child has ended
    child.kill('SIGKILL');
    await ended;
  }

  private start(sequence: number): void {
    const { dataDir = '', log } = this.options;
    // If it fails, the next one comes that much later.
    this.dueSequence = sequence + this.every;
    const execArgv = [...V8_OPTIONS, ...process.execArgv];
    const failed = (reason: string): void => {
      this.failedCount += 1;
      log('warn', 'No snapshot could be made.', { reason });
    };
    let child: ChildProcess;
    try {
      child = fork(fileURLToPath(new URL(CHILD, import.meta.url)), [dataDir], { execArgv });
    } catch (error) {
      failed(reasonOf(error));
      return;
    }
    child.on('error', (error) => failed(error.message));
    if (child.pid === undefined) return; // no process was created; 'error' says why, 'exit' never comes
    this.child = child;
    let hasReported = false;
    child.on('message', (news: MakerNews) => {
      if (news.kind === 'log') log('warn', news.text, news.figures);
      else hasReported = true;
      if (news.kind === 'made') this.made(news.sequence, news.ms);
      if (news.kind === 'failed') failed(news.reason);
    });
    child.on('exit', (status, signal) => {
      this.child = undefined;
      if (hasReported || this.isClosed) return;
      failed(`the process that makes it was ended ${howEnded(status, signal)}`);
    });
    child.unref();
    child.channel?.unref();
  }

  private made(sequence: number | undefined, ms: number): void {
    this.madeCount += 1;
    this.newestSequence = sequence ?? this.newestSequence;
    this.options.log('info', 'A snapshot was made.', { sequence, ms });
  }
}
