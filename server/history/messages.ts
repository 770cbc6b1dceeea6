// What the main thread (historian.ts) and the historian's thread (thread.ts) say to each other. Types alone: plain data
// crosses; the bytes of answers are handed over or, of long ones, shared, never copied.
import type { HistoryRequest } from './queries.ts';

/** What the thread is started with. */
export interface ThreadSettings {
  /** Folder of the index. */
  readonly indexPath: string;
  /** The data directory whose journal is followed; undefined: batches are handed over. */
  readonly dataDir: string | undefined;
  /** Begin with an empty index, whatever lies there. */
  readonly isFresh: boolean;
  /** Log records a commit at most while catching up. */
  readonly recordsPerCommit: number;
  /** A question whose records are not indexed after this long (ms) is refused. */
  readonly waitMsMax?: number | undefined;
}

export type ToThread =
  /** Everything up to this sequence is durable in the journal. */
  | { readonly type: 'durable'; readonly sequence: number }
  /** A durable batch of records, where there is no journal on disk. */
  | { readonly type: 'batch'; readonly bytes: Uint8Array; readonly sequence: number }
  /** A question that is to see everything up to the sequence. */
  | { readonly type: 'ask'; readonly id: number; readonly sequence: number; readonly request: HistoryRequest }
  /** Is answered once the index has everything up to the sequence. */
  | { readonly type: 'reach'; readonly id: number; readonly sequence: number }
  /** The memory of an answer that nobody reads any more. */
  | { readonly type: 'memory'; readonly memory: SharedArrayBuffer }
  /** What is indexed is to be committed; then the thread ends. */
  | { readonly type: 'close' };

export type FromThread =
  | { readonly type: 'answer'; readonly id: number; readonly bytes: Uint8Array | undefined }
  | { readonly type: 'refused'; readonly id: number; readonly reason: string }
  /** Memory in which the thread shows totals of markets (totals.ts) or numbers of accounts (traded.ts) from now on. */
  | { readonly type: 'board'; readonly of: 'markets' | 'accounts'; readonly memory: SharedArrayBuffer }
  /** The index is being brought up to date: records done, of how many. */
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string; readonly reason: string };
