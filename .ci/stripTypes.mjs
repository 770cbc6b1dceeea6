// Strips the types of .ts files in a thread of its own, where Node would do it in the thread of the program. Node's stripper
// is WebAssembly, and once its memory has grown V8 checks at each access to a typed array of that thread whether its memory
// was taken away: up to a third of the engine's time. Given to Node as --import, by ensure.mjs and by the benches.
// It must never change what a file does: it answers with the same stripper's text.
import { readFile } from 'node:fs/promises';
import { register, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

// The second time this file is loaded it is by the thread that `load` runs on.
if (isMainThread) register(import.meta.url);

/** Node's hook: the source of a module. */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  return { format: 'module', source: stripTypeScriptTypes(text), shortCircuit: true };
}
