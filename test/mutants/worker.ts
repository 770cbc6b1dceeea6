// Tries mutants, one after the other, in a process of its own: loads the core with one change in it beside the unchanged
// rest of the engine, and checks it against the traces. Started by main.ts, which kills it when a mutant loops endlessly;
// answers one line of JSON a mutant. Nothing on disk is changed.
import { registerHooks } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { Exchange } from '../../engine/core/index.ts';
import { differenceFrom, type Questions } from './killer.ts';
import { coreFiles, coreFolder, type Mutant, mutantsOf, strippedSource } from './sites.ts';
import { readRecording } from './traces.ts';

const [traceFile, selection] = process.argv.slice(2);
const recording = readRecording(traceFile);
const mutants = mutantsOf(coreFiles, selection === 'every');
const coreUrl = `${pathToFileURL(coreFolder).href}/`;
const sources = new Map<string, string>();
/** Followed by the mutant's id in the URLs of its modules. */
const MUTANT_QUERY = '?mutant=';

function sourceOf(file: string): string {
  let source = sources.get(file);
  if (source === undefined) {
    source = strippedSource(file);
    sources.set(file, source);
  }
  return source;
}

function mutated({ file, at, from, to }: Mutant): string {
  const source = sourceOf(file);
  return `${source.slice(0, at)}${to}${source.slice(at + from.length)}`;
}

// A core whose URL has the query is loaded anew, with the change of that mutant in one of its files.
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const queryAt = context.parentURL?.indexOf(MUTANT_QUERY) ?? -1;
    if (queryAt < 0 || !resolved.url.startsWith(coreUrl)) return resolved;
    return { ...resolved, url: `${resolved.url}${context.parentURL?.slice(queryAt) ?? ''}` };
  },
  load: (url, context, next) => {
    const queryAt = url.indexOf(MUTANT_QUERY);
    if (queryAt < 0) return next(url, context);
    const file = url.slice(coreUrl.length, queryAt);
    const mutant = mutants[Number(url.slice(queryAt + MUTANT_QUERY.length))];
    const source = mutant?.file === file ? mutated(mutant) : sourceOf(file);
    return { format: 'module', source, shortCircuit: true };
  },
});

/** Whether a file checks a state or a snapshot: only mutants of such files can detect damage differently. */
const questionsTo = (file: string): Questions => ({
  invariants: /check(?:Core|Invariants|Index)\(/.test(sourceOf(file)),
  snapshots: sourceOf(file).includes('requireSound('),
});

async function tryMutant(id: number): Promise<string | undefined> {
  try {
    const module: { readonly Exchange: new () => Exchange } = await import(`${coreUrl}exchange.ts${MUTANT_QUERY}${id}`);
    return differenceFrom(recording, module.Exchange, questionsTo(mutants[id].file));
  } catch (error) {
    return `loading: ${error instanceof Error ? error.message.slice(0, 100) : String(error)}`;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ detectedBy: await tryMutant(Number(line)) }));
}
