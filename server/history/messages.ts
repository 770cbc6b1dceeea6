// The messages between the main thread (historian.ts) and the historian's thread (thread.ts). Types alone: plain data crosses;
// the bytes of answers are transferred or, if long, shared, never copied.
import type { HistoryRequest } from '../wire/historyQueries.ts';

/** The thread's settings at start. */
export interface ThreadSettings {
  /** Folder of the index. */
  readonly indexPath: string;
  /** The data directory whose journal is followed; undefined if batches are handed over instead. */
  readonly dataDir: string | undefined;
  /** Begin with an empty index, even if one exists. */
  readonly isFresh: boolean;
  /** Most log records per commit while catching up. */
  readonly recordsPerCommit: number;
  /** A question whose records are not indexed after this time (ms) is refused. */
  readonly waitMsMax?: number | undefined;
}

export type ToThread =
  /** Everything up to this sequence is durable in the journal. */
  | { readonly type: 'durable'; readonly sequence: number }
  /** A durable batch of records, if there is no journal on disk. */
  | { readonly type: 'batch'; readonly bytes: Uint8Array; readonly sequence: number }
  /** A question, to be answered as of the sequence or later. */
  | { readonly type: 'ask'; readonly id: number; readonly sequence: number; readonly request: HistoryRequest }
  /** Answered once the index has everything up to the sequence. */
  | { readonly type: 'reach'; readonly id: number; readonly sequence: number }
  /** Returns the memory of an answer that is no longer read. */
  | { readonly type: 'memory'; readonly memory: SharedArrayBuffer }
  /** Commits what is indexed; then the thread ends. */
  | { readonly type: 'close' };

export type FromThread =
  | { readonly type: 'answer'; readonly id: number; readonly bytes: Uint8Array | undefined }
  | { readonly type: 'refused'; readonly id: number; readonly reason: string }
  /** The memory in which the thread shows totals of markets (totals.ts) or numbers of accounts (traded.ts) from now on. */
  | { readonly type: 'board'; readonly of: 'markets' | 'accounts'; readonly memory: SharedArrayBuffer }
  /** The index is catching up: records done and in total. */
  | { readonly type: 'progress'; readonly done: number; readonly total: number }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly text: string; readonly reason: string };
