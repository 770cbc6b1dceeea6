// What the registry's hash depends on: it shows that a state loaded from a snapshot is that of the log, so every fact that the
// registry holds must change it.
import { expect, test } from 'vitest';
import type { Command, CommandOf } from '../../engine/protocol/index.ts';
import { tailOf } from '../support/commandParts.ts';
import { address, Harness, hex, keyIdOf, marketOf, terms } from './harness.ts';

const keyOf = (change: Partial<CommandOf<'CreateApiKey'>> = {}): CommandOf<'CreateApiKey'> => ({
  type: 'CreateApiKey',
  owner: address(1),
  keyId: keyIdOf(1, 0, 0, 0),
  nonce: 0,
  generation: 0,
  kind: 0,
  items: [],
  ...change,
});

const bindingOf = (change: Partial<CommandOf<'BindWallet'>> = {}): CommandOf<'BindWallet'> => ({
  type: 'BindWallet',
  owner: address(1),
  wallet: address(9),
  signatureType: 1,
  ...change,
});

const eventOf = (slug: string, texts: Record<string, string> = {}): Command => ({
  type: 'CreateEvent',
  negRisk: 0,
  tail: tailOf({ slug, title: 'Weather', ...texts }),
});

const updateOf = (texts: Record<string, string>): Command => ({
  type: 'UpdateMarket',
  marketIndex: 0,
  mask: 0,
  ...terms,
  tail: tailOf(texts),
});

const dropOf = (number: number, owner = 1): Command => ({
  type: 'DropNotifications',
  owner: address(owner),
  keyId: keyIdOf(owner, 0, 0, 0),
  items: [hex(number, 16)],
});

const founding = [keyOf(), bindingOf(), eventOf('rain'), marketOf(0, { eventNumber: 1 }), dropOf(1)];
const otherKey = keyOf({ owner: address(2), keyId: keyIdOf(2, 0, 0, 0) });

/** The founding commands with one of them replaced. */
const withOther = (type: Command['type'], ...others: Command[]): Command[] =>
  founding.flatMap((command) => (command.type === type ? others : [command]));

/** States that differ from that of the founding commands, and from each other, in one fact. */
const states: Readonly<Record<string, readonly Command[]>> = {
  founding,
  'no key, binding, event or market': [],
  'a key': [keyOf()],
  'another key id': [keyOf({ keyId: keyIdOf(1, 0, 0, 1) })],
  'another owner of a key': [keyOf({ owner: address(2) })],
  'another nonce': [keyOf({ nonce: 1 })],
  'another generation': [keyOf({ generation: 1 })],
  'another kind': [keyOf({ kind: 1 })],
  'a key that is deleted': [keyOf(), { type: 'DeleteApiKey', owner: address(1), keyId: keyOf().keyId }],
  'two keys': [keyOf(), keyOf({ keyId: keyIdOf(1, 1, 0, 0), nonce: 1 })],
  'no binding': withOther('BindWallet'),
  'another wallet': withOther('BindWallet', bindingOf({ wallet: address(8) })),
  'another owner of a wallet': withOther('BindWallet', bindingOf({ owner: address(2) })),
  'another type of signature': withOther('BindWallet', bindingOf({ signatureType: 2 })),
  'two bindings': withOther('BindWallet', bindingOf(), bindingOf({ wallet: address(8) })),
  'another text of an event': withOther('CreateEvent', eventOf('rain', { title: 'Rain' })),
  'two events': withOther('CreateEvent', eventOf('rain'), eventOf('snow')),
  'no market': withOther('CreateMarket'),
  'a market of no event': withOther('CreateMarket', marketOf(0)),
  'another condition': withOther('CreateMarket', marketOf(0, { eventNumber: 1, conditionId: hex(7, 32) })),
  'another first token': withOther('CreateMarket', marketOf(0, { eventNumber: 1, firstToken: hex(7, 32) })),
  'another second token': withOther('CreateMarket', marketOf(0, { eventNumber: 1, secondToken: hex(7, 32) })),
  'another text of a market': [...founding, updateOf({ question: 'Will it snow?' })],
  'two markets': withOther('CreateMarket', marketOf(0, { eventNumber: 1 }), marketOf(1, { eventNumber: 1 })),
  'nothing dropped': withOther('DropNotifications'),
  'one more dropped': withOther('DropNotifications', dropOf(1), dropOf(2)),
  'one dropped beyond others': withOther('DropNotifications', dropOf(1), dropOf(4)),
  'another dropped beyond others': withOther('DropNotifications', dropOf(1), dropOf(5)),
  'dropped by one of two owners': withOther('DropNotifications', otherKey, dropOf(1)),
  'dropped by the other owner': withOther('DropNotifications', otherKey, dropOf(1, 2)),
};

function hashAfter(commands: readonly Command[], tMs?: number): string {
  const harness = new Harness();
  for (const command of commands) for (const { type } of harness.run(command, tMs)) expect(type).not.toBe('Rejected');
  return harness.registry.stateHash();
}

test('states that differ in one fact have different hashes, and equal ones the same', () => {
  const hashes = new Map(Object.entries(states).map(([name, commands]) => [name, hashAfter(commands)]));
  hashes.set('another time', hashAfter(founding, 6));
  const found = new Map<string, string>();
  for (const [name, hash] of hashes) {
    expect(found.get(hash), `has the hash of: ${name}`).toBeUndefined();
    found.set(hash, name);
  }
  expect(hashAfter(founding)).toBe(hashes.get('founding'));
});
