// A process under the shim whose disk refuses everything: it opens new environments of journal and histories one after the
// other, and prints the errors with their counts. Started by ioFaults.test.ts with the folder as its argument.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../engine/index.ts';
import { LmdbStore } from '../../engine/journal/index.ts';
import { IndexStore } from '../../server/history/store.ts';

const ROUNDS = 100;
const folder = process.argv[2];
const errorCounts = new Map<string, number>();

writeFileSync(join(folder, 'shim-readonly'), '');
for (let round = 0; round < ROUNDS; round += 1) {
  for (const openStore of [(path: string) => new LmdbStore(path), (path: string) => new IndexStore(path, false)]) {
    const path = join(folder, `new-${round}`);
    mkdirSync(path, { recursive: true });
    try {
      openStore(path);
    } catch (error) {
      const text = reasonOf(error);
      errorCounts.set(text, (errorCounts.get(text) ?? 0) + 1);
    }
  }
}
process.stdout.write(`${JSON.stringify([...errorCounts])}\n`);
