// The errors that end the historian's thread, and which of them say nothing about its index. From IndexDamaged the thread
// recovers by rebuilding the index; after LogUnreadable and CommitFailed it is started again with the index that it has.
// Meanwhile questions get HistorianUnavailable (wire/historyQueries.ts). A client never causes any of them.
import { isRefusedBySystem } from '../../engine/index.ts';

/** The index holds data that this program never writes; it is dropped and rebuilt from the journal. */
export class IndexDamaged extends Error {
  override readonly name = 'IndexDamaged';
}

/** The log cannot be read at present; the text is that of the cause. */
export class LogUnreadable extends Error {
  override readonly name = 'LogUnreadable';
}

/** The system refused a commit of the index; the text is that of the cause. What was committed before is as it was. */
export class CommitFailed extends Error {
  override readonly name = 'CommitFailed';
}

const NOT_OF_INDEX: readonly string[] = ['LogUnreadable', 'CommitFailed'];

/**
 * Whether a failure says nothing about the content of the index, which is kept then. Errors are known by their names: one that
 * ends a thread loses its class on the way.
 */
export const keepsIndex = (error: unknown): boolean =>
  isRefusedBySystem(error) || (error instanceof Error && NOT_OF_INDEX.includes(error.name));
