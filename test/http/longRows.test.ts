// Rows without a bound: an order with tens of thousands of fills, and a trade with thousands of makers. Replies list them whole,
// a part in each turn of the loop; events of the user channel and refusals of duplicates list the newest trades alone.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiKeyKind, type Command, encodeCommand, OrderType, Side, VirtualClock } from '../../engine/index.ts';
import type { PlacementCommand } from '../../server/commands/orderIntake.ts';
import type { ReplySteps } from '../../server/http/endpoint.ts';
import { refusalAnswer } from '../../server/routes/tradingRetries.ts';
import { builderCodeOf } from '../../server/wire/builders.ts';
import { type Dialect, polymarketDialect, rootDialect } from '../../server/wire/dialect.ts';
import { tradeId } from '../../server/wire/ids.ts';
import { orderEventRest, tradeEventRest } from '../../server/wire/userEvents.ts';
import { buyCommand, ownerCommands } from '../support/commands.ts';
import { orderIdOf, wordOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callHandler, replyInTurns } from './handlerTurns.ts';

const LONG = { timeout: 60_000 };
const FILLS = 20_000;
const MAKERS = 3_000;
/** Trades that an event lists. */
const LISTED = 100;
/** The order with many fills, in the first market; in the second, one trade meets the many orders after it. */
const LONG_ORDER = orderIdOf(1);
const clock = new VirtualClock(1_800_000_000_000);
const [maker, taker] = ['a1', 'b2'].map((digits) => {
  const owner = `0x${digits.repeat(20)}`;
  return { owner, keyId: owner.slice(0, 34) };
});
/** The code of the taker's owner. */
const code = builderCodeOf(taker.owner);
/** The order's first trades. */
const tradeIds = (count: number) => Array.from({ length: count }, (_, index) => tradeId(0, index + 1));
let server: TestServer;
let orders = 0;

const submit = (command: Command) => server.exchange.submit(encodeCommand(command));

function buy(marketIndex: number, lots: number) {
  orders += 1;
  const order = { orderId: orderIdOf(orders), marketIndex, outcome: 0, pips: 5_000, lots };
  return submit(buyCommand(maker, { ...order, timestampMs: clock.now() }));
}

function sell(marketIndex: number, lots: number) {
  orders += 1;
  const order = { orderId: orderIdOf(orders), marketIndex, outcome: 0, pips: 5_000, lots };
  return submit({
    ...buyCommand(taker, { ...order, timestampMs: clock.now() }),
    ...{ side: Side.SELL, orderType: OrderType.FAK },
    ...{ makerAmountMicro: lots * 10_000, takerAmountMicro: lots * order.pips },
    tail: Buffer.from(JSON.stringify({ signatureType: 0, builder: code })),
  });
}

/** Creates the next market, of which the taker gets both tokens. */
async function createMarket(marketIndex: number): Promise<void> {
  const { owner, keyId } = taker;
  const market: Command = {
    type: 'CreateMarket',
    eventNumber: 0,
    conditionId: wordOf(10_000 + marketIndex),
    firstToken: wordOf(20_000 + marketIndex),
    secondToken: wordOf(30_000 + marketIndex),
    ...PLAIN_TERMS,
    tail: Buffer.from(JSON.stringify({ slug: `m${marketIndex}`, question: 'So?' })),
  };
  const split: Command = { type: 'Split', owner, keyId, wallet: owner, flags: 0, marketIndex, amountMicro: 3e8 };
  await Promise.all([market, split].map(submit));
}

beforeAll(async () => {
  server = await startTestServer({ clock });
  const builderKey = { type: 'CreateApiKey', nonce: 0, generation: 0, kind: ApiKeyKind.BUILDER } as const;
  const keys = [{ ...builderKey, owner: taker.owner, keyId: `0x${'c3'.repeat(16)}` }];
  for (const command of [...ownerCommands(maker), ...ownerCommands(taker), ...keys]) await submit(command);
  for (const marketIndex of [0, 1]) await createMarket(marketIndex);
  await buy(0, 1_000_000);
  await Promise.all(Array.from({ length: FILLS }, () => sell(0, 1)));
  await Promise.all(Array.from({ length: MAKERS }, () => buy(1, 1)));
  const { events } = await sell(1, MAKERS);
  expect(events.filter(({ type }) => type === 'Trade')).toHaveLength(1);
}, LONG.timeout);
afterAll(() => server.close());

/** The reply to a GET, and in how many turns of the loop it was made. */
async function ask(
  path: string,
  { params = {}, query = '', dialect = polymarketDialect, owner = maker.owner, meanwhile = (): unknown => undefined },
) {
  const context = { services: server.services, caller: () => ({ owner }), hasCaller: true, dialect };
  const made = callHandler('GET', path, { params, query: new URLSearchParams(query) }, context);
  const { text, turns } = await replyInTurns(made, meanwhile);
  return { json: JSON.parse(text), turns };
}

const longOrder = () => server.services.views.orders.byId(LONG_ORDER) ?? expect.unreachable('it rests');

test('a page of open orders lists all trades of an order, a part in each turn', async () => {
  const { json, turns } = await ask('/data/orders', {});
  expect(json).toMatchObject({ data: [{ id: LONG_ORDER, status: 'LIVE', size_matched: '200' }], count: 1 });
  expect(json.data[0].associate_trades).toEqual(tradeIds(FILLS));
  expect(turns).toBeGreaterThanOrEqual(2);
});

test('an order with many trades is rendered in parts, and lists no trade that it got meanwhile', async () => {
  const ids: [Dialect, (json: Record<string, never>) => readonly string[]][] = [
    [polymarketDialect, ({ associate_trades }) => associate_trades],
    [rootDialect, ({ order }) => (order as { associateTrades: string[] }).associateTrades],
  ];
  for (const [filled, [dialect, idsOf]] of ids.entries()) {
    const meanwhile = () => sell(0, 1);
    const { json, turns } = await ask('/data/order/{id}', { params: { id: LONG_ORDER }, dialect, meanwhile });
    expect(idsOf(json)).toEqual(tradeIds(FILLS + filled));
    expect(turns).toBeGreaterThanOrEqual(2);
  }
});

test.each([polymarketDialect, rootDialect])('trades with many makers are rendered in parts', async (dialect) => {
  const makers = Array.from({ length: MAKERS }, (_, index) => orderIdOf(FILLS + 2 + index));
  const idsOf = (trade: { maker_orders: { order_id: string }[] }) => trade.maker_orders.map(({ order_id }) => order_id);
  const own = await ask('/data/trades', { query: `id=${tradeId(1, 1)}`, dialect });
  expect(own.json).toMatchObject({ data: [{ id: tradeId(1, 1) }], count: 1 });
  const builders = await ask('/builder/trades', { query: `id=${tradeId(1, 1)}`, dialect, owner: taker.owner });
  for (const [[trade], turns] of [[own.json.data, own.turns] as const, [builders.json, builders.turns] as const]) {
    expect(idsOf(trade)).toEqual(makers);
    expect(turns).toBeGreaterThanOrEqual(2);
  }
});

test('a search of own trades pauses after a trade with many makers', () => {
  const { views } = server.services;
  let read = 0;
  const byOrdinal = (ordinal: number) => {
    read += 1;
    return views.trades.byOrdinal(ordinal);
  };
  const trades = Object.create(views.trades, { byOrdinal: { value: byOrdinal } });
  const services = { ...server.services, views: { ...views, trades } };
  const context = { services, caller: () => ({ owner: maker.owner }), hasCaller: true, dialect: polymarketDialect };
  const query = new URLSearchParams({ maker_address: `0x${'cc'.repeat(20)}` });
  const reply = callHandler('GET', '/data/trades', { query }, context) as ReplySteps;
  // The newest trade is that of the second market; the binary search for the first candidate reads some as well.
  expect(reply.next().done).toBe(false);
  expect(read).toBeLessThan(100);
});

test('an event of an order lists the newest trades up to then', () => {
  const order = longOrder();
  const market = server.services.views.markets.of(order);
  const entry = { kind: 'UPDATE', order, marketIndex: 0, status: 'LIVE', tMs: clock.now() } as const;
  for (const tradeCount of [0, 1, LISTED, LISTED + 1, FILLS]) {
    const text = orderEventRest({ ...entry, filledLots: tradeCount, tradeCount }, market);
    const { associate_trades } = JSON.parse(`{${text.slice(1)}`);
    expect(associate_trades).toEqual(tradeIds(tradeCount).slice(-LISTED));
  }
});

test('the makers of a trade are rendered once for all who get one of its steps', () => {
  const { markets, trades } = server.services.views;
  const trade = trades.byNumber(1, 1) ?? expect.unreachable('it took place');
  let renderings = 0;
  const counted = Object.create(trade, {
    makers: {
      get() {
        renderings += 1;
        return trade.makers;
      },
    },
  });
  const entry = { kind: 'TRADE', trade: counted, marketIndex: 1, tMs: clock.now() } as const;
  const textOf = (status: number, owner: string) => tradeEventRest({ ...entry, status }, markets.of(trade), owner);
  const texts = [textOf(0, taker.owner), textOf(0, maker.owner), textOf(1, maker.owner)];
  expect(texts.map((text) => JSON.parse(`{${text.slice(1)}`).maker_orders.length)).toEqual([MAKERS, MAKERS, MAKERS]);
  expect(renderings).toBe(1);
});

test('a duplicate lists the newest trades of its order, and an ended order all of them', LONG, async () => {
  const placement = { orderId: LONG_ORDER, owner: maker.owner } as PlacementCommand; // what the answer needs
  const refusal = { status: 400, text: 'Duplicated.', duplicate: 'certain' } as const;
  const terms = { isIdempotent: false, validUntilMs: Number.POSITIVE_INFINITY };
  const originalOf = async () => {
    const answer = await refusalAnswer(refusal, placement, terms, server.services);
    return 'text' in answer ? answer.extra?.detail : expect.unreachable('it is refused');
  };
  const ids = tradeIds(FILLS + 2);
  const original = { id: LONG_ORDER, size_matched: '200.02', associate_trades: ids.slice(-LISTED) };
  expect(await originalOf()).toMatchObject({ original: { ...original, status: 'LIVE' } });
  await submit({ type: 'CancelOrders', ...maker, items: [LONG_ORDER] });
  // Until the views forget it.
  clock.advance(6_000);
  await Promise.all(Array.from({ length: 4_100 }, () => sell(0, 1)));
  clock.advance(6_000);
  await buy(0, 1);
  expect(server.services.views.orders.byId(LONG_ORDER)).toBe(undefined);
  expect(await originalOf()).toMatchObject({ original: { ...original, status: 'CANCELED' } });
  const { json } = await ask('/data/order/{id}', { params: { id: LONG_ORDER } });
  expect(json).toMatchObject({ id: LONG_ORDER, status: 'CANCELED', associate_trades: ids });
});

test('the shares of a wallet that holds thousands of tokens are listed in parts', async () => {
  const marketCount = 3_000;
  await Promise.all(Array.from({ length: marketCount - 2 }, (_, index) => createMarket(2 + index)));
  const { json, turns } = await ask('/admin/accounts/{address}', { params: { address: taker.owner } });
  const tokens = json.wallets.find(({ wallet }: { readonly wallet: string }) => wallet === taker.owner).tokens;
  expect(tokens).toHaveLength(2 * marketCount);
  expect(turns).toBeGreaterThanOrEqual(1);
});
