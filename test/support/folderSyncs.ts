// What happens to folders, in its order: which are made and which are flushed, so that a loss of power leaves the names in
// them. Used by the tests of what has to be there afterwards.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Runs it; returns `made PATH` and `synced PATH`, in the order in which it did so in this process. */
export function watchFolders(run: () => void): string[] {
  const { mkdirSync, openSync, fsyncSync } = fs;
  const seen: string[] = [];
  const paths = new Map<number, string>();
  fs.mkdirSync = ((path: string) => {
    mkdirSync(path);
    seen.push(`made ${path}`);
  }) as typeof mkdirSync; // called with a path alone
  fs.openSync = (path, ...how) => {
    const descriptor = openSync(path, ...how);
    paths.set(descriptor, String(path));
    return descriptor;
  };
  fs.fsyncSync = (descriptor) => {
    fsyncSync(descriptor);
    seen.push(`synced ${paths.get(descriptor)}`);
  };
  syncBuiltinESMExports();
  try {
    run();
    return seen;
  } finally {
    Object.assign(fs, { mkdirSync, openSync, fsyncSync });
    syncBuiltinESMExports();
  }
}
