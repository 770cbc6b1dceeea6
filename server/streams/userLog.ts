// Messages of an owner that are no longer in memory, read from the journal again by a thread of its own: the log is
// followed from its first record by the same views and the same feed, so that the messages are those that were sent. One
// question at a time. Without a data directory there is no log to read.
import { Worker } from 'node:worker_threads';
import type { UserLog, UserLogQuestion } from './userChannel.ts';

/** What the thread is told. */
export interface UserLogTask extends UserLogQuestion {
  readonly dataDir: string;
}

/** What the thread says: messages in order, and at last that there are no more. */
export type UserLogNews = { readonly messages: readonly string[] } | { readonly isDone: true };

/** What the thread hears of messages: whether it is to go on. */
export interface UserLogAnswer {
  readonly wantsMore: boolean;
}

type Take = (messages: readonly string[]) => Promise<boolean>;

/** The log of a data directory; undefined has none. */
export function makeUserLog(dataDir: string | undefined): UserLog {
  let latest: Promise<unknown> = Promise.resolve();
  const read = (question: UserLogQuestion, take: Take): Promise<boolean> => {
    if (dataDir === undefined) return Promise.resolve(false);
    const task: UserLogTask = { ...question, dataDir };
    // Whoever waited may want it no longer: then no thread is started.
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
      // The thread waits for this answer before it goes on, so that a slow reader's messages don't pile up here.
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
