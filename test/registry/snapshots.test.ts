// A registry that is loaded from a snapshot which is not what a registry saved: lists that do not match are refused, and a state
// that contradicts itself breaks the invariant that says so.
import { serialize } from 'node:v8';
import { expect, test } from 'vitest';
import { limits, SnapshotUnusable } from '../../engine/protocol/index.ts';
import { Registry } from '../../engine/registry/index.ts';
import { range } from '../journal/support.ts';
import { tailOf } from '../support/commandParts.ts';
import { KeptSections } from '../support/keptSections.ts';
import { address, Harness, keyIdOf, marketOf } from './harness.ts';

test('loading a snapshot whose lists do not match their tables throws SnapshotUnusable', () => {
  const harness = new Harness();
  const key = { keyId: keyIdOf(1, 0, 0, 0), nonce: 0, generation: 0, kind: 0 };
  harness.run({ type: 'CreateApiKey', owner: address(1), ...key });
  harness.run({ type: 'BindWallet', owner: address(1), wallet: address(9), signatureType: 1 });
  harness.run(marketOf(0));
  const sound = new Map<string, unknown>();
  harness.registry.visit(new KeptSections(sound, false));
  const load = (name: string, value: unknown): void => {
    expect(sound.has(name), name).toBe(true);
    new Registry().visit(new KeptSections(new Map([...sound, [name, value]]), true));
  };
  load('rulesVersion', sound.get('rulesVersion'));
  for (const [name, value] of [
    ['apiKeys/keys', serialize(Array(1_025).fill({ owner: address(1), ...key, createdMs: 5 }))],
    ['apiKeys/owners', new Int32Array(5)],
    ['apiKeys/isTrading', new Uint8Array(1)],
    ['apiKeys/isActive', new Uint8Array(1)],
    ['wallets/bindings', serialize([])],
    ['wallets/ownerOf', serialize([])],
    ['catalog/tokens/size', 1],
    ['catalog/eventNumber', new Float64Array(0)],
    ...['conditionId', 'firstToken', 'secondToken', 'slug', 'json'].map(
      (column) => [`catalog/${column}/lengths`, new Int32Array(0)] as const,
    ),
  ] as const) {
    expect(() => load(name, value), name).toThrow(SnapshotUnusable);
  }
});

test('an inconsistent registry breaks the invariant that says so', () => {
  const harness = new Harness();
  const owner = address(1);
  const key = { owner, keyId: keyIdOf(1, 0, 0, 0), nonce: 0, generation: 0, kind: 0 };
  const other = { ...key, keyId: keyIdOf(1, 1, 0, 0), nonce: 1 };
  const binding = { owner, wallet: address(9), signatureType: 1 };
  const event = { slug: 'rain', json: '{"slug":"rain"}' };
  for (const fields of [key, other]) harness.run({ type: 'CreateApiKey', ...fields });
  harness.run({ type: 'BindWallet', ...binding });
  for (const slug of ['rain', 'snow']) harness.run({ type: 'CreateEvent', negRisk: 0, tail: tailOf({ slug }) });
  harness.run(marketOf(0));
  const sound = new Map<string, unknown>();
  harness.registry.visit(new KeptSections(sound, false));
  const checkWith = (name: string, value: unknown): void => {
    expect(sound.has(name), name).toBe(true);
    const registry = new Registry();
    registry.visit(new KeptSections(new Map([...sound, [name, value]]), true));
    registry.checkInvariants();
  };
  checkWith('apiKeys/keys', serialize([key, other]));
  const droppedOf = (upTo: number, ...above: number[]) =>
    serialize(new Map([[owner, { upTo, above: new Set(above) }]]));
  for (const [name, value, invariant] of [
    ['apiKeys/keys', serialize([key]), 'API keys 1'],
    ['apiKeys/keys', serialize([key, { ...other, keyId: keyIdOf(2, 0, 0, 0) }]), 'API keys 2'],
    ['apiKeys/keys', serialize([key, { ...other, owner: address(2) }]), 'API keys 3'],
    ['apiKeys/isTrading', new Uint8Array(1_024), 'API keys 4'],
    ['apiKeys/keys', serialize([key, { ...other, nonce: 0 }]), 'API keys 5'],
    ['wallets/bindings', serialize([{ ...binding, wallet: address(8) }]), 'wallets 2'],
    ['wallets/ownerOf', serialize([1]), 'wallets 3'],
    ['catalog/events', serialize([event, event]), 'catalog 1'],
    ['catalog/slug/lengths', Int32Array.of(7), 'catalog 5'],
    ['catalog/eventNumber', Float64Array.of(3), 'catalog 6'],
    ['notifications/byOwner', droppedOf(5, 6), 'notifications 1'],
    ['notifications/byOwner', droppedOf(5, ...range(7, 6 + limits.notificationIdsMax)), 'notifications 2'],
  ] as const) {
    expect(() => checkWith(name, value), invariant).toThrow(`${invariant}: `);
  }
});
