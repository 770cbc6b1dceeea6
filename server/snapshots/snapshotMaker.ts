// When snapshots are made beside a running exchange, and by whom: after so many records a process of its own (makerChild.ts)
// with the lowest priority follows the journal from the snapshot before to what is durable, and writes the next. Made by
// openServices.ts. The exchange itself does nothing for it and never waits; a maker that fails costs a slower start and no more.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Log, reasonOf } from '../../engine/index.ts';

const CHILD = './makerChild.ts';
/**
 * V8 compiles and collects on the maker's one thread alone: with helpers it would take several processors at once, and a
 * thread of the exchange that wakes up would wait for one of them, several milliseconds where there are two.
 */
const V8_OPTIONS = ['--single-threaded'];

/** What the child says at its end. */
export type MakerNews =
  | { readonly kind: 'made'; readonly sequence: number | undefined; readonly ms: number }
  | { readonly kind: 'log'; readonly text: string; readonly figures: Readonly<Record<string, unknown>> }
  | { readonly kind: 'failed'; readonly reason: string };

interface SnapshotMakerOptions {
  /** Undefined: nothing is on disk, and nothing is made. */
  readonly dataDir: string | undefined;
  /** Records after which one is due; 0: never. */
  readonly every: number;
  readonly log: Log;
}

export class SnapshotMaker {
  private readonly options: SnapshotMakerOptions;
  private readonly every: number;
  /** The sequence from which on one is due. */
  private dueSequence = Number.POSITIVE_INFINITY;
  private child: ChildProcess | undefined;
  private isClosed = false;
  /** How many were made and how many could not be, since this process started. */
  madeCount = 0;
  failedCount = 0;
  /** The last record in the newest snapshot that it was told of, 0 for none. */
  newestSequence = 0;

  constructor(options: SnapshotMakerOptions) {
    this.options = options;
    const { dataDir, every } = options;
    this.every = dataDir === undefined || every === 0 ? Number.POSITIVE_INFINITY : every;
  }

  /** The exchange is open; the snapshot that it started from ends with this record, 0 for none. */
  opened(snapshotSequence: number): void {
    this.newestSequence = snapshotSequence;
    this.dueSequence = snapshotSequence + this.every;
  }

  /** Records up to this one are durable. */
  durable(sequence: number): void {
    if (sequence >= this.dueSequence && this.child === undefined && !this.isClosed) this.start(sequence);
  }

  /** Ends a maker that is at work: it leaves nothing but a draft, which the next start removes. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { child } = this;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.ref(); // else nothing might be left that keeps the process until then
    child.kill('SIGKILL');
    await ended;
  }

  private start(sequence: number): void {
    const { dataDir = '', log } = this.options;
    // Should it fail, the next one comes as much later.
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
    if (child.pid === undefined) return; // the system has no room for one: it says why in an error, and nothing exits
    this.child = child;
    let hasSpoken = false;
    child.on('message', (news: MakerNews) => {
      if (news.kind === 'log') log('warn', news.text, news.figures);
      else hasSpoken = true;
      if (news.kind === 'made') this.made(news.sequence, news.ms);
      if (news.kind === 'failed') failed(news.reason);
    });
    child.on('exit', (status, signal) => {
      this.child = undefined;
      if (hasSpoken || this.isClosed) return;
      const how = signal === null ? `with status ${status}` : `by ${signal}`;
      failed(`the process that makes it was ended ${how}`);
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
