// Replays a log in a process of its own and prints the resulting state hashes as one line of JSON. Started by
// metamorphic.test.ts with the path of a file that holds the batches of a simulated disk.
import { readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { Reducers } from '../../engine/index.ts';
import { readBatches } from '../../engine/journal/journal.ts';
import type { StoredBatch } from '../../engine/journal/store.ts';
import { replayRecords } from '../../engine/pipeline/recovery.ts';
import { Disk, FaultyStore } from './disk.ts';

const disk = new Disk();
disk.batches = (deserialize(readFileSync(process.argv[2])) as StoredBatch[]) // as the test wrote it
  .map(({ firstSequence, bytes }) => ({ firstSequence, bytes: Buffer.from(bytes) }));
const reducers = new Reducers();
for (const records of readBatches(new FaultyStore(disk), 1)) {
  replayRecords(records, reducers, () => {});
}
console.log(JSON.stringify(reducers.stateHash()));
