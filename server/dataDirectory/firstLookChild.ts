// The process that reads a journal before the exchange does: every record that a start may read, from the oldest snapshot
// on. Started by firstLook.ts with the data directory as its argument. It reports nothing, since the start finds the same
// faults: it only matters whether this process survives.
import { JournalReader, SnapshotFolder } from '../../engine/index.ts';

const dataDir = process.argv[2];
const reader = new JournalReader(dataDir, 'readByLmdb');
const oldest = new SnapshotFolder(dataDir).list().at(-1);
for (const _ of reader.read(oldest?.sequence ?? 1));
await reader.close();
