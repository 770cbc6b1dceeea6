// The world that the history bench queries: found in the folder of an earlier run, or built there once by a child process
// (builder.ts). Used by bench/history.ts and by the child, so both agree on the question and its answer.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../lib/talk.ts';
import type { WorldSize } from './names.ts';

/** A finished world: its size and the last sequence of its log. */
export interface World extends WorldSize {
  readonly lastSequence: number;
}

interface BuildQuestion {
  readonly dataDir: string;
  readonly size: WorldSize;
}

/** The question as it arrived. */
export function parseBuildQuestion(question: unknown): BuildQuestion {
  return question as BuildQuestion; // only ensureWorld of this file sends any
}

const MARK = 'bench-world.json';

/** The finished world in a folder; undefined when there is none. */
function worldIn(dataDir: string): World | undefined {
  const file = join(dataDir, MARK);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

const sizeText = ({ trades, wallets, markets }: WorldSize): string =>
  `${trades} trades, ${wallets} wallets, ${markets} markets`;

/** The world in this folder, which is built there unless it exists. Throws when the folder holds one of another size. */
export async function ensureWorld(dataDir: string, size: WorldSize): Promise<World> {
  const found = worldIn(dataDir);
  if (found !== undefined) {
    if (sizeText(found) === sizeText(size)) return found;
    throw new RangeError(
      `${dataDir} holds a world of ${sizeText(found)}, not of ${sizeText(size)}: name another --data.`,
    );
  }
  if (existsSync(join(dataDir, 'journal'))) {
    throw new RangeError(`${dataDir} holds a journal that is no finished world of this bench: name another --data.`);
  }
  mkdirSync(dataDir, { recursive: true });
  const child = startChild(join(import.meta.dirname, './builder.ts'));
  try {
    const built = (await child.ask({ dataDir, size } satisfies BuildQuestion)) as World; // builder.ts answers nothing else
    writeFileSync(join(dataDir, MARK), `${JSON.stringify(built)}\n`);
    return built;
  } finally {
    child.end();
  }
}
