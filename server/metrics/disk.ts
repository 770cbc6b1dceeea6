// Questions to the system whose answers are shown as figures. A disk that hangs must not keep figures from being read, since
// that is when they are wanted: what is not answered in time, or at all, is left out. Used by the other files of this folder.
import { stat } from 'node:fs/promises';

const ANSWER_MS_MAX = 100;

/** What the promise resolves with, if it does so soon; undefined when it does not, or fails. */
export async function soon<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ANSWER_MS_MAX, undefined);
  });
  try {
    return await Promise.race([asked, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Length of a file in bytes; undefined where it cannot be told, or not in time. */
export async function fileBytes(file: string): Promise<number | undefined> {
  return (await soon(stat(file)))?.size;
}
