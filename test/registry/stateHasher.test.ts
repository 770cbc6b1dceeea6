// The hash by which states are compared after a replay or a restart, fed by hand: inputs that differ in anything, be it one
// bit or where a text ends, have different digests.
import { expect, test } from 'vitest';
import { StateHasher } from '../../engine/protocol/stateHasher.ts';

function feedTexts(hasher: StateHasher, ...texts: readonly string[]): void {
  for (const text of texts) hasher.text(text);
}

test('the state hash differs for inputs that differ in one bit, position or boundary', () => {
  const digests = new Set<string>();
  const feeds: readonly ((hasher: StateHasher) => void)[] = [
    () => {},
    (hasher) => hasher.u32(0),
    (hasher) => hasher.u32(1),
    (hasher) => hasher.number(1),
    (hasher) => hasher.number(2 ** 53 - 1),
    (hasher) => hasher.number(2 ** 53 - 2),
    (hasher) => feedTexts(hasher, 'ab', 'c'),
    (hasher) => feedTexts(hasher, 'a', 'bc'),
    (hasher) => hasher.text('abc'),
    (hasher) => hasher.text('abc\0'),
  ];
  for (const feed of feeds) {
    const hasher = new StateHasher();
    feed(hasher);
    expect(hasher.digest()).toMatch(/^[0-9a-f]{16}$/);
    expect(hasher.digest()).toBe(hasher.digest());
    digests.add(hasher.digest());
  }
  for (let i = 0; i < 20_000; i += 1) {
    const hasher = new StateHasher();
    hasher.u32(i & 255);
    hasher.number(i * 8 + 7);
    digests.add(hasher.digest());
  }
  expect(digests.size).toBe(feeds.length + 20_000);
  const [negative, positive] = [new StateHasher(), new StateHasher()];
  negative.number(-0);
  positive.number(0);
  expect(negative.digest()).toBe(positive.digest());
});
