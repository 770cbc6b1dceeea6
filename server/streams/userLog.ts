// Reads an owner's messages that are no longer in memory from the journal, on a thread of its own. The same views and the same
// feed follow the log from its first record, so the messages are identical to those sent. One question at a time. Without a
// data directory there is no log to read.
import { Worker } from 'node:worker_threads';
import type { UserLog, UserLogQuestion } from './userChannel.ts';

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

type Take = (messages: readonly string[]) => Promise<boolean>;

/** A reader of a data directory's log; if `dataDir` is undefined, there is no log. */
export function makeUserLog(dataDir: string | undefined): UserLog {
  let latest: Promise<unknown> = Promise.resolve();
  const read = (question: UserLogQuestion, take: Take): Promise<boolean> => {
    if (dataDir === undefined) return Promise.resolve(false);
    const task: UserLogTask = { ...question, dataDir };
    // No thread is started if the client no longer wants the messages after its wait.
    const next = latest.then(async () => (await take([])) === false || (await runThread(task, take)));
    latest = next.catch(() => {});
    return next;
  };
  return { read };
}

function runThread(task: UserLogTask, take: Take): Promise<boolean> {
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
        if (isDone) resolve(true);
        else reject(new Error('the thread that reads the log ended before it was done'));
      }, reject);
    });
  });
}
