// The errors that keep the historian from answering. Thrown by its handle and its tables. The HTTP layer turns the first into a
// 503; the thread recovers from the second by rebuilding the index. A client never causes either.
import { codeOf, isOfSystem } from '../../engine/index.ts';

/** What the system says of a file that will not be readable later either: the disk cannot read it, or it is a folder. */
const UNREADABLE: readonly string[] = ['EIO', 'EISDIR'];

/** Whether the system does not let us use a file now, as when too many are open: that says nothing about its content. */
export const isRefusedBySystem = (error: unknown): boolean => isOfSystem(error) && !UNREADABLE.includes(codeOf(error));

/** The historian cannot answer at present, for an internal reason; it is recovering, so a later retry helps. */
export class HistorianUnavailable extends Error {
  override readonly name = 'HistorianUnavailable';
  readonly reason: string;

  constructor(reason: string) {
    super(`The history cannot be read at present: ${reason}`);
    this.reason = reason;
  }
}

/** The index holds data that this program never writes; it is dropped and rebuilt from the journal. */
export class IndexDamaged extends Error {
  override readonly name = 'IndexDamaged';
}
