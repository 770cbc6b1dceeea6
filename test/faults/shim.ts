// Compiles shim.c, the layer between a process and its files, and makes the environment for a process under it. Used by the
// tests of failing disks and of power loss, which say in one line when there is no compiler.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const source = join(import.meta.dirname, 'shim.c');
/** The file of the folder to which orders are written. */
export const CONTROL_FILE = 'shim-control';

/** The library's path, compiled once per machine; undefined without a compiler, or off Linux. */
export function shimLibrary(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const name = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const library = join(tmpdir(), `outcry-shim-${name}.so`);
  if (existsSync(library)) return library;
  const draft = `${library}.${process.pid}`;
  const args = ['-shared', '-fPIC', '-O1', '-o', draft, source, '-ldl', '-lpthread'];
  for (const compiler of ['cc', 'gcc', 'clang']) {
    if (spawnSync(compiler, args, { stdio: 'ignore' }).status !== 0) continue;
    renameSync(draft, library);
    return library;
  }
  return undefined;
}

/** The environment of a process whose files in this folder are to be watched. */
export function shimEnvironment(library: string, folder: string, logFile?: string): Readonly<Record<string, string>> {
  const log: Record<string, string> = logFile === undefined ? {} : { SHIM_LOG: logFile };
  return { LD_PRELOAD: library, SHIM_FOLDER: folder, ...log };
}
