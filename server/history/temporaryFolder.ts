// Folders for the indexes of exchanges without a data directory. Each is removed when its historian closes, or when the
// process ends without closing it. Used by historian.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

/** @throws Error if there is no folder for temporary files, or nothing can be written there */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'outcry-history-'));
  if (folders.size === 0) process.on('exit', removeAll);
  folders.add(folder);
  return folder;
}

export function removeTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
  if (folders.size === 0) process.off('exit', removeAll);
}

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
