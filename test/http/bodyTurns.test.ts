// Long bodies that arrive in one turn of the event loop: those beyond its bound wait for later turns, in the order of their
// arrival, each still within the bound on the memory of bodies.
import type { HttpResponse } from 'uWebSockets.js';
import { expect, test } from 'vitest';
import { readBody } from '../../server/http/body.ts';
import { BodyTurns } from '../../server/http/bodyTurns.ts';
import { HeldBytes } from '../../server/http/heldBytes.ts';
import { httpLimits } from '../../server/http/limits.ts';

const { bodyBytesMax, incomingBodiesBytesMax, shortBodyBytesMax, turnBodyBytesMax } = httpLimits;
/** Two of them are more than a turn takes. */
const LONG = turnBodyBytesMax / 2 + 2;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type OnData = Parameters<HttpResponse['onData']>[0];

/** A server that notes which bodies, by their first byte, it was given and which it refused. */
function reader(heldMax: number = incomingBodiesBytesMax) {
  const turns = new BodyTurns();
  const held = new HeldBytes(heldMax);
  const passed: (readonly [first: number, bytes: number])[] = [];
  const refused: number[] = [];
  const receive = (mark: number, bytes: number, parts = 1) => {
    let onData: OnData = () => undefined;
    const res = { onData: (handler: OnData) => (onData = handler) } as unknown as HttpResponse;
    const take = (body: Uint8Array): void => {
      expect(body.every((byte) => byte === mark)).toBe(true);
      passed.push([mark, body.length]);
    };
    const incoming = readBody(res, held, turns, take, () => refused.push(mark));
    for (let part = 1; part <= parts; part += 1) {
      const chunk = new Uint8Array(bytes / parts).fill(mark);
      onData(chunk.buffer, part === parts);
      chunk.fill(0); // as uWebSockets may do after its callback
    }
    return incoming;
  };
  return { receive, passed, refused, turns };
}

test('the first long body of a turn and all short ones are passed on at once, the others one turn after another', async () => {
  const { receive, passed } = reader();
  receive(1, LONG, 2);
  receive(2, LONG);
  receive(3, LONG, 2);
  receive(4, shortBodyBytesMax);
  const first = [
    [1, LONG],
    [4, shortBodyBytesMax],
  ];
  expect(passed).toEqual(first);
  await nextTurn();
  expect(passed).toEqual([...first, [2, LONG]]);
  await nextTurn();
  expect(passed).toEqual([...first, [2, LONG], [3, LONG]]);
});

test('a body that came later waits behind those that wait already', async () => {
  const { receive, passed } = reader();
  for (const mark of [1, 2, 3]) receive(mark, LONG);
  await nextTurn();
  receive(4, LONG);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(passed.map(([mark]) => mark)).toEqual([1, 2, 3, 4]);
});

test('a turn takes several long bodies up to its bound, and a single one of any size', async () => {
  const { receive, passed, turns } = reader();
  for (const mark of [1, 2, 3, 4]) receive(mark, turnBodyBytesMax / 4);
  expect(passed).toHaveLength(4);
  expect(turns.take(shortBodyBytesMax + 1)).toBe(false);
  await nextTurn();
  receive(5, bodyBytesMax);
  expect(passed).toHaveLength(5);
});

test('a body of which every part has a single byte is passed on whole', () => {
  const { receive, passed } = reader();
  for (const mark of [201, 202]) receive(mark, 9, 9);
  expect(passed).toEqual([
    [201, 9],
    [202, 9],
  ]);
});

test('a client that disconnects while its body waits is not served', async () => {
  const { receive, passed } = reader();
  receive(1, LONG);
  receive(2, LONG).gone();
  receive(3, LONG);
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(passed.map(([mark]) => mark)).toEqual([1, 3]);
});

test('the oldest waiting body is refused once waiting ones need more memory than there is', async () => {
  const { receive, passed, refused } = reader(2 * LONG);
  for (const mark of [1, 2, 3, 4]) receive(mark, LONG);
  for (let turn = 0; turn < 4; turn += 1) await nextTurn();
  expect(passed.map(([mark]) => mark)).toEqual([1, 3, 4]);
  expect(refused).toEqual([2]);
});
