// Reads an owner's messages that are no longer in memory from the journal, on a thread of its own. The same views and the same
// feed follow the log from its first record, so the messages are identical to those sent. One question at a time; owners
// alternate, so that none waits for all that another asks for. What nobody wants any more is not read, or not on to the end of
// the log. Without a data directory there is no log to read.
import { Worker } from 'node:worker_threads';
import { reasonOf } from '../../engine/index.ts';

type Take = (messages: readonly string[]) => Promise<boolean>;

/** Reads messages that are no longer in memory from the log. */
export interface UserLog {
  /**
   * Hands over the messages of an owner's stream numbered (after, last] in order, a few at a time, until `take` resolves with
   * false. `take` is called with no messages to ask whether they are still wanted: first, and whenever a part of the log has
   * few of them. Resolves when reading is over. One question at a time is served, over all sockets; those of one owner in order
   * of arrival.
   *
   * @param leaving a question that waits for its turn leaves the line when this aborts
   */
  read(question: UserLogQuestion, take: Take, leaving: AbortSignal): Promise<void>;
}

interface UserLogQuestion {
  readonly owner: string;
  readonly marketIndex: number | undefined;
  readonly streamId: string;
  readonly after: number;
  readonly last: number;
}

/** The task given to the thread. */
export interface UserLogTask extends UserLogQuestion {
  readonly dataDir: string;
}

/** Messages from the thread: an owner's messages in order, and finally the end. */
export type UserLogNews = { readonly messages: readonly string[] } | { readonly isDone: true };

/** The reply to each batch of messages: whether the thread must continue. */
export interface UserLogAnswer {
  readonly wantsMore: boolean;
}

/**
 * A reader of a data directory's log; undefined without a data directory.
 *
 * @param onFailure told why the log could not be read, once while the reason stays the same: clients are told less
 */
export function makeUserLog(dataDir: string | undefined, onFailure: (reason: string) => void): UserLog | undefined {
  if (dataDir === undefined) return undefined;
  let lastFailure: string | undefined;
  const readOn = async (question: UserLogQuestion, take: Take): Promise<void> => {
    try {
      await runThread({ ...question, dataDir }, take);
      lastFailure = undefined;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== lastFailure) onFailure(reason);
      lastFailure = reason;
      throw error;
    }
  };
  /** Each owner's waiting questions in order of arrival. The owner whose turn it is comes first, even if no other waits. */
  const lines = new Map<string, Set<() => Promise<void>>>();
  const serve = async (): Promise<void> => {
    for (const [owner, line] of lines) {
      const [turn] = line;
      line.delete(turn);
      await turn();
      lines.delete(owner);
      if (line.size > 0) lines.set(owner, line); // after all the others: the loop comes to it again
    }
  };
  const read = (question: UserLogQuestion, take: Take, leaving: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const { owner } = question;
      const answer = async (): Promise<void> => {
        // No thread is started if the client no longer wants the messages after its wait.
        if (await take([])) await readOn(question, take);
      };
      const turn = (): Promise<void> => answer().then(resolve, reject);
      const isIdle = lines.size === 0;
      const line = lines.get(owner) ?? new Set();
      lines.set(owner, line.add(turn));
      const leave = (): void => {
        if (!line.delete(turn)) return; // its turn has come
        const [served] = lines.keys();
        if (line.size === 0 && owner !== served) lines.delete(owner);
        resolve();
      };
      leaving.addEventListener('abort', leave, { once: true });
      if (isIdle) void serve();
    });
  return { read };
}

function runThread(task: UserLogTask, take: Take): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./userLogThread.ts', import.meta.url), { workerData: task });
    thread.unref();
    let taken: Promise<void> = Promise.resolve();
    let isDone = false;
    thread.on('message', (news: UserLogNews) => {
      if ('isDone' in news) {
        isDone = true;
        return;
      }
      // The thread waits for this reply before it continues: the back pressure keeps a slow reader's messages from piling up
      // here.
      taken = taken.then(() => take(news.messages)).then((wantsMore) => thread.postMessage({ wantsMore }));
      taken.catch(() => {});
    });
    thread.once('error', reject);
    thread.once('exit', () => {
      taken.then(() => {
        if (isDone) resolve();
        else reject(new Error('the thread that reads the log ended before it was done'));
      }, reject);
    });
  });
}
