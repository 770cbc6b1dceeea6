// Derived API credentials: their form and their determinism.
// Nothing secret may ever need storing: the same identity always gives the same credentials.
import { describe, expect, test } from 'vitest';
import { ApiKeyKind } from '../../engine/index.ts';
import { type ApiKeyIdentity, credentialsOf, deriveCredentials } from '../../server/auth/apiKeys.ts';
import { signL2, verifyL2 } from '../../server/auth/l2.ts';
import { UUID } from '../support/uuid.ts';
import { ADDRESS_0, ADDRESS_1 } from './vectors.ts';

const serverSecret = new Uint8Array(32).fill(7);
const identity: ApiKeyIdentity = { kind: ApiKeyKind.TRADING, owner: ADDRESS_0, nonce: 0, generation: 0 };

describe('credentials', () => {
  test('have the formats that clients decode', () => {
    const { apiKey, secret, passphrase } = deriveCredentials(serverSecret, identity);
    expect(apiKey).toMatch(UUID);
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}=$/);
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
    expect(passphrase).toMatch(/^[0-9a-f]{64}$/);
  });

  test('match a fixed snapshot, because stored keys depend on this derivation', () => {
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

  test('are undefined for a key that was derived from another server secret', () => {
    const made = deriveCredentials(serverSecret, identity);
    const key = { ...identity, apiKey: made.apiKey };
    expect(credentialsOf(serverSecret, key)).toEqual(made);
    expect(credentialsOf(new Uint8Array(32).fill(8), key)).toBeUndefined();
  });

  test('sign and verify requests', () => {
    const { secret } = deriveCredentials(serverSecret, identity);
    const request = { timestamp: '1000000', method: 'GET', path: '/data/orders' };
    expect(verifyL2(request, signL2(request, secret), Buffer.from(secret, 'base64'), 1_000_000_000)).toBe(true);
  });

  test('throw a TypeError for malformed identities', () => {
    for (const bad of [{ owner: '0x12' }, { nonce: -1 }, { nonce: 2 ** 53 }, { generation: -1 }, { generation: 0.5 }]) {
      expect(() => deriveCredentials(serverSecret, { ...identity, ...bad })).toThrow(TypeError);
    }
  });
});
