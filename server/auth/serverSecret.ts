// The server's one secret, from which the credentials of all API keys derive: given in OUTCRY_SECRET, or stored in a file
// of the data directory. Found or created by openServices.ts at start-up; cli.ts asks whether it exists. It must never be
// logged, returned or written anywhere but its own file.
import { createHmac, randomBytes } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders, writeWhole } from '../../engine/index.ts';

const SECRET_BYTES = 32;
const SECRET_TEXT_CHARACTERS_MIN = 32;

/** The file in the data directory that holds the server's secret when OUTCRY_SECRET is not set. */
export const SERVER_SECRET_FILE = 'server-secret';

export const secretFileIn = (dataDir: string): string => join(dataDir, SERVER_SECRET_FILE);

function secretOfText(text: string): Uint8Array {
  const trimmed = text.trim();
  if (/^(0x)?[0-9a-fA-F]{64}$/.test(trimmed)) return Buffer.from(trimmed.slice(-64), 'hex');
  if (trimmed.length < SECRET_TEXT_CHARACTERS_MIN) {
    throw new RangeError(
      `OUTCRY_SECRET has ${trimmed.length} characters; it needs at least ${SECRET_TEXT_CHARACTERS_MIN}, ` +
        'for example the output of "openssl rand -hex 32".',
    );
  }
  return createHmac('sha256', 'outcry/server-secret/1').update(trimmed).digest();
}

/** Whether there is a file, or a link in its place. What cannot be looked at may be one: reading it says why. */
export function isTaken(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function readSecretFile(path: string): Uint8Array {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) {
    throw new Error(
      `${path} is a link to ${readlinkSync(path)}, which is missing. Put that file in its place, for example by ` +
        'mounting its volume, or delete the link; deleting it changes all API keys.',
    );
  }
  if (file.isDirectory()) {
    throw new Error(
      `${path} is a folder, not a file, as a container makes one where a file to be mounted is missing. Put the file with the ` +
        'secret in its place, or remove the folder; without that file all API keys change.',
    );
  }
  const mode = file.mode & 0o777;
  // Windows has no such permissions and always reports them open.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new Error(
      `${path} is readable or writable by other users (mode ${mode.toString(8)}); its mode must be 600. ` +
        'Run chmod 600 on it, and delete it if others may have seen it; deleting it changes all API keys.',
    );
  }
  const text = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-fA-F]{64}$/.test(text)) {
    throw new Error(
      `${path} does not hold 64 hex digits. Restore it from a backup, or delete it; deleting it changes all API keys.`,
    );
  }
  return Buffer.from(text, 'hex');
}

/** Written to a temporary file and renamed, so a crash leaves the whole file or none. */
function createSecretFile(dataDir: string): Uint8Array {
  const secret = randomBytes(SECRET_BYTES);
  makeFolders(dataDir);
  writeWhole(secretFileIn(dataDir), `${secret.toString('hex')}\n`);
  return secret;
}

type SecretEnvironment = { readonly [name: string]: string | undefined };

const givenText = ({ OUTCRY_SECRET: text }: SecretEnvironment): string | undefined => (text === '' ? undefined : text);

/** Whether a secret exists, valid or not. */
export const hasServerSecret = (dataDir: string, env: SecretEnvironment): boolean =>
  givenText(env) !== undefined || isTaken(secretFileIn(dataDir));

/**
 * The existing secret: from OUTCRY_SECRET (64 hex digits, or any text of at least 32 characters), else from the 0600 file
 * in the data directory; undefined if none exists yet.
 * @throws RangeError with a sentence if the text is too short; Error with one if the file is accessible to others, a folder, holds
 *   no secret or is a link to none
 */
export function findServerSecret(dataDir: string, env: SecretEnvironment): Uint8Array | undefined {
  const text = givenText(env);
  if (text !== undefined) return secretOfText(text);
  const path = secretFileIn(dataDir);
  return isTaken(path) ? readSecretFile(path) : undefined;
}

/**
 * The server's 32-byte secret, created if there is none. Call it holding the directory's lock.
 * @throws as findServerSecret does
 */
export const loadServerSecret = (dataDir: string, env: SecretEnvironment): Uint8Array =>
  findServerSecret(dataDir, env) ?? createSecretFile(dataDir);
