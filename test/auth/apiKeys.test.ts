// Derived API credentials: their form, their determinism, and where the server's secret comes from.
// Nothing secret may ever need storing: the same identity always gives the same credentials.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiKeyKind } from '../../engine/index.ts';
import {
  type ApiKeyIdentity,
  credentialsOf,
  deriveCredentials,
  loadServerSecret,
  SERVER_SECRET_FILE,
} from '../../server/auth/apiKeys.ts';
import { signL2, verifyL2 } from '../../server/auth/l2.ts';
import { UUID } from '../support/uuid.ts';
import { ADDRESS_0, ADDRESS_1 } from './vectors.ts';

const serverSecret = new Uint8Array(32).fill(7);
const identity: ApiKeyIdentity = { kind: ApiKeyKind.TRADING, owner: ADDRESS_0, nonce: 0, generation: 0 };

describe('credentials', () => {
  test('have the forms that clients decode', () => {
    const { apiKey, secret, passphrase } = deriveCredentials(serverSecret, identity);
    expect(apiKey).toMatch(UUID);
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}=$/);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(passphrase).toMatch(/^[0-9a-f]{64}$/);
  });

  test('are fixed for ever: stored keys depend on this derivation', () => {
    expect(deriveCredentials(serverSecret, identity)).toMatchInlineSnapshot(`
      {
        "apiKey": "98b5009e-1fcc-4b6c-b952-994d13d17965",
        "passphrase": "6a3e1354e93d809d4aff244574feabb38d5565ac52af037354f65c08563d583e",
        "secret": "kG8bU-V2OomEnGdvRNZOu779Q7Tys-RsEawKP1OVJTQ=",
      }
    `);
  });

  test('are the same for an owner in any letter case', () => {
    const again = { ...identity, owner: ADDRESS_0.toLowerCase() };
    expect(deriveCredentials(serverSecret, again)).toEqual(deriveCredentials(serverSecret, identity));
  });

  test('differ in every part when any part of the identity or the server secret differs', () => {
    const identities: ApiKeyIdentity[] = [
      identity,
      { ...identity, kind: ApiKeyKind.READONLY },
      { ...identity, kind: ApiKeyKind.BUILDER },
      { ...identity, owner: ADDRESS_1 },
      { ...identity, nonce: 1 },
      { ...identity, nonce: Number.MAX_SAFE_INTEGER },
      { ...identity, generation: 1 },
    ];
    const all = identities.map((each) => deriveCredentials(serverSecret, each));
    all.push(deriveCredentials(new Uint8Array(32).fill(8), identity));
    const texts = all.flatMap(({ apiKey, secret, passphrase }) => [apiKey, secret, passphrase]);
    expect(new Set(texts).size).toBe(3 * all.length);
  });

  test('are none for a key that was made under another secret', () => {
    const made = deriveCredentials(serverSecret, identity);
    const key = { ...identity, apiKey: made.apiKey };
    expect(credentialsOf(serverSecret, key)).toEqual(made);
    expect(credentialsOf(new Uint8Array(32).fill(8), key)).toBeUndefined();
  });

  test('sign and verify requests', () => {
    const { secret } = deriveCredentials(serverSecret, identity);
    const request = { timestamp: '1000000', method: 'GET', path: '/data/orders' };
    expect(verifyL2(request, signL2(request, secret), secret, 1_000_000_000)).toBe(true);
  });

  test('are refused for malformed identities', () => {
    for (const bad of [{ owner: '0x12' }, { nonce: -1 }, { nonce: 2 ** 53 }, { generation: -1 }, { generation: 0.5 }]) {
      expect(() => deriveCredentials(serverSecret, { ...identity, ...bad })).toThrow(TypeError);
    }
  });
});

describe("the server's secret", () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'outcry-secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is made on first use, kept in a 0600 file and read again', () => {
    const dataDir = join(folder, 'data');
    const first = loadServerSecret(dataDir, {});
    expect(first).toHaveLength(32);
    expect(readdirSync(dataDir)).toEqual([SERVER_SECRET_FILE]);
    const path = join(dataDir, SERVER_SECRET_FILE);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(loadServerSecret(dataDir, {})).equals(first)).toBe(true);
    // A variable that is set to nothing says nothing.
    expect(Buffer.from(loadServerSecret(dataDir, { OUTCRY_SECRET: '' })).equals(first)).toBe(true);
    expect(Buffer.from(loadServerSecret(join(folder, 'other'), {})).equals(first)).toBe(false);
  });

  test('comes from OUTCRY_SECRET where that is set, and no file is made', () => {
    const hex = 'ab'.repeat(32);
    const bytes = Buffer.from(hex, 'hex');
    expect(bytes.equals(loadServerSecret(folder, { OUTCRY_SECRET: hex }))).toBe(true);
    expect(bytes.equals(loadServerSecret(folder, { OUTCRY_SECRET: `0x${hex.toUpperCase()}\n` }))).toBe(true);
    const ofText = loadServerSecret(folder, { OUTCRY_SECRET: 'correct horse battery staple, twice over' });
    expect(ofText).toHaveLength(32);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('in the file may be written in any letter case', () => {
    const path = join(folder, SERVER_SECRET_FILE);
    writeFileSync(path, `${'Ab'.repeat(32)}\n`, { mode: 0o600 });
    expect(Buffer.from(loadServerSecret(folder, {})).toString('hex')).toBe('ab'.repeat(32));
  });

  test('of fewer than 32 characters is refused with the figure and the limit', () => {
    const short = 'x'.repeat(31);
    expect(() => loadServerSecret(folder, { OUTCRY_SECRET: short })).toThrow(/has 31 characters; it needs at least 32/);
    expect(() => loadServerSecret(folder, { OUTCRY_SECRET: short })).toThrow(/^(?!.*xxxx)/);
  });

  test('in a damaged file is refused and the file left as it is', () => {
    const path = join(folder, SERVER_SECRET_FILE);
    for (const text of ['', 'abc', `${'0'.repeat(63)}g`]) {
      writeFileSync(path, text, { mode: 0o600 });
      expect(() => loadServerSecret(folder, {})).toThrow(/does not hold 64 hex digits/);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  test('in a file that others can read is refused', () => {
    if (process.platform === 'win32') return;
    loadServerSecret(folder, {});
    chmodSync(join(folder, SERVER_SECRET_FILE), 0o644);
    expect(() => loadServerSecret(folder, {})).toThrow(/mode 644\); it needs 600/);
  });
});
