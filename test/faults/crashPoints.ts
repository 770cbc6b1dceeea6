// Loaded with --import into a server process that is to crash. It kills the process at a named point on the way to the
// disk, at the n-th passage after its parent's order, and sends the hash of its state when its parent asks. The server
// itself has no such switch, so nobody can set one on a real exchange.
import { isMainThread } from 'node:worker_threads';
import { Journal, LmdbStore } from '../../engine/journal/index.ts';
import { Reducers, type StateHashes } from '../../engine/pipeline/index.ts';

/** Before and after a record joins its batch, while a batch is being flushed, and once it is durable but not answered. */
export const CRASH_POINTS = ['before-append', 'after-append', 'during-flush', 'after-flush'] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** A message of the parent: where to crash, or the request for the state. */
export type ParentMessage = { readonly crashAt: CrashPoint; readonly passage: number } | 'state';

/** The answer to 'state': the state after this record. */
export interface StateReport {
  readonly sequence: number;
  readonly hashes: StateHashes;
}

function installCrashPoints(): void {
  let crashPoint: CrashPoint | undefined;
  let passagesLeft = 0;
  const pass = (point: CrashPoint): void => {
    if (point !== crashPoint) return;
    passagesLeft -= 1;
    if (passagesLeft === 0) process.kill(process.pid, 'SIGKILL');
  };
  let reducers: Reducers | undefined;
  let sequence = 0;
  const { append } = Journal.prototype;
  Journal.prototype.append = function (this: Journal, ...args: Parameters<Journal['append']>): void {
    pass('before-append');
    append.apply(this, args);
    sequence = args[0];
    pass('after-append');
  };
  const { write } = LmdbStore.prototype;
  LmdbStore.prototype.write = async function (this: LmdbStore, ...args: Parameters<LmdbStore['write']>): Promise<void> {
    const written = write.apply(this, args);
    setImmediate(pass, 'during-flush');
    await written;
    pass('after-flush');
  };
  const { reduce } = Reducers.prototype;
  Reducers.prototype.reduce = function (this: Reducers, ...args: Parameters<Reducers['reduce']>): void {
    reducers = this;
    reduce.apply(this, args);
  };
  process.on('message', (message: ParentMessage) => {
    if (message !== 'state') {
      crashPoint = message.crashAt;
      passagesLeft = message.passage;
    } else if (reducers !== undefined) process.send?.({ sequence, hashes: reducers.stateHash() } satisfies StateReport);
  });
  process.channel?.unref();
}

if (isMainThread && process.send !== undefined) installCrashPoints();
