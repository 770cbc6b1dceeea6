// Queries to the system whose answers are shown as figures. A hanging disk must not prevent the figures from being read,
// since that is when they are needed: an answer that fails or is late is left out. Used by the other files of this folder.
import { stat } from 'node:fs/promises';
import { withDeadline } from '../../engine/index.ts';

const ANSWER_MS_MAX = 100;

/** The promise's value if it resolves soon; undefined if it does not, or rejects. */
export async function soon<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await withDeadline(asked, ANSWER_MS_MAX);
  } catch {
    return undefined;
  }
}

/** Length of a file in bytes; undefined if it cannot be determined in time. */
export async function fileBytes(file: string): Promise<number | undefined> {
  return (await soon(stat(file)))?.size;
}
