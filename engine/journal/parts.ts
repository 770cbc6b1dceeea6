// The list of archived parts of a journal, `archive.json` in the data directory: which records lie in which folder, in order
// and without a gap from the first record on. Written by archive.ts, read when a journal is opened. A part is only listed once
// it has been read back; the journal may still hold the same records.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../protocol/index.ts';
import { JournalArchived } from './errors.ts';
import { isExhausted, writeWhole } from './files.ts';
import { isSequence } from './store.ts';

const FILE = 'archive.json';

/** Records that were archived, in an environment below a folder. */
export interface ArchivedPart {
  readonly folder: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** The running hash (hex) after its last record. */
  readonly hash: string;
}

export interface ArchiveList {
  /** The running hash (hex) after the journal's first record, which identifies the journal. */
  readonly journal: string;
  readonly parts: readonly ArchivedPart[];
}

const EMPTY_LIST: ArchiveList = { journal: '', parts: [] };

/** The archived parts of a data directory's journal. Throws JournalArchived when the list cannot be read, unless isExhausted. */
export function readArchiveList(dataDir: string): ArchiveList {
  const file = join(dataDir, FILE);
  if (!existsSync(file)) return EMPTY_LIST;
  try {
    return listOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    if (isExhausted(error)) throw error;
    throw new JournalArchived(`The archive list ${file} cannot be read: ${reasonOf(error)}.`);
  }
}

/** Replaces the list, atomically and durably. */
export function writeArchiveList(dataDir: string, list: ArchiveList): void {
  writeWhole(join(dataDir, FILE), `${JSON.stringify(list, undefined, 2)}\n`);
}

function listOf(value: unknown): ArchiveList {
  const { journal, parts } = value as Partial<ArchiveList>; // looked at below
  if (typeof journal !== 'string' || !Array.isArray(parts)) throw new Error('it is not an archive list');
  let next = 1;
  for (const part of parts) {
    const { folder, firstSequence, lastSequence, hash } = (part ?? {}) as Partial<ArchivedPart>; // looked at here
    if (typeof folder !== 'string' || typeof hash !== 'string') throw new Error('a part has no folder or no hash');
    if (firstSequence !== next) throw new Error(`the part in ${folder} does not begin at record ${next}`);
    if (!isSequence(lastSequence) || lastSequence < firstSequence) {
      throw new Error(`the part in ${folder} cannot end at record ${JSON.stringify(lastSequence)}`);
    }
    next = lastSequence + 1;
  }
  return { journal, parts };
}
