// Reads an owner's messages that are no longer in memory from the journal, on a thread of its own. The same views and the same
// feed follow the log from its first record, so the messages are identical to those sent. One question at a time; owners
// alternate, so that none waits for all that another asks for. Without a data directory there is no log to read.
import { Worker } from 'node:worker_threads';

type Take = (messages: readonly string[]) => Promise<boolean>;

/** Reads messages that are no longer in memory from the log. */
export interface UserLog {
  /**
   * Hands over the messages of an owner's stream numbered (after, last] in order, a few at a time, until `take` resolves with
   * false. `take` is first called with no messages, to ask whether they are still wanted. Resolves when reading is over. One
   * question at a time is served, over all sockets; those of one owner in order of arrival.
   */
  read(question: UserLogQuestion, take: Take): Promise<void>;
}

export interface UserLogQuestion {
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

/** A reader of a data directory's log; undefined without a data directory. */
export function makeUserLog(dataDir: string | undefined): UserLog | undefined {
  if (dataDir === undefined) return undefined;
  /** Each owner's unanswered questions in order of arrival; the owner whose turn it is comes first. */
  const lines = new Map<string, (() => Promise<void>)[]>();
  const serve = async (): Promise<void> => {
    for (const [owner, line] of lines) {
      await line[0]();
      line.shift();
      lines.delete(owner);
      if (line.length > 0) lines.set(owner, line); // after all the others: the loop comes to it again
    }
  };
  const read = (question: UserLogQuestion, take: Take): Promise<void> =>
    new Promise((resolve, reject) => {
      const answer = async (): Promise<void> => {
        // No thread is started if the client no longer wants the messages after its wait.
        if (await take([])) await runThread({ ...question, dataDir }, take);
      };
      const turn = (): Promise<void> => answer().then(resolve, reject);
      const line = lines.get(question.owner);
      if (line !== undefined) {
        line.push(turn);
        return;
      }
      lines.set(question.owner, [turn]);
      if (lines.size === 1) void serve();
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
