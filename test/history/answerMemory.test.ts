// Long answers and the memory in which they are made: it is reused once they are sent, and no answer shows anything of
// another one.
import { expect, test, vi } from 'vitest';
import { encodeCommand } from '../../engine/index.ts';
import { AnswerMemory } from '../../server/history/answerMemory.ts';
import { tailOf } from '../support/commandParts.ts';
import { askText, expectSame, openVenue, oracleOf } from './harness.ts';
import { newestTrades } from './questions.ts';
import { Player } from './world.ts';

const PART_BYTES = 64 * 1024;
const MARK = 0xab;
const everyTrade = newestTrades(10_000, false);

test('answers are the same whether or not they reuse the memory of earlier ones', {
  timeout: 600_000,
}, async () => {
  const venue = await openVenue();
  try {
    await new Player(3, venue).play(500);
    const { historian } = venue;
    const text = await askText(historian, everyTrade);
    expect(text?.length).toBeGreaterThan(PART_BYTES);
    let usedAgain = 0;
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => historian.ask(everyTrade)));
      for (const bytes of answers) {
        expect(Buffer.from(bytes ?? []).toString('utf8') === text).toBe(true);
        if (bytes === undefined) continue;
        // In the memory after the answer, where nobody writes: a mark that reappears when the memory is reused.
        const memory = new Uint8Array(bytes.buffer);
        if (memory[memory.length - 1] === MARK) usedAgain += 1;
        expect(memory.length).toBeGreaterThan(bytes.length);
        memory[memory.length - 1] = MARK;
        historian.reuse(bytes);
      }
    }
    expect(usedAgain).toBeGreaterThan(4);
  } finally {
    await venue.close();
  }
});

test('a long answer is whole although its texts take three bytes a character', async () => {
  const venue = await openVenue();
  try {
    await new Player(3, venue).play(500);
    for (const { index: marketIndex, status, terms } of venue.views.markets.list()) {
      const { autoTick: _, ...others } = terms;
      const change = {
        type: 'UpdateMarket',
        marketIndex,
        mask: 0,
        status,
        negRisk: 0,
        autoTick: 0,
        ...others,
      } as const;
      await venue.exchange.submit(encodeCommand({ ...change, tail: tailOf({ question: '€'.repeat(4_000) }) }));
    }
    const text = await askText(venue.historian, everyTrade);
    expect(Buffer.byteLength(text ?? '')).toBeGreaterThan(10 * PART_BYTES);
    await expectSame(venue.historian, oracleOf(venue.records), [everyTrade], 'in a script of three bytes');
  } finally {
    await venue.close();
  }
});

test('memory keeps its content when enlarged and is reused after its return', () => {
  const memory = new AnswerMemory();
  const first = memory.take();
  first.set([1, 2, 3]);
  const larger = memory.enlarge(first, 3, first.length);
  expect(larger.length).toBeGreaterThanOrEqual(first.length + 3);
  expect([...larger.subarray(0, 3)]).toEqual([1, 2, 3]);
  expect(memory.enlarge(larger, 3, 1)).toBe(larger);
  memory.giveBack(larger.buffer as SharedArrayBuffer); // it was made as one
  expect(memory.take().buffer).toBe(larger.buffer);
});

test('of 100 returned buffers, 5 to 19 are kept, and none is handed out twice', () => {
  const memory = new AnswerMemory();
  const given = new Set(Array.from({ length: 100 }, () => new SharedArrayBuffer(8)));
  for (const buffer of given) memory.giveBack(buffer);
  const taken = Array.from({ length: 100 }, () => memory.take().buffer as SharedArrayBuffer); // it was made as one
  const keptCount = taken.filter((buffer) => given.has(buffer)).length;
  expect(keptCount).toBeGreaterThan(4);
  expect(keptCount).toBeLessThan(20);
  expect(new Set(taken).size).toBe(100);
});

test('kept memory is released ten seconds after the last buffer is returned', () => {
  vi.useFakeTimers();
  try {
    const memory = new AnswerMemory();
    const [early, late] = [new SharedArrayBuffer(8), new SharedArrayBuffer(8)];
    memory.giveBack(early);
    vi.advanceTimersByTime(9_000);
    memory.giveBack(late);
    vi.advanceTimersByTime(9_000); // less than ten seconds after the last
    expect(memory.take().buffer).toBe(late);
    vi.advanceTimersByTime(1_000);
    expect(memory.take().buffer).not.toBe(early);
  } finally {
    vi.useRealTimers();
  }
});
