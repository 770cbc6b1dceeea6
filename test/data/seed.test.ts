// The seed catalog of data/ against its own rules (format, ids, prices, winners, minimum content) and, where the recorded
// data is present, against the records from which its facts come. It reads the catalog as text and never changes it;
// data/README.md describes in words what is tested here.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { conditionId, tokenIds } from '../../server/auth/conditionalTokens.ts';
import { bytesToHex } from '../../server/auth/hex.ts';
import { keccak256Text } from '../../server/auth/keccak.ts';
import { readSeed } from '../../server/dev/seed.ts';

const recordedFolder = process.env.OUTCRY_RECORDED_DATA;

const oracle = '0x0000000000000000000000000000000000000001';
const collateral = '0xC011a7E12A19f7B1f670d46F03B03f3342E82DFB';
/** The collateral of the recorded markets: USDC.e, and its wrapped form for neg-risk markets. */
const recordedCollateral = '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174';
const recordedNegRiskCollateral = '0x3A3BD7bb9528E159577F7C2e685CC81A765002E2';

const tickSizes = ['0.1', '0.01', '0.005', '0.0025', '0.001', '0.0001'] as const;
const feeRateByCategory: Readonly<Record<string, string>> = {
  crypto: '0.07',
  sports: '0.05',
  economics: '0.05',
  culture: '0.05',
  weather: '0.05',
  politics: '0.04',
  tech: '0.04',
  finance: '0.04',
  mentions: '0.04',
  geopolitics: '0',
};

const slug = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/);
const text = z.string().regex(/^\S.*\S$/);
const amount = z.string().regex(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
const bytes32 = z.string().regex(/^0x[0-9a-f]{64}$/);
const tokenId = z.string().regex(/^[1-9]\d{60,77}$/);
const dates = {
  startDay: z.int().min(-400).max(0).optional(),
  endDay: z.int().min(7).max(400).optional(),
  startDate: z.iso.datetime().optional(),
  endDate: z.iso.datetime().optional(),
};
const marketSchema = z.strictObject({
  slug,
  question: text,
  description: text,
  groupItemTitle: text.optional(),
  conditionId: bytes32,
  questionId: bytes32,
  tokenIds: z.tuple([tokenId, tokenId]),
  outcomes: z.tuple([text, text]),
  tickSize: z.enum(tickSizes),
  minOrderSize: amount.optional(),
  secondsDelay: z.int().min(0).max(60).optional(),
  fee: z.strictObject({ rate: amount, exponent: z.int().min(1).max(4) }).optional(),
  rewards: z.strictObject({ dailyRate: amount, minSize: amount, maxSpread: amount }).optional(),
  lastPrice: amount,
  status: z.enum(['open', 'closed', 'resolved']),
  winner: text.optional(),
  facts: z.enum(['recorded', 'derived']),
  ...dates,
});
const eventSchema = z.strictObject({
  slug,
  ticker: z
    .string()
    .regex(/^[A-Z0-9]+$/)
    .optional(),
  title: text,
  description: text,
  tags: z.array(slug).min(1),
  series: slug.optional(),
  negRisk: z.boolean(),
  ...dates,
  markets: z.array(marketSchema).min(1),
});
const seedSchema = z.strictObject({
  version: z.literal(1),
  tags: z.array(z.strictObject({ slug, label: text })),
  series: z.array(
    z.strictObject({ slug, title: text, recurrence: z.enum(['5m', 'daily', 'weekly', 'monthly', 'annual']) }),
  ),
  events: z.array(eventSchema),
});
type Market = z.infer<typeof marketSchema>;

const seed = seedSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, '../../data/seed.json'), 'utf8')));
const rows = seed.events.flatMap((event) => event.markets.map((market) => ({ event, market })));
const markets = rows.map(({ market }) => market);

/** A price or tick of at most four decimals in pips (1e-4 of one collateral unit). */
function pips(decimal: string): number {
  const [whole = '', fraction = ''] = decimal.split('.');
  expect(fraction.length, `${decimal} has more than four decimals`).toBeLessThanOrEqual(4);
  return Number(whole) * 10_000 + Number(fraction.padEnd(4, '0'));
}

function expectUnique(values: readonly string[]): void {
  expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
}

function countBy(select: (market: Market) => boolean): number {
  return markets.filter(select).length;
}

describe('format', () => {
  test('slugs, condition ids, question ids and token ids are unique', () => {
    expectUnique(seed.tags.map((tag) => tag.slug));
    expectUnique(seed.series.map((series) => series.slug));
    expectUnique(seed.events.map((event) => event.slug));
    expectUnique(seed.events.flatMap((event) => event.ticker ?? []));
    expectUnique(markets.map((market) => market.slug));
    expectUnique(markets.map((market) => market.conditionId));
    expectUnique(markets.map((market) => market.questionId));
    expectUnique(markets.flatMap((market) => market.tokenIds));
    expectUnique(markets.map((market) => market.question));
  });

  test('every tag and series that an event names exists, and none is unused', () => {
    const tagsNamed = new Set(seed.events.flatMap((event) => event.tags));
    expect([...tagsNamed].sort()).toEqual(seed.tags.map((tag) => tag.slug).sort());
    const seriesNamed = new Set(seed.events.flatMap((event) => event.series ?? []));
    expect([...seriesNamed].sort()).toEqual(seed.series.map((series) => series.slug).sort());
  });

  test('open markets have day offsets, closed and resolved ones real dates', () => {
    for (const { event, market } of rows) {
      const { startDay, endDay, startDate, endDate } = { ...event, ...market };
      if (market.status === 'open') {
        expect([startDate, endDate], market.slug).toEqual([undefined, undefined]);
        expect([typeof startDay, typeof endDay], market.slug).toEqual(['number', 'number']);
      } else {
        expect([startDay, endDay], market.slug).toEqual([undefined, undefined]);
        expect(typeof endDate, market.slug).toBe('string');
        if (startDate !== undefined) expect(Date.parse(startDate)).toBeLessThan(Date.parse(endDate ?? ''));
      }
    }
  });

  test('the two outcomes of a market differ', () => {
    for (const market of markets) expect(market.outcomes[0], market.slug).not.toBe(market.outcomes[1]);
  });

  test('last prices are multiples of the tick, from one tick to one minus one tick', () => {
    for (const market of markets) {
      const tickPips = pips(market.tickSize);
      const pricePips = pips(market.lastPrice);
      expect(pricePips % tickPips, `${market.slug}: ${market.lastPrice} on ${market.tickSize}`).toBe(0);
      expect(pricePips, market.slug).toBeGreaterThanOrEqual(tickPips);
      expect(pricePips, market.slug).toBeLessThanOrEqual(10_000 - tickPips);
    }
  });

  test('resolved markets have one of their outcomes or "split" as winner, and all others have no winner', () => {
    for (const market of markets) {
      if (market.status === 'resolved') expect([...market.outcomes, 'split'], market.slug).toContain(market.winner);
      else expect(market.winner, market.slug).toBeUndefined();
    }
  });

  test('an open neg-risk event has Yes/No markets whose prices add up to one', () => {
    const events = seed.events.filter(({ negRisk, markets: [first] }) => negRisk && first?.status === 'open');
    for (const event of events) {
      expect(new Set(event.markets.map((market) => market.outcomes.join('/'))), event.slug).toEqual(
        new Set(['Yes/No']),
      );
      const sumPips = event.markets.reduce((sum, market) => sum + pips(market.lastPrice), 0);
      expect(sumPips, event.slug).toBe(10_000);
    }
  });

  test('the fee of a market is that of its category, which is the first tag of its event', () => {
    for (const { event, market } of rows) {
      expect(market.fee, market.slug).toEqual({ rate: feeRateByCategory[event.tags[0] ?? ''], exponent: 1 });
    }
  });
});

describe('rewards', () => {
  test('only open markets offer rewards, with amounts above zero and a spread of at most 10 cents', () => {
    for (const { slug: name, status, rewards } of markets.filter((market) => market.rewards !== undefined)) {
      expect(status, name).toBe('open');
      expect(Number(rewards?.dailyRate), name).toBeGreaterThan(0);
      expect(Number(rewards?.minSize), name).toBeGreaterThan(0);
      expect(Number(rewards?.maxSpread), name).toBeGreaterThan(0);
      expect(Number(rewards?.maxSpread), name).toBeLessThanOrEqual(10);
    }
  });

  test('between a fifth and a third of the open markets offer rewards', () => {
    const openCount = countBy(({ status }) => status === 'open');
    const rewardedCount = countBy(({ rewards }) => rewards !== undefined);
    expect(rewardedCount).toBeGreaterThanOrEqual(openCount / 5);
    expect(rewardedCount).toBeLessThanOrEqual(openCount / 3);
  });
});

describe('ids', () => {
  test('derived ids follow from the slug', () => {
    for (const market of markets.filter(({ facts }) => facts === 'derived')) {
      const questionId = bytesToHex(keccak256Text(market.slug));
      const condition = conditionId(oracle, questionId);
      const derived = { questionId, conditionId: condition, tokenIds: tokenIds(collateral, condition) };
      expect(market, market.slug).toMatchObject(derived);
    }
  });

  test('recorded token ids follow from the recorded condition id', () => {
    for (const { event, market } of rows.filter((row) => row.market.facts === 'recorded')) {
      const settledIn = event.negRisk ? recordedNegRiskCollateral : recordedCollateral;
      expect(tokenIds(settledIn, market.conditionId), market.slug).toEqual(market.tokenIds);
    }
  });
});

describe('content', () => {
  test('readSeed reads every event of the catalog', () => {
    expect(readSeed().events.length).toBe(seed.events.length);
  });

  test('there are at least 60 events, 150 markets and 15 series, and most markets are open', () => {
    expect(seed.events.length).toBeGreaterThanOrEqual(60);
    expect(markets.length).toBeGreaterThanOrEqual(150);
    expect(seed.series.length).toBeGreaterThanOrEqual(15);
    expect(countBy(({ status }) => status === 'open')).toBeGreaterThan(markets.length / 2);
    expect(countBy(({ status }) => status === 'closed')).toBeGreaterThanOrEqual(5);
    expect(countBy(({ status }) => status === 'resolved')).toBeGreaterThanOrEqual(40);
  });

  test('every category has an open event', () => {
    const open = seed.events.filter((event) => event.markets.some(({ status }) => status === 'open'));
    const categories = new Set(open.map((event) => event.tags[0]));
    expect([...categories].sort()).toEqual(Object.keys(feeRateByCategory).sort());
  });

  test('every tick size is used by an open market', () => {
    for (const tickSize of tickSizes) {
      expect(
        countBy((market) => market.status === 'open' && market.tickSize === tickSize),
        tickSize,
      ).toBeGreaterThan(0);
    }
  });

  test('at least three open neg-risk events have five markets or more', () => {
    const large = seed.events.filter(({ negRisk, markets: list }) => negRisk && list.length >= 5);
    const open = large.filter((event) => event.markets.every(({ status }) => status === 'open'));
    expect(open.length).toBeGreaterThanOrEqual(3);
  });

  test('exactly one market is resolved as a split, and an open sports market has a delay of three seconds', () => {
    expect(countBy(({ winner }) => winner === 'split')).toBe(1);
    const delayed = rows.filter(({ market }) => market.status === 'open' && market.secondsDelay === 3);
    expect(delayed.some(({ event }) => event.tags[0] === 'sports')).toBe(true);
  });
});

/** Every file below the folder whose name matches, read by `read`. */
function recordedFiles(folder: string, name: RegExp, read: (file: string) => string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const wanted = entries.filter((entry) => entry.isFile() && name.test(entry.name));
  return wanted.map((entry) => read(join(entry.parentPath, entry.name)));
}

/** The texts of records: JSON files with every string as JSON writes it without escapes, CSV files as they are. */
function recordedTexts(folder: string): string {
  const json = recordedFiles(folder, /\.json$/, (file) => JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))));
  const csv = recordedFiles(folder, /^market.*\.csv$/, (file) => readFileSync(file, 'utf8'));
  return [...json, ...csv].join('\n').replaceAll('\\', '');
}

/** The cells of large packed tables: too many to search for parts of one, so an own text is compared with whole cells. */
function recordedCells(folder: string): ReadonlySet<string> {
  const tables = recordedFiles(folder, /^market.*\.csv\.gz$/, (file) =>
    gunzipSync(readFileSync(file)).toString('utf8'),
  );
  const cells = tables.flatMap((table) => table.match(/"(?:[^"]|"")*"|[^,\n]+/g) ?? []);
  return new Set(cells.map((cell) => cell.replace(/^"|"$/g, '').replaceAll('""', '"')));
}

describe('recorded data', () => {
  const recorded = recordedFolder === undefined ? undefined : recordedTexts(recordedFolder);

  test('ids marked as recorded occur in the recorded data', () => {
    if (recorded === undefined)
      return console.info('OUTCRY_RECORDED_DATA is not set: recorded ids were not looked up.');
    for (const market of markets.filter(({ facts }) => facts === 'recorded')) {
      for (const id of [market.conditionId, market.questionId, ...market.tokenIds]) {
        expect(recorded.includes(id), `${market.slug}: ${id}`).toBe(true);
      }
    }
    return undefined;
  });

  test('no title, slug, question or description of the catalog is copied from the recorded data', () => {
    if (recordedFolder === undefined || recorded === undefined)
      return console.info('OUTCRY_RECORDED_DATA is not set: texts were not compared.');
    const cells = recordedCells(recordedFolder);
    const sentences = [...seed.events, ...markets].map(({ description }) => description);
    const copied = [...sentences, ...markets.map(({ question }) => question)].filter((own) => recorded.includes(own));
    const names = seed.events
      .flatMap((event) => [event.title, event.slug])
      .concat(markets.map((market) => market.slug));
    const taken = names.filter((own) => recorded.includes(`"${own}"`) || recorded.includes(`\n${own},`));
    const inTables = [...sentences, ...markets.map(({ question }) => question), ...names].filter((own) =>
      cells.has(own),
    );
    expect([...copied, ...taken, ...inTables]).toEqual([]);
    return undefined;
  });
});
