// The process that reads a journal before the exchange does: every record that a start may read, from the oldest snapshot
// on. Started by firstLook.ts with the data directory as its argument. It reports nothing, since the start finds the same
// faults: it only matters whether this process survives. It holds the directory's lock meanwhile: if another process wrote
// while this one opens LMDB, a batch of its could be lost. It never releases that lock, so that the journal still counts as
// not closed in order.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DataDirectory, JournalReader, SnapshotFolder } from '../../engine/index.ts';
import { endWithParent, leaveParent } from '../process/childProcess.ts';

endWithParent();
await nextTurn(); // a start that has ended since is noticed in a turn, as below
const { path: dataDir } = new DataDirectory(process.argv[2]);
const reader = new JournalReader(dataDir, 'readByLmdb');
const oldest = new SnapshotFolder(dataDir).list().at(-1);
for (const _ of reader.read(oldest?.sequence ?? 1)) await nextTurn();
await reader.close();
leaveParent();
