// Histories of midpoints over HTTP, with a clock that the test moves: which points there are, that they equal the /midpoint
// of their times, how fields are refused; and the view behind them against a naive list of midpoints.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Command, encodeCommand, MarketField, MarketStatus, VirtualClock } from '../../engine/index.ts';
import { BooksView, MarketsView, MidpointsView } from '../../server/views/index.ts';
import { type JsonReply, send } from '../support/client.ts';
import { buyCommand, ownerCommands } from '../support/commands.ts';
import { orderIdOf, wordOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** The start of the test: a multiple of ten minutes since the epoch. */
const T0_S = 1_800_000_000;
const clock = new VirtualClock(T0_S * 1000);
const buyer = { owner: `0x${'a1'.repeat(20)}`, keyId: `0x${'b2'.repeat(16)}` };
let server: TestServer;
let orderCount = 0;

async function submit(command: Command): Promise<void> {
  const { events } = await server.exchange.submit(encodeCommand(command));
  expect(events.filter(({ type }) => type === 'Rejected')).toEqual([]);
}

/** Market n has the tokens 2n + 100 and 2n + 101. */
async function createMarket(index: number): Promise<void> {
  await submit({
    type: 'CreateMarket',
    eventNumber: 0,
    conditionId: wordOf(index + 1),
    firstToken: wordOf(2 * index + 100),
    secondToken: wordOf(2 * index + 101),
    ...PLAIN_TERMS,
    tail: Buffer.from(JSON.stringify({ slug: `m${index}`, question: 'So?' })),
  });
}

/** Rests a bid of 100 shares on the first token (outcome 0) or on the second (outcome 1). */
function bid(marketIndex: number, outcome: 0 | 1, pips: number): Promise<void> {
  orderCount += 1;
  const order = { orderId: orderIdOf(orderCount), marketIndex, outcome, pips, lots: 10_000 };
  return submit(buyCommand(buyer, { ...order, timestampMs: clock.now() }));
}

const cancelAll = (): Promise<void> => submit({ type: 'CancelAll', ...buyer });
const history = (query: string): Promise<JsonReply> => send(server.url, 'GET', `/prices-history?${query}`);
const midpoint = async (token: number): Promise<number> =>
  Number((await send(server.url, 'GET', `/midpoint?token_id=${token}`)).json.mid);
const pointsOf = async (query: string): Promise<readonly (readonly [number, number])[]> => {
  const { status, json } = await history(query);
  expect([status, json.error]).toEqual([200, undefined]);
  return json.history.map(({ t, p }: { t: number; p: number }) => [t - T0_S, p]);
};

beforeAll(async () => {
  server = await startTestServer({ clock });
  for (const command of ownerCommands(buyer)) await submit(command);
  for (const index of [0, 1, 2, 3]) await createMarket(index);
});
afterAll(() => server.close());

test('points are at full minutes, carry the last midpoint forward and end at the present', async () => {
  expect(await pointsOf('market=100&interval=max')).toEqual([]);
  await bid(0, 0, 4000); // 0:00, midpoint 0.7 with no ask
  clock.advance(20_000);
  await bid(0, 1, 4000); // 0:20, 0.4 and 0.6
  clock.advance(70_000);
  await bid(0, 0, 5000); // 1:30, 0.5 and 0.6
  clock.advance(195_000); // 4:45
  expect(await pointsOf('market=100&interval=max')).toEqual([
    [60, 0.5],
    [120, 0.55],
    [180, 0.55],
    [240, 0.55],
    [285, 0.55],
  ]);
  expect(await midpoint(100)).toBe(0.55);
  expect(await pointsOf('market=101&interval=max')).toEqual([
    [60, 0.5],
    [120, 0.45],
    [180, 0.45],
    [240, 0.45],
    [285, 0.45],
  ]);
  expect(await midpoint(101)).toBe(0.45);
});

test('a condition id selects its first token, and window, interval and fidelity select the points', async () => {
  const end = (seconds: number): number => T0_S + seconds;
  expect(await pointsOf(`market=${wordOf(1)}&startTs=${end(100)}&endTs=${end(200)}`)).toEqual([
    [120, 0.55],
    [180, 0.55],
  ]);
  expect(await pointsOf(`token_id=100&start_ts=${end(60)}&end_ts=${end(60)}`)).toEqual([[60, 0.5]]);
  expect(await pointsOf('market=100&interval=all&fidelity=2')).toEqual([
    [120, 0.55],
    [240, 0.55],
    [285, 0.55],
  ]);
  expect(await pointsOf(`market=100&interval=5m&endTs=${end(120)}`)).toEqual([
    [60, 0.5],
    [120, 0.55],
  ]);
  expect(await pointsOf(`market=100&startTs=${end(10_000)}`)).toEqual([]);
  expect((await pointsOf('market=100')).length).toBe(5);
});

test('a query that ends less than a minute ago gets a last point at exactly its end', async () => {
  const nowS = T0_S + 285;
  const upTo = (endS: number): Promise<readonly (readonly [number, number])[]> =>
    pointsOf(`market=100&startTs=${nowS - 6_000}&endTs=${endS}`);
  expect((await upTo(nowS - 1)).at(-1)).toEqual([284, 0.55]);
  expect((await upTo(nowS - 59)).at(-1)).toEqual([226, 0.55]);
  // Midpoints within a minute long past are not kept.
  expect((await upTo(nowS - 60)).at(-1)).toEqual([180, 0.55]);
});

test('an end before the last midpoint change gives the midpoint in force then, or no point', async () => {
  const startS = clock.now() / 1000;
  expect(startS % 60).toBe(45);
  clock.advance(25_000); // 10 s past a full minute
  await bid(3, 0, 4000);
  await bid(3, 1, 4000); // midpoint 0.5
  clock.advance(30_000);
  await bid(3, 0, 5000); // 0.55, 40 s past it
  clock.advance(5_000);
  const upTo = (seconds: number, rest = ''): Promise<readonly (readonly [number, number])[]> =>
    pointsOf(`market=106&endTs=${startS + seconds}${rest}`);
  const past = startS - T0_S;
  expect(await upTo(35)).toEqual([]); // it was 0.5, which is not kept
  expect(await upTo(20)).toEqual([]); // there was none
  expect(await upTo(55)).toEqual([[past + 55, 0.55]]);
  expect(await upTo(60)).toEqual([[past + 60, 0.55]]);
  clock.advance(20_000); // 5 s past the next full minute
  await bid(3, 0, 5500); // 0.575
  clock.advance(15_000);
  // An end that the step does not divide gives the same answer as one that it does.
  for (const fidelity of [1, 7]) expect(await upTo(75, `&fidelity=${fidelity}`)).toEqual([[past + 75, 0.55]]);
  expect((await upTo(90)).at(-1)).toEqual([past + 90, 0.575]);
  await submit({
    type: 'UpdateMarket',
    marketIndex: 3,
    mask: MarketField.STATUS,
    ...PLAIN_TERMS,
    status: MarketStatus.CLOSED,
  });
  clock.advance(86_400_000);
  expect((await upTo(77)).at(-1)).toEqual([past + 75, 0.55]);
  expect((await upTo(86_400)).at(-1)).toEqual([past + 95, 0.575]);
});

test('an interval reaches back from the present', async () => {
  await bid(1, 0, 3000);
  await bid(1, 1, 3000);
  clock.advance(8 * 86_400_000);
  await cancelAll();
  await bid(1, 0, 2000);
  await bid(1, 1, 4000);
  clock.advance(60_000);
  const counts = { '5m': 6, '15m': 16, '1h': 61, '6h': 361, '1d': 1_441, '1w': 10_081 } as const;
  for (const [interval, count] of Object.entries(counts)) {
    // The clock stands 45 s past a full minute: one point more than whole minutes, for the present.
    const points = await pointsOf(`market=102&interval=${interval}`);
    expect([interval, points.length]).toEqual([interval, count]);
    expect(points.at(-1)?.[1]).toBe(await midpoint(102));
    expect(points[0][1]).toBe(0.5);
  }
  expect((await pointsOf('market=102&interval=max')).length).toBeLessThanOrEqual(10_081);
  const fine = await history('market=102&interval=max&fidelity=1');
  expect([fine.status, fine.json.error]).toEqual([
    400,
    'invalid_field: fidelity: it would give 11521 points, the limit is 10080: use 2 or more',
  ]);
});

test('an end in the future asks for no more points than one at the present', async () => {
  const startTs = clock.now() / 1000 - 7 * 86_400;
  const now = await pointsOf(`market=102&startTs=${startTs}&fidelity=1`);
  expect(now.length).toBeGreaterThan(10_000);
  expect(await pointsOf(`market=102&startTs=${startTs}&endTs=99999999999&fidelity=1`)).toEqual(now);
});

test('the interval 1m is a month of 30 days, as in production, whatever the fidelity', async () => {
  expect(await pointsOf('market=102&interval=1m&fidelity=10')).toEqual(
    await pointsOf('market=102&interval=max&fidelity=10'),
  );
  clock.advance(32 * 86_400_000);
  const monthAgo = clock.now() / 1000 - T0_S - 30 * 86_400;
  // The clock stands off the minutes: one point more than 30 days hold, for the present.
  const fidelities = { '&fidelity=10': [10, 4_321], '&fidelity=5': [5, 8_641], '': [5, 8_641] } as const;
  for (const [fidelity, [minutes, count]] of Object.entries(fidelities)) {
    const points = await pointsOf(`market=102&interval=1m${fidelity}`);
    expect([fidelity, points.length]).toEqual([fidelity, count]);
    expect(points[0][0]).toBeGreaterThanOrEqual(monthAgo);
    expect(points[0][0]).toBeLessThan(monthAgo + 60 * minutes);
  }
});

test('a closed market keeps its history, unaffected by the orders that its close removed', async () => {
  await bid(2, 0, 3000);
  await bid(2, 1, 5000);
  expect(await midpoint(104)).toBe(0.4);
  const before = clock.now() / 1000 - T0_S;
  clock.advance(100_000);
  const close = { type: 'UpdateMarket', marketIndex: 2, mask: MarketField.STATUS, ...PLAIN_TERMS } as const;
  await submit({ ...close, status: MarketStatus.CLOSED });
  clock.advance(600_000);
  const points = await pointsOf('market=104&interval=max');
  expect(points.at(-1)).toEqual([before + 100, 0.4]);
  expect(points.every(([, price]) => price === 0.4)).toBe(true);
  expect(await pointsOf('market=104&interval=5m')).toEqual([]);
});

test('a batch is keyed by the ids as requested, and omits unknown ones', async () => {
  const batch = (body: unknown): Promise<JsonReply> => send(server.url, 'POST', '/batch-prices-history', body);
  const { status, json } = await batch({
    markets: ['100', '101', wordOf(1), '999', '100'],
    start_ts: T0_S,
    end_ts: T0_S + 120,
  });
  expect(status).toBe(200);
  const yes = [
    { t: T0_S + 60, p: 0.5 },
    { t: T0_S + 120, p: 0.55 },
  ];
  const no = [
    { t: T0_S + 60, p: 0.5 },
    { t: T0_S + 120, p: 0.45 },
  ];
  expect(json).toEqual({ history: { '100': yes, '101': no, [wordOf(1)]: yes } });
  const withText = await batch({ markets: ['101'], start_ts: String(T0_S), end_ts: T0_S + 120, fidelity: 2 });
  expect(withText.json).toEqual({ history: { '101': [no[1]] } });
  expect((await batch({ markets: [] })).json).toEqual({ history: {} });
  expect(Object.keys((await batch({ markets: ['100'] })).json.history)).toEqual(['100']);
});

test('invalid and missing fields are rejected by name, an unknown market with 404', async () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['', 'missing_field: market'],
    ['market=', 'missing_field: market'],
    ['market=x', 'invalid_field: market'],
    ['token_id=0x12', 'invalid_field: token_id'],
    ['market=100&interval=2h', 'invalid_field: interval'],
    ['market=100&interval=__proto__', 'invalid_field: interval'],
    ['market=100&fidelity=0', 'invalid_field: fidelity'],
    ['market=100&fidelity=1.5', 'invalid_field: fidelity'],
    ['market=100&fidelity=525601', 'invalid_field: fidelity'],
    ['market=100&startTs=-1', 'invalid_field: startTs'],
    ['market=100&endTs=1e9', 'invalid_field: endTs'],
    ['market=100&start_ts=x', 'invalid_field: start_ts'],
    ['market=100&startTs=2&endTs=1', 'invalid_field: startTs: it must be at most endTs, which is 1'],
    ['market=100&start_ts=2&end_ts=1', 'invalid_field: start_ts: it must be at most end_ts, which is 1'],
    ['market=100&start_ts=2&endTs=1', 'invalid_field: start_ts: it must be at most endTs, which is 1'],
    ['market=100&startTs=1760000000000', 'invalid_field: startTs: it must be at most 99999999999 unix seconds'],
    ['market=100&end_ts=100000000000', 'invalid_field: end_ts: it must be at most 99999999999 unix seconds'],
  ];
  for (const [query, text] of refusals) {
    const { status, json } = await history(query);
    expect([query, status, json.error.slice(0, text.length)]).toEqual([query, 400, text]);
  }
  const unknown = await history('market=999');
  expect([unknown.status, unknown.json.error]).toEqual([404, 'market not found']);
  const bodies: readonly (readonly [unknown, string])[] = [
    [{}, 'missing_field: markets'],
    [[], 'Invalid payload'],
    [{ markets: '100' }, 'invalid_field: markets'],
    [{ markets: [100] }, 'invalid_field: markets'],
    [
      { markets: Array.from({ length: 21 }, () => '100') },
      'invalid_field: markets: it must name at most 20 markets, got 21',
    ],
    [{ markets: ['100'], fidelity: [] }, 'invalid_field: fidelity'],
    [{ markets: ['100'], start_ts: 1.5 }, 'invalid_field: start_ts'],
    [{ markets: ['100'], start_ts: 2, end_ts: 1 }, 'invalid_field: start_ts: it must be at most end_ts, which is 1'],
    [{ markets: ['100'], interval: 'week' }, 'invalid_field: interval'],
  ];
  for (const [body, text] of bodies) {
    const { status, json } = await send(server.url, 'POST', '/batch-prices-history', body);
    expect([status, json.error.slice(0, text.length)]).toEqual([400, text]);
  }
});

test('samples equal those of a naive list of all midpoints', () => {
  const change = fc.record({ afterMs: fc.nat(150_000), pips: fc.integer({ min: 1, max: 5 }) });
  const asked = fc.record({ start: fc.nat(900), length: fc.nat(900), step: fc.integer({ min: 1, max: 3 }) });
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 30, size: 'max' }),
      asked,
      fc.nat(120),
      (changes, { start, length, step }, restS) => {
        const [history, books, markets] = [new MidpointsView(), new BooksView(), new MarketsView()];
        const terms = { ...PLAIN_TERMS, marketIndex: 0, eventNumber: 0 };
        const ids = { conditionId: wordOf(1), firstToken: wordOf(2), secondToken: wordOf(3) };
        const created = { type: 'MarketCreated', ...terms, ...ids } as const;
        markets.created(created, { type: 'Tick' }, 0);
        const every: { readonly tMs: number; readonly sum: number }[] = [];
        let tMs = T0_S * 1000;
        let held = 0;
        for (const { afterMs, pips } of changes) {
          tMs += afterMs;
          if (held !== 0) books.add(0, 0, 0, held, -1);
          books.add(0, 0, 0, pips, 1);
          held = pips;
          history.bookChanged(0);
          history.recordEnded(books, markets, tMs);
          every.push({ tMs, sum: pips + 10_000 });
        }
        const lastS = Math.floor(tMs / 1000) + restS;
        const [startS, endS, stepS] = [T0_S + start, T0_S + start + length, step * 60];
        const got = history.samples(0, { startS, endS, lastS, stepS });
        const wanted: (readonly [number, number])[] = [];
        for (let timeS = T0_S; timeS < lastS && timeS <= endS; timeS += 60) {
          if (timeS < startS || timeS % stepS !== 0) continue;
          const inForce = every.findLast((one) => one.tMs < timeS * 1000);
          if (inForce !== undefined) wanted.push([timeS, inForce.sum]);
        }
        const shownS = Math.min(endS, lastS);
        const isNow = lastS - shownS < 60 && startS <= shownS && wanted.at(-1)?.[0] !== shownS;
        // The present is known completely, a full minute by what came before it, and other times by a value that has held
        // ever since.
        const isFull = shownS < lastS && shownS % 60 === 0;
        const inForce = every.findLast(({ tMs: atMs }) => atMs < (isFull ? shownS : shownS + 1) * 1000);
        const since = every.filter(({ tMs: atMs }) => atMs >= (shownS + 1) * 1000);
        const isKnown = isFull || since.every(({ sum }) => sum === inForce?.sum);
        if (inForce !== undefined && isNow && isKnown) wanted.push([shownS, inForce.sum]);
        expect(got.times.map((timeS, index) => [timeS, got.sums[index]])).toEqual(wanted);
      },
    ),
    { numRuns: 500 },
  );
});
