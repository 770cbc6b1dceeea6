// Opens an exchange: takes its data directory, makes its store and starts it, and undoes all that if the start fails. Called by
// whoever runs one: the server and tests.
import { type BatchStore, DataDirectory, MemoryStore, PartedStore, SnapshotFolder } from '../journal/index.ts';
import { releaseDirectory } from './directory.ts';
import { InlineExchange, type InlineParts } from './inline.ts';
import type { ExchangeOptions, RunningExchange } from './types.ts';

/**
 * Opens the data directory, loads its newest snapshot, replays the journal after it into the reducers and followers, and
 * submits Started. Throws DataDirectoryLocked, FormatUnsupported, JournalDamaged, JournalArchived, RecoveryDiffers,
 * RulesVersionUnknown, ClockBehindJournal or SnapshotUnusable.
 */
export async function openExchange(options: ExchangeOptions, parts: InlineParts = {}): Promise<RunningExchange> {
  const directory = options.dataDir === undefined ? undefined : new DataDirectory(options.dataDir);
  let store: BatchStore | undefined;
  let exchange: InlineExchange | undefined;
  try {
    store =
      parts.store ??
      (directory === undefined
        ? new MemoryStore(false)
        : new PartedStore(directory.path, 'write', options.releaseReaders));
    const snapshots = directory === undefined ? undefined : new SnapshotFolder(directory.path);
    exchange = new InlineExchange(options, directory, snapshots, store, parts);
    await exchange.start(store);
    return exchange;
  } catch (error) {
    if (exchange === undefined) await store?.close();
    else await exchange.abandon();
    if (directory !== undefined && store?.isLeftOpen !== true) releaseDirectory(directory, options.log);
    throw error;
  }
}
