// Dropped notifications in the registry: it remembers a set of numbers for each owner, whatever the order and the commands
// in which they came; and any bytes decode to some number. Commands go in as bytes, as in the pipeline.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Command,
  EventWriter,
  encodeCommand,
  limits,
  Message,
  notificationItem,
  notificationNumber,
} from '../../engine/protocol/index.ts';
import { Registry } from '../../engine/registry/index.ts';

const owners = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`] as const;
const keys = [`0x${'01'.repeat(16)}`, `0x${'02'.repeat(16)}`] as const;
const out = new EventWriter();
const message = new Message();

function run(registry: Registry, command: Command): void {
  const bytes = encodeCommand(command);
  message.take(bytes);
  out.begin();
  expect(registry.admit(message, 0, bytes.length, out)).toBe(true);
  registry.record(7, message, 0, bytes.length, out);
  out.finish();
  registry.checkInvariants();
}

interface Drop {
  readonly owner: 0 | 1;
  readonly numbers: readonly number[];
}

/** A registry with both owners' keys, after these drops. */
function registryAfter(drops: readonly Drop[]): Registry {
  const registry = new Registry();
  for (const index of [0, 1]) {
    const key = { owner: owners[index], keyId: keys[index], nonce: 0, generation: 0, kind: 0 };
    run(registry, { type: 'CreateApiKey', ...key });
  }
  // The first drop of each owner decides their order in the state, so both begin with one that drops nothing.
  for (const { owner, numbers } of [{ owner: 0, numbers: [] }, { owner: 1, numbers: [] }, ...drops]) {
    const items = numbers.map(notificationItem);
    run(registry, { type: 'DropNotifications', owner: owners[owner], keyId: keys[owner], items });
  }
  return registry;
}

test('two registries have the same state hash only if the same notifications were dropped', () => {
  const drop = fc.record({
    owner: fc.constantFrom<0 | 1>(0, 1),
    numbers: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }),
  });
  const drops = fc.array(drop, { maxLength: 8 });
  const setOf = (list: readonly Drop[]): string =>
    [0, 1]
      .map((owner) => [...new Set(list.flatMap((one) => (one.owner === owner ? one.numbers : [])))].sort())
      .join('/');
  fc.assert(
    fc.property(drops, drops, (left, right) => {
      const isEqual = registryAfter(left).stateHash() === registryAfter(right).stateHash();
      expect(isEqual).toBe(setOf(left) === setOf(right));
      expect(registryAfter([...left].reverse()).stateHash()).toBe(registryAfter(left).stateHash());
    }),
  );
});

test('dropped notifications too old to be shown are forgotten, in whatever order they were dropped', () => {
  const drop = (...numbers: readonly number[]): Drop => ({ owner: 0, numbers });
  const newest = limits.notificationIdsMax + 1_000;
  const alone = registryAfter([drop(newest)]).stateHash();
  for (const old of [1, 7, 1_000]) {
    expect(registryAfter([drop(old), drop(newest)]).stateHash()).toBe(alone);
    expect(registryAfter([drop(newest), drop(old)]).stateHash()).toBe(alone);
    expect(registryAfter([drop(old, newest)]).stateHash()).toBe(alone);
  }
  expect(registryAfter([drop(1_002), drop(newest)]).stateHash()).not.toBe(alone);
  // A number right after the forgotten ones only extends their range.
  const next = registryAfter([drop(1_001), drop(newest)]).stateHash();
  expect(next).not.toBe(alone);
  expect(registryAfter([drop(newest), drop(1_001)]).stateHash()).toBe(next);
  // Every second number, as from an owner who never dropped the first one.
  registryAfter(Array.from({ length: 2_000 }, (_, index) => drop(3 + 2 * index)));
});

test('items convert to notification numbers and back, and arbitrary bytes give some number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 52 - 1 }), (number) => {
      expect(notificationItem(number)).toMatch(/^0x[0-9a-f]{32}$/);
      expect(notificationNumber(notificationItem(number))).toBe(number);
    }),
  );
  const number = notificationNumber(`0x${'f'.repeat(32)}`);
  expect(Number.isSafeInteger(number)).toBe(true);
  const wild = registryAfter([]);
  const items = [`0x${'f'.repeat(32)}`, `0x${'0'.repeat(32)}`];
  run(wild, { type: 'DropNotifications', owner: owners[0], keyId: keys[0], items });
});

test('a key of another owner cannot drop notifications', () => {
  const registry = registryAfter([]);
  const command = encodeCommand({ type: 'DropNotifications', owner: owners[0], keyId: keys[1], items: [] });
  message.take(command);
  out.begin();
  expect(registry.admit(message, 0, command.length, out)).toBe(false);
});
