// The world that the history bench asks about: found in a folder of an earlier run, or built there once by a child process
// (builder.ts). Used by bench/history.ts and by the child, so that both agree on what is asked and answered.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../lib/talk.ts';
import type { WorldSize } from './names.ts';

/** A world that is built: its size and where its log ends. */
export interface World extends WorldSize {
  readonly lastSequence: number;
}

export interface BuildQuestion {
  readonly dataDir: string;
  readonly size: WorldSize;
}

/** The question as it arrived. */
export function parseBuildQuestion(question: unknown): BuildQuestion {
  return question as BuildQuestion; // only ensureWorld of this file sends any
}

const MARK = 'bench-world.json';

/** The world that lies in a folder; undefined for none that was finished. */
function worldIn(dataDir: string): World | undefined {
  const file = join(dataDir, MARK);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

const sizeText = ({ trades, wallets, markets }: WorldSize): string =>
  `${trades} trades, ${wallets} wallets, ${markets} markets`;

/** The world of this folder, built there unless it is. Throws when the folder holds one of another size. */
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
