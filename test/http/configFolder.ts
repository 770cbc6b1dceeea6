// The shared parts of the tests of settings: a folder of their own, configuration files in it, and the sentence of a
// refusal. Used by tests of this folder; it starts nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIG_FILE } from '../../server/config/settings.ts';
import { FatalError } from '../../server/process/fatal.ts';

export let folder: string;

export function makeFolder(): void {
  folder = mkdtempSync(join(tmpdir(), 'outcry-config-'));
}

export const removeFolder = (): void => rmSync(folder, { recursive: true });

/** The sentence with which a configuration is refused. */
export function refusal(resolve: () => unknown): string {
  try {
    resolve();
  } catch (error) {
    if (error instanceof FatalError && error.reason === 'usage') return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}

export function withFile(content: string, resolve: (folder: string) => void): void {
  const own = mkdtempSync(join(folder, 'file-'));
  writeFileSync(join(own, CONFIG_FILE), content);
  resolve(own);
}
