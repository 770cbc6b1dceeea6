// Memory that clients make the door hold for them: its bound, and which client is cut off when it is reached. Tests the
// class alone; slowBodies.test.ts fills it over HTTP.
import { expect, test } from 'vitest';
import { HeldBytes } from '../../server/http/heldBytes.ts';

/** Room for 10 bytes, and named clients that are noted in `cut` when they are cut off. */
function openRoom() {
  const room = new HeldBytes(10);
  const cut: string[] = [];
  const clients = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { cut: () => void cut.push(name) }]));
  return { cut, hold: (name: string, bytes: number) => room.hold(clients[name], bytes) };
}

test('the oldest clients are cut off, as many as necessary', () => {
  const { cut, hold } = openRoom();
  hold('a', 4);
  hold('b', 4);
  hold('c', 2);
  expect(cut).toEqual([]);
  hold('c', 8);
  expect(cut).toEqual(['a', 'b']);
});

test('if the oldest client itself needs more room, the oldest other client is cut off', () => {
  const { cut, hold } = openRoom();
  hold('a', 2);
  hold('b', 4);
  hold('c', 4);
  hold('a', 4);
  expect(cut).toEqual(['b']);
});
