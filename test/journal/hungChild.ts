// A process of flushWatchdog.test.ts whose journal's store never answers a write and keeps nothing open. It closes the
// journal and reports that.
import { Journal, MemoryStore } from '../../engine/journal/index.ts';
import { appendRange, quickRetry, recordingListener } from './support.ts';

class HungStore extends MemoryStore {
  isClosed = false;

  override write(): Promise<void> {
    return new Promise(() => {});
  }

  override async close(): Promise<void> {
    this.isClosed = true;
  }
}

const store = new HungStore(true);
const journal = new Journal(store, recordingListener(), { ...quickRetry, flushMs: 150 });
appendRange(journal, 1, 1);
await journal.close(50);
console.log(store.isClosed ? 'closed, and the store with it' : 'closed, but not the store');
