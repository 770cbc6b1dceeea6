// Parts of commands that tests make up: ids that follow from a text, and tails. Used by the workloads of pipeline, streams
// and histories and by the tests of the registry.
import { createHash } from 'node:crypto';

/** The first `bytes` bytes of the text's SHA-256, as 0x and hex digits. */
export function digest(text: string, bytes: number): string {
  const hash = createHash('sha256').update(text).digest('hex');
  return `0x${hash.slice(0, bytes * 2)}`;
}

/** The tail of a command, which is JSON. */
export const tailOf = (texts: object): Uint8Array => new TextEncoder().encode(JSON.stringify(texts));
