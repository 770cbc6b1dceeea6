// How turns of the loop are shared among sockets that are owed much: one step at a time where steps take long, in the order
// of requests, and without forgetting anyone. manyAsk.test.ts shows that sockets are paid this way.
import { expect, test } from 'vitest';
import { streamLimits } from '../../server/streams/limits.ts';
import { PayTurns } from '../../server/streams/payTurns.ts';

/** Blocks the loop for longer than one turn pays. */
function hold(): void {
  const endMs = performance.now() + streamLimits.payTurnMsMax + 1;
  while (performance.now() < endMs);
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('steps that each fill a whole turn run one per turn, in the order of the requests', async () => {
  const turns = new PayTurns();
  const run: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    turns.later(() => {
      if (turns.hasTime()) run.push(name);
      hold();
    });
  }
  await nextTurn();
  expect(run).toEqual(['first']);
  await nextTurn();
  expect(run).toEqual(['first', 'second']);
  await nextTurn();
  expect(run).toEqual(['first', 'second', 'third']);
});

test('the first time check of a turn passes, however long the turn has run, and the next one fails', async () => {
  const turns = new PayTurns();
  const answers: boolean[] = [];
  turns.later(() => {
    hold();
    answers.push(turns.hasTime(), turns.hasTime());
  });
  await nextTurn();
  expect(answers).toEqual([true, false]);
});

test('a new request waits behind queued steps, and a step queued by another runs in a later turn', async () => {
  const turns = new PayTurns();
  const run: string[] = [];
  expect(turns.hasTime()).toBe(true);
  turns.later(() => {
    run.push('first');
    turns.later(() => run.push('again'));
  });
  expect(turns.hasTime()).toBe(false);
  await nextTurn();
  expect(run).toEqual(['first']);
  expect(turns.hasTime()).toBe(false);
  await nextTurn();
  expect(run).toEqual(['first', 'again']);
  expect(turns.hasTime()).toBe(true);
});
