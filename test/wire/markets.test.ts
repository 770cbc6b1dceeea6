// The forms of a market in the order-book style: each has exactly the keys that interface.md 2.4 gives it (or that the
// compact record of wire.md C.3 has), and their values follow status, trades and resolution.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MarketField, MarketStatus, marketDefaults } from '../../engine/index.ts';
import type { Market } from '../../server/views/index.ts';
import {
  compactRecord,
  detailRecord,
  fullRecord,
  keptRows,
  simplifiedRecord,
  tokenConditionRecord,
} from '../../server/wire/markets.ts';
import { textOfPieces } from '../../server/wire/pieces.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { T0, ViewsWorld } from './world.ts';

const FULL_KEYS = [
  'enable_order_book',
  'active',
  'closed',
  'archived',
  'accepting_orders',
  'accepting_order_timestamp',
  'minimum_order_size',
  'minimum_tick_size',
  'condition_id',
  'question_id',
  'question',
  'description',
  'market_slug',
  'end_date_iso',
  'game_start_time',
  'seconds_delay',
  'fpmm',
  'maker_base_fee',
  'taker_base_fee',
  'notifications_enabled',
  'neg_risk',
  'neg_risk_market_id',
  'neg_risk_request_id',
  'icon',
  'image',
  'rewards',
  'is_50_50_outcome',
  'tokens',
  'tags',
];
const DETAIL_KEYS = ['status', 'market_id', 'slug', 'assets_ids', 'outcomes', 'event', 'raw_metadata'];
const SIMPLIFIED_KEYS = [
  'condition_id',
  'status',
  'neg_risk',
  'market_id',
  'question',
  'slug',
  'active',
  'closed',
  'archived',
  'accepting_orders',
  'tokens',
  'rewards',
  'assets_ids',
  'outcomes',
];

const TAGS = ['Weather'];
let world: ViewsWorld;
let market: Market;
beforeAll(async () => {
  world = await ViewsWorld.open();
  await world.submit({
    type: 'CreateEvent',
    negRisk: 1,
    tail: Buffer.from(
      JSON.stringify({
        slug: 'weather',
        title: 'Weather',
        ticker: 'WTHR',
        tags: ['Weather'],
        description: 'All of it.',
      }),
    ),
  });
  market = await world.market(
    { outcomes: ['Wet', 'Dry'], lastPrice: '0.31', questionId: `0x${'7'.repeat(64)}`, endDate: '2030-01-01T00:00:00Z' },
    { eventNumber: 1, negRisk: 1, feeRate: 500, feeExponent: 2, tickPips: 25, delaySeconds: 3 },
  );
});
afterAll(() => world.close());

const event = () => world.views.markets.eventByNumber(1);
const sorted = (keys: readonly string[]): readonly string[] => [...keys].sort();
const keysOf = (record: object): readonly string[] => sorted(Object.keys(record));

test('each form of a market record has exactly its keys', () => {
  expect(keysOf(fullRecord(market, event(), TAGS))).toEqual(sorted(FULL_KEYS));
  expect(keysOf(detailRecord(market, event(), TAGS))).toEqual(sorted([...FULL_KEYS, ...DETAIL_KEYS]));
  expect(keysOf(simplifiedRecord(market))).toEqual(sorted(SIMPLIFIED_KEYS));
  expect(keysOf(detailRecord(market, event(), TAGS).event)).toEqual(
    sorted(['id', 'slug', 'title', 'ticker', 'description']),
  );
  expect(keysOf(fullRecord(market, undefined, []))).toEqual(sorted(FULL_KEYS));
});

test('an open market shows its terms and, before any trade, the lastPrice of its texts', () => {
  expect(detailRecord(market, event(), TAGS)).toMatchObject({
    active: true,
    closed: false,
    archived: false,
    accepting_orders: true,
    enable_order_book: true,
    notifications_enabled: false,
    maker_base_fee: 1000,
    accepting_order_timestamp: new Date(T0).toISOString(),
    minimum_order_size: 5,
    minimum_tick_size: 0.0025,
    end_date_iso: '2030-01-01T00:00:00Z',
    game_start_time: null,
    seconds_delay: 3,
    taker_base_fee: 1000,
    neg_risk: true,
    question_id: `0x${'7'.repeat(64)}`,
    tags: ['Weather'],
    status: 'active',
    market_id: 1,
    tokens: [
      { token_id: '1000', outcome: 'Wet', price: 0.31, winner: false },
      { token_id: '1001', outcome: 'Dry', price: 0.69, winner: false },
    ],
    event: { id: '1', slug: 'weather', title: 'Weather', ticker: 'WTHR', description: 'All of it.' },
  });
});

test('texts of a market take precedence over those of its event, and invalid times become null', () => {
  const shown = (texts: object, ofEvent: object = {}) => {
    const row = event();
    if (row === undefined) throw new Error('the event is there');
    const owner = { ...row, texts: { ...row.texts, ...ofEvent } };
    return fullRecord({ ...market, texts: { ...market.texts, ...texts } }, owner, TAGS);
  };
  const [own, other] = ['2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z'];
  expect(shown({ endDate: own, description: 'Mine.' }, { endDate: other })).toMatchObject({
    end_date_iso: own,
    description: 'Mine.',
  });
  for (const none of [undefined, '', 'soon']) {
    expect(shown({ endDate: none }, { endDate: other }).end_date_iso).toBe(other);
    expect(shown({ endDate: none }, { endDate: none }).end_date_iso).toBe(null);
    expect(shown({ gameStartTime: none }).game_start_time).toBe(null);
  }
  expect(shown({ description: '' }).description).toBe('All of it.');
  expect(shown({ archived: true }).archived).toBe(true);
});

test('the compact record carries what a client needs to trade', () => {
  expect(compactRecord(market)).toMatchObject({
    c: market.conditionId,
    t: [
      { t: '1000', o: 'Wet' },
      { t: '1001', o: 'Dry' },
    ],
    mts: 0.0025,
    mos: 5,
    nr: true,
    fd: { r: 0.05, e: 2, to: true },
    r: null,
    ao: true,
    sd: 3,
  });
  expect(tokenConditionRecord(market)).toEqual({
    condition_id: market.conditionId,
    primary_token_id: '1000',
    secondary_token_id: '1001',
  });
});

test('the compact record has the rewards of a market, or null if it offers none', async () => {
  const rate = (rewards_daily_rate: number) => ({ asset_address: `0x${'5'.repeat(40)}`, rewards_daily_rate });
  const offering = await world.market({ rewards: { rates: [rate(12.5)], minSize: 50, maxSpread: 3.5 } });
  expect(compactRecord(offering).r).toEqual({ mi: 50, ma: 3.5, e: true });
  const ended = await world.market({ rewards: { rates: [rate(0)], minSize: 50, maxSpread: 3.5 } });
  expect(compactRecord(ended).r).toBeNull();
});

test('the compact record of a plain market omits the optional keys', async () => {
  const plain = await world.market();
  const record = compactRecord(plain);
  expect(record).not.toHaveProperty('nr');
  expect(record).not.toHaveProperty('fd');
  expect(JSON.stringify(record)).toContain('"mts":0.01,');
});

test('the last trade sets the token prices until the resolution sets them to 0 and 1', async () => {
  const traded = await world.market({ lastPrice: '0.9' });
  const [alice, bob] = [await world.owner(), await world.owner()];
  await world.place(alice, 4000, 10, { market: traded.index });
  await world.place(bob, 6000, 10, { market: traded.index, outcome: 1 });
  expect(simplifiedRecord(traded).tokens).toMatchObject([{ price: 0.4 }, { price: 0.6 }]);
  await world.submit({ type: 'ResolveMarket', marketIndex: traded.index, resolution: 1 });
  expect(fullRecord(traded, undefined, [])).toMatchObject({
    active: true,
    closed: true,
    accepting_orders: false,
    enable_order_book: false,
    is_50_50_outcome: false,
    tokens: [
      { price: 0, winner: false },
      { price: 1, winner: true },
    ],
  });
  expect(simplifiedRecord(traded).status).toBe('resolved');
});

test('a cached row is built once and rebuilt only after a change to its market', async () => {
  const held = await world.market({ lastPrice: '0.9' });
  const marketIndex = held.index;
  const [alice, bob] = [await world.owner(), await world.owner()];
  let madeCount = 0;
  const rowOf = keptRows((row, itsEvent, itsTags) => {
    madeCount += 1;
    return fullRecord(row, itsEvent, itsTags);
  });
  let tags: readonly string[] = TAGS;
  const labels = { eventOf: () => undefined, tagNamesOf: () => tags };
  const look = (count: number): void => {
    for (let i = 0; i < 3; i += 1) {
      expect(textOfPieces([rowOf(labels, held)])).toBe(JSON.stringify(fullRecord(held, undefined, TAGS)));
    }
    expect(madeCount).toBe(count);
  };
  const terms = { ...PLAIN_TERMS, ...marketDefaults, tickPips: 10 };
  const update = { type: 'UpdateMarket', marketIndex, ...terms } as const;
  look(1);
  await world.place(alice, 4000, 10, { market: marketIndex }); // the book is no part of a row
  look(1);
  await world.place(bob, 6000, 10, { market: marketIndex, outcome: 1 });
  look(2);
  await world.submit({ ...update, mask: MarketField.TICK });
  expect(held.terms.tickPips).toBe(10);
  look(3);
  await world.submit({ ...update, mask: 0, tail: Buffer.from('{"question":"Another?"}') });
  expect(held.question).toBe('Another?');
  look(4);
  await world.submit({ ...update, mask: MarketField.STATUS, status: MarketStatus.CLOSED });
  look(5);
  // The resolution of a market that is already closed changes its record by itself.
  await world.submit({ type: 'ResolveMarket', marketIndex, resolution: 0 });
  look(6);
  // Tags do not count in a market's version, but another list of them makes another row.
  tags = ['Rain'];
  expect(JSON.parse(textOfPieces([rowOf(labels, held)])).tags).toEqual(['Rain']);
});
