// The process that reads a journal before the exchange does: all the records that a start may read, from the oldest snapshot on.
// Started by firstLook.ts with the data directory as its argument. What it finds wrong is said by the start, which finds it too;
// what matters is whether this process lives to its end.
import { JournalReader, SnapshotFolder } from '../../engine/index.ts';

const dataDir = process.argv[2];
const reader = new JournalReader(dataDir, 'readByLmdb');
const oldest = new SnapshotFolder(dataDir).list().at(-1);
for (const _ of reader.read(oldest?.sequence ?? 1));
await reader.close();
