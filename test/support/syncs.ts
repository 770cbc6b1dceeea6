// Records in order which folders are made, which files are renamed, and which files and folders are flushed: after a power
// loss, a flushed folder keeps its names and a flushed file its content. Used by the tests of what must be there afterwards.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Runs `run` and returns `made PATH`, `named PATH` and `synced PATH` entries, in the order in which it did so in this process. */
export async function watchSyncs(run: () => unknown): Promise<string[]> {
  const { mkdirSync, openSync, fsyncSync, renameSync } = fs;
  const seen: string[] = [];
  const paths = new Map<number, string>();
  fs.mkdirSync = ((path: string, options?: fs.MakeDirectoryOptions) => {
    const isNew = !fs.existsSync(path);
    const first = mkdirSync(path, options);
    if (isNew) seen.push(`made ${path}`);
    return first;
  }) as typeof mkdirSync; // called with the path as text
  fs.openSync = (path, ...how) => {
    const descriptor = openSync(path, ...how);
    paths.set(descriptor, String(path));
    return descriptor;
  };
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    seen.push(`named ${to}`);
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
    Object.assign(fs, { mkdirSync, openSync, fsyncSync, renameSync });
    syncBuiltinESMExports();
  }
}
