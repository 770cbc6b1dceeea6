// Questions to the system whose answers are shown as figures. A disk that hangs must not keep figures from being read, since
// that is when they are wanted: what is not answered in time, or at all, is left out. Used by the other files of this folder.
import { stat } from 'node:fs/promises';
import { withDeadline } from '../../engine/index.ts';

const ANSWER_MS_MAX = 100;

/** What the promise resolves with, if it does so soon; undefined when it does not, or fails. */
export async function soon<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await withDeadline(asked, ANSWER_MS_MAX);
  } catch {
    return undefined;
  }
}

/** Length of a file in bytes; undefined where it cannot be told, or not in time. */
export async function fileBytes(file: string): Promise<number | undefined> {
  return (await soon(stat(file)))?.size;
}
