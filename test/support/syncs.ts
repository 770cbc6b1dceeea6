// Records in order which folders are made and which files and folders are flushed: after a power loss, a flushed folder
// keeps its names and a flushed file its content. Used by the tests of what must be there afterwards.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Runs `run` and returns `made PATH` and `synced PATH` entries, in the order in which it did so in this process. */
export async function watchSyncs(run: () => unknown): Promise<string[]> {
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
    await run();
    return seen;
  } finally {
    Object.assign(fs, { mkdirSync, openSync, fsyncSync });
    syncBuiltinESMExports();
  }
}
