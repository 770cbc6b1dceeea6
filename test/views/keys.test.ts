// Which keys of an owner are active, as the list of its keys and the bound on their number see them, also after a snapshot; and
// which is the latest of its kind. What a request with a deleted key gets is tested in test/http.
import { expect, test } from 'vitest';
import { ApiKeyKind } from '../../engine/index.ts';
import { KeysView } from '../../server/views/keys.ts';
import { KeptSections } from '../support/keptSections.ts';

test('a key that was deleted is not active after a snapshot either, whichever of its owner it is', () => {
  const keyIdOf = (number: number): string => `0x${String(number).padStart(32, '0')}`;
  for (const deleted of [0, 1, 2]) {
    const keys = new KeysView();
    const owner = `0x${'a'.repeat(40)}`;
    for (const nonce of [0, 1, 2]) {
      const identity = { owner, nonce, generation: 0, kind: ApiKeyKind.TRADING };
      keys.created({ type: 'ApiKeyCreated', keyId: keyIdOf(nonce), ...identity }, 1_000);
    }
    keys.deleted({ type: 'ApiKeyDeleted', owner, keyId: keyIdOf(deleted) }, 2_000);
    const kept = new Map<string, unknown>();
    keys.visit(new KeptSections(kept, false));
    const loaded = new KeysView();
    loaded.visit(new KeptSections(kept, true));
    for (const view of [keys, loaded]) {
      const active = view.activeOf(owner, ApiKeyKind.TRADING).map(({ nonce }) => nonce);
      expect(active).toEqual([0, 1, 2].filter((nonce) => nonce !== deleted));
      expect(view.allOf(owner)).toHaveLength(3);
    }
  }
});

test("an owner's keys of another kind do not replace those of the same nonce", () => {
  const owner = `0x${'a'.repeat(40)}`;
  const keys = new KeysView();
  const kinds = Object.values(ApiKeyKind);
  for (const generation of [0, 1]) {
    for (const kind of kinds) {
      const keyId = `0x${String(10 * generation + kind).padStart(32, '0')}`;
      keys.created({ type: 'ApiKeyCreated', owner, keyId, nonce: 0, generation, kind }, 1_000);
      expect(keys.latest(owner, 0, kind)).toMatchObject({ keyId, kind, generation });
    }
  }
  for (const kind of kinds) expect(keys.latest(owner, 0, kind)).toMatchObject({ kind, generation: 1 });
  expect(keys.latest(owner, 1, ApiKeyKind.TRADING)).toBeUndefined();
});
