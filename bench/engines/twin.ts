// Builds and runs the C++ twin of the book core where g++ or clang++ is present. Called by matching.ts and its test: the twin is
// one more engine on the same op file, with the same totals. Without a compiler there is no twin, which is no failure.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { engineEnvironment } from '../lib/askNode.ts';
import type { ChildAnswer, ChildRequest } from './child.ts';

const run = promisify(execFile);
const source = join(import.meta.dirname, 'bookCoreTwin.cpp');
const compilers = ['g++', 'clang++'] as const;

/** Compiles the twin into a folder and returns its path; undefined without a compiler. Throws when it does not compile. */
export async function buildTwin(folder: string): Promise<string | undefined> {
  const program = join(folder, 'twin');
  for (const compiler of compilers) {
    try {
      await run(compiler, ['-std=c++17', '-O3', '-o', program, source]);
      return program;
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing) throw error;
    }
  }
  return undefined;
}

/** Runs the twin and returns what child.ts answers for the other engines. */
export async function askTwin(program: string, request: Omit<ChildRequest, 'engine'>): Promise<readonly ChildAnswer[]> {
  const { opFilePath, ticks, books, untimedOps, checkpoints } = request;
  const args = [opFilePath, ticks, books, untimedOps, ...checkpoints].map(String);
  const { stdout } = await run(program, args, { env: engineEnvironment() });
  return JSON.parse(stdout);
}
