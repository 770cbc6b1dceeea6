// Who waits for the records of commands, under time that the test moves: an outage of the journal rejects those who have waited
// their time and nobody after it has ended, and a rejected entry keeps its place among the others.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Answers } from '../../engine/pipeline/answers.ts';
import type { LogRecord } from '../../engine/pipeline/types.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const record = (sequence: number): LogRecord => ({ sequence, tMs: 0, command: { type: 'Tick' }, events: [] });

/** Answers after 100 ms of an outage, and what submitters were told so far. */
function world() {
  const [answers, told]: [Answers, string[]] = [new Answers(100), []];
  const add = (name: string): void =>
    answers.add({
      resolve: ({ sequence }) => told.push(`${name}: ${sequence}`),
      reject: (error) => told.push(`${name}: ${error.name}`),
    });
  return { answers, told, add };
}

test('an outage that ended in time rejects nobody later, and the next one has its whole time', () => {
  const { answers, told, add } = world();
  add('first');
  answers.rejectLater('the disk is full');
  vi.advanceTimersByTime(60);
  answers.keepWaiting();
  vi.advanceTimersByTime(30);
  answers.rejectLater('the disk is full again');
  vi.advanceTimersByTime(60);
  expect(told).toEqual([]);
  answers.rejectLater('it still is');
  vi.advanceTimersByTime(40);
  expect(told).toEqual(['first: StorageUnavailable']);
});

test('a rejected entry keeps its place: its record answers nobody else, and it hears nothing more', () => {
  const { answers, told, add } = world();
  add('first');
  answers.rejectAll('the disk is full');
  add('second');
  answers.answer(record(7));
  answers.answer(record(8));
  answers.removeAnswered();
  add('third');
  answers.answer(record(9));
  expect(told).toEqual(['first: StorageUnavailable', 'second: 8', 'third: 9']);
});
