// The yardstick for the historian's answers: an LMDB environment of the bench's own with finished rows by key, read one by
// one and turned into JSON. Used by measure.ts. It knows nothing of the historian's index.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';

export class Yardstick {
  private readonly folder = mkdtempSync(join(tmpdir(), 'outcry-yardstick-'));
  private readonly database: RootDatabase<unknown, number> = open({
    path: this.folder,
    overlappingSync: false,
    noSync: true,
  });
  private next = 1;

  /** Stores the rows and returns their keys; they can be read once `stored` has resolved. */
  store(rows: readonly unknown[]): readonly number[] {
    return rows.map((row) => {
      this.next += 1;
      void this.database.put(this.next, row);
      return this.next;
    });
  }

  /** Resolves when all rows can be read. */
  async stored(): Promise<void> {
    await this.database.committed;
  }

  /** The rows with these keys, as JSON. */
  read(keys: readonly number[]): string {
    return JSON.stringify(keys.map((key) => this.database.get(key)));
  }

  async close(): Promise<void> {
    await this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
