// The server's secret: where it comes from, and the refusal of one that others can read or that is no secret.
// apiKeys.test.ts tests what is derived from it.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasServerSecret, loadServerSecret, SERVER_SECRET_FILE } from '../../server/auth/serverSecret.ts';

describe("the server's secret", () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'outcry-secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('is created on first use, kept in a file with mode 0600 and read again', () => {
    const dataDir = join(folder, 'data');
    const first = loadServerSecret(dataDir, {});
    expect(first).toHaveLength(32);
    expect(readdirSync(dataDir)).toEqual([SERVER_SECRET_FILE]);
    const path = join(dataDir, SERVER_SECRET_FILE);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(loadServerSecret(dataDir, {})).equals(first)).toBe(true);
    // A variable that is set to an empty text counts as unset.
    expect(Buffer.from(loadServerSecret(dataDir, { OUTCRY_SECRET: '' })).equals(first)).toBe(true);
    expect(Buffer.from(loadServerSecret(join(folder, 'other'), {})).equals(first)).toBe(false);
  });

  test('comes from OUTCRY_SECRET if that is set, and no file is created', () => {
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

  test('of fewer than 32 characters is rejected with its length and the limit, but not shown', () => {
    const short = 'x'.repeat(31);
    expect(() => loadServerSecret(folder, { OUTCRY_SECRET: short })).toThrow(/has 31 characters; it needs at least 32/);
    expect(() => loadServerSecret(folder, { OUTCRY_SECRET: short })).toThrow(/^(?!.*xxxx)/);
  });

  test('in a damaged file is rejected, and the file stays unchanged', () => {
    const path = join(folder, SERVER_SECRET_FILE);
    for (const text of ['', 'abc', `${'0'.repeat(63)}g`]) {
      writeFileSync(path, text, { mode: 0o600 });
      expect(() => loadServerSecret(folder, {})).toThrow(/does not hold 64 hex digits/);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  test('behind a link that leads nowhere is rejected, and the link stays as it is', () => {
    const path = join(folder, SERVER_SECRET_FILE);
    const target = join(folder, 'volume', 'secret');
    symlinkSync(target, path);
    const refusal = `${path} is a link to ${target}, which is missing.`;
    expect(() => loadServerSecret(folder, {})).toThrow(refusal);
    expect([hasServerSecret(folder, {}), readlinkSync(path), existsSync(target)]).toEqual([true, target, false]);
    // Once the volume is there, the secret is the one behind the link.
    mkdirSync(join(folder, 'volume'));
    writeFileSync(target, 'ab'.repeat(32), { mode: 0o600 });
    expect(Buffer.from(loadServerSecret(folder, {})).toString('hex')).toBe('ab'.repeat(32));
  });

  test('that cannot be looked for counts as one that exists, and is not created', () => {
    const loop = join(folder, 'loop');
    symlinkSync(loop, loop);
    expect(hasServerSecret(loop, {})).toBe(true);
    expect(() => loadServerSecret(loop, {})).toThrow(/^ELOOP: /);
  });

  test('in a file that others can read is rejected', () => {
    if (process.platform === 'win32') return;
    loadServerSecret(folder, {});
    chmodSync(join(folder, SERVER_SECRET_FILE), 0o644);
    expect(() => loadServerSecret(folder, {})).toThrow(/mode 644\); its mode must be 600/);
  });
});
