// The cached bytes of books against books rendered from scratch, and the ring of changes against a plain list: seeded
// changes, compared after each.
import { expect, test } from 'vitest';
import { MarketStatus, Side } from '../../engine/index.ts';
import { ChangeLog, NONE } from '../../server/streams/changeLog.ts';
import { BooksView, type Market } from '../../server/views/index.ts';
import { bookObjectJson } from '../../server/wire/books.ts';
import { BookTexts } from '../../server/wire/bookText.ts';
import type { MarketChange } from '../../server/wire/marketChanges.ts';
import { randomOf } from '../pipeline/workload.ts';

const terms = (tickPips: number, minOrderLots: number) => ({
  ...{ tickPips, minOrderLots, minMarketableBuyMicro: 0, feeRate: 0, feeExponent: 1, delaySeconds: 0, autoTick: false },
});

function marketAt(timeMs: number): { -readonly [K in keyof Market]: Market[K] } {
  return {
    ...{ index: 0, marketId: 1, eventNumber: 0, conditionId: `0x${'c'.repeat(64)}`, questionId: '' },
    ...{ tokens: ['123456', '654321'], outcomes: ['Yes', 'No'], slug: '', question: '', texts: {} },
    ...{ terms: terms(100, 500), negRisk: false, status: MarketStatus.OPEN, resolution: undefined },
    ...{ createdMs: timeMs, updatedMs: timeMs, closedMs: undefined, resolvedMs: undefined, lastTrade: undefined },
    ...{ bookChangedMs: timeMs, tradeCount: 0, version: 0 },
  };
}

function cachedText({ tokens }: BookTexts, outcome: 0 | 1): string {
  let text = '{';
  tokens[outcome].writeRest({
    text: (latin1) => {
      text += latin1;
    },
    bytes: (source, from, to) => {
      text += source.toString('latin1', from, to);
    },
  });
  return text;
}

test('after every change the cached bytes equal a full rendering of the book, including its hash', () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const random = randomOf(seed);
    const books = new BooksView();
    const market = marketAt(999_990);
    const texts = new BookTexts(market, [books.book(0, 0), books.book(0, 1)], market);
    for (let step = 0; step < 800; step += 1) {
      const levels: number[] = [];
      const count = random(3);
      for (let at = 0; at < count; at += 1) {
        const isBid = random(2) === 1;
        const pips = isBid ? 1 + random(24) * (1 + (seed % 3) * 100) : 9_999 - random(24) * 100;
        const standing = books.lotsAt(0, isBid, pips);
        const lots = random(3) === 0 ? -standing : 1 + random(10 ** (1 + random(8)));
        if (lots === 0) continue;
        books.add(0, 0, isBid ? Side.BUY : Side.SELL, pips, lots);
        levels.push(pips, isBid ? 1 : 0, lots);
      }
      if (random(4) > 0) market.bookChangedMs += random(3);
      if (random(40) === 0) market.terms = terms([1, 10, 100][random(3)], 100 + random(900));
      if (random(60) === 0) market.negRisk = !market.negRisk;
      if (random(20) === 0) market.lastTrade = { pricePips: 1 + random(9_999), side: Side.BUY, tMs: 1 };
      texts.apply(levels, levels.length / 3, books, 0);
      texts.setFacts(market);
      for (const outcome of [0, 1] as const) {
        const rendered = bookObjectJson(market, outcome, books.book(0, outcome));
        expect(cachedText(texts, outcome), `seed ${seed}, step ${step}`).toBe(rendered);
        expect(rendered).toContain(`"hash":"${texts.tokens[outcome].hash}"`);
      }
    }
    expect(market.bookChangedMs).toBeGreaterThan(1_000_000); // the timestamp gained a digit on the way
  }
});

test('the ring returns the kept changes of each market until newer ones overwrite them', () => {
  const random = randomOf(7);
  const changeLog = new ChangeLog(64);
  const pushed: MarketChange[][] = [[], [], []];
  const latest = [NONE, NONE, NONE];
  const places: number[] = [];
  let isForgotten = false;
  for (let step = 0; step < 1_200; step += 1) {
    const market = random(3);
    const levelCount = random(12);
    const tradeCount = random(4) === 0 ? 1 + random(5) : 0;
    const change: MarketChange = {
      tMs: 1_700_000_000_000 + step,
      levels: Array.from({ length: levelCount }, () => [1 + random(9_999), random(2), random(1_000) * 1e10 - 1]).flat(),
      levelCount,
      trades: Array.from({ length: tradeCount }, () => ({
        ...{ tradeNumber: step, outcome: random(2), side: random(2), pricePips: random(10_000), lots: random(1e9) },
      })),
      ...{
        oldTickPips: random(2) * 100,
        isTop: random(2) === 1,
        isWhole: random(2) === 1,
        isResolved: random(9) === 0,
      },
      after: {
        bookChangedMs: step,
        terms: { tickPips: 100, minOrderLots: random(1e6) },
        negRisk: random(2) === 1,
        lastTrade: random(2) === 0 ? undefined : { pricePips: random(10_000) },
      },
    };
    pushed[market].push(change);
    latest[market] = changeLog.push(change, latest[market]);
    places.push(latest[market]);
    // There is room for fifteen of the longest of them.
    expect(places.slice(-15).filter((place) => changeLog.read(place) === undefined)).toEqual([]);
    let at = latest[market];
    for (let index = pushed[market].length - 1; index >= 0; index -= 1) {
      const entry = changeLog.read(at);
      if (entry === undefined) {
        isForgotten = true;
        break;
      }
      expect(entry.change).toEqual(pushed[market][index]);
      at = entry.previousAt;
    }
  }
  expect(isForgotten).toBe(true);
  const huge = { ...pushed[0][0], levels: new Array<number>(6_000).fill(1), levelCount: 2_000 };
  expect(changeLog.push(huge, NONE)).toBe(NONE);
  expect(changeLog.read(NONE)).toBeUndefined();
});
