// The thread that reads an owner's messages from the journal. userLog.ts starts it with one task; it ends when that is done. It
// opens the journal read-only and follows it with its own views and feed.
import { parentPort, workerData } from 'node:worker_threads';
import { DecodedRecord, JournalReader } from '../../engine/index.ts';
import { streamSettings } from '../config/streamSettings.ts';
import { failThread } from '../process/thread.ts';
import { Views } from '../views/index.ts';
import { StreamFeed } from './feed.ts';
import type { UserLogAnswer, UserLogNews, UserLogTask } from './userLog.ts';
import { userMessage } from './userMessage.ts';

const MESSAGES_PER_BATCH = 256;
/** Records after which a batch is sent in any case, if only to ask whether to continue: some tens of milliseconds. */
const RECORDS_PER_BATCH = 8_192;

/** @param tell sends news to userLog.ts and resolves with whether to continue */
async function run(task: UserLogTask, tell: (news: UserLogNews) => Promise<boolean>): Promise<void> {
  const { owner, marketIndex, streamId, after, last, dataDir } = task;
  const views = new Views();
  const feed = new StreamFeed(views, { ...streamSettings, userEntriesMax: 1, changesMax: 1, changesPerMarketMax: 1 });
  let found: string[] = [];
  let count = 0;
  let unaskedRecords = 0;
  const wanted = feed.users.stream(owner);
  feed.users.onEntry = (stream, entry) => {
    if (stream !== wanted || (marketIndex !== undefined && entry.marketIndex !== marketIndex)) return;
    const number = marketIndex === undefined ? entry.number : entry.marketNumber;
    if (number <= after || number > last) return;
    const text = userMessage(views, entry, owner, streamId, number);
    count += 1;
    if (text !== undefined) found.push(text);
  };
  const followers = [...views.followers(), ...feed.followers()];
  const reader = new JournalReader(dataDir);
  for (const records of reader.read()) {
    for (const source of records) {
      const record = new DecodedRecord(source);
      for (const follower of followers) follower.apply(record);
    }
    unaskedRecords += records.length;
    if (found.length >= MESSAGES_PER_BATCH || unaskedRecords >= RECORDS_PER_BATCH) {
      unaskedRecords = 0;
      const messages = found;
      found = [];
      if (!(await tell({ messages }))) break;
    }
    if (count >= last - after) break;
  }
  if (found.length > 0) await tell({ messages: found });
  await reader.close();
}

function begin(): void {
  const port = parentPort;
  if (port === null) return;
  const tell = (news: UserLogNews): Promise<boolean> =>
    new Promise((resolve) => {
      port.once('message', ({ wantsMore }: UserLogAnswer) => resolve(wantsMore));
      port.postMessage(news);
    });
  // userLog.ts starts the thread with a task.
  run(workerData as UserLogTask, tell).then(() => {
    port.postMessage({ isDone: true } satisfies UserLogNews);
    port.close();
  }, failThread);
}

// Starts once every module is loaded: a thread that fails during loading can crash V8, and the process with it.
setImmediate(begin);
