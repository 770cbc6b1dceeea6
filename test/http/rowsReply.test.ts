// Replies of many rows: they are rendered one part per turn of the loop, one reply after the other, so that others are
// served meanwhile, and the result is the same as in one turn. Also books, prices and histories over HTTP.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Command, encodeCommand, VirtualClock } from '../../engine/index.ts';
import { rowsReply } from '../../server/http/rowsReply.ts';
import { send } from '../support/client.ts';
import { buyCommand, ownerCommands } from '../support/commands.ts';
import { orderIdOf, wordOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callHandler, replyInTurns, replyOf } from './handlerTurns.ts';

const T0_S = 1_800_000_000;
const MARKET_COUNT = 6_000;
/** Markets with orders: as many as one request may query with both tokens. */
const DEEP_COUNT = 250;
const clock = new VirtualClock(T0_S * 1000);
const buyer = { owner: `0x${'a1'.repeat(20)}`, keyId: `0x${'b2'.repeat(16)}` };
/** Market n has the tokens 2n + 100000 and the next one. */
const tokenOf = (index: number, outcome: 0 | 1): string => String(100_000 + 2 * index + outcome);
let server: TestServer;

const submit = (command: Command) => server.exchange.submit(encodeCommand(command));
const createMarket = (index: number) =>
  submit({
    type: 'CreateMarket',
    eventNumber: 0,
    conditionId: wordOf(index + 1),
    firstToken: wordOf(Number(tokenOf(index, 0))),
    secondToken: wordOf(Number(tokenOf(index, 1))),
    ...PLAIN_TERMS,
    tickPips: 10,
    tail: Buffer.from(JSON.stringify({ slug: `m${index}`, question: 'So?' })),
  });
function bid(marketIndex: number, pips: number) {
  const order = { orderId: orderIdOf(marketIndex * 10_000 + pips), marketIndex, outcome: 0, pips, lots: 1_234 };
  return submit(buyCommand(buyer, { ...order, timestampMs: clock.now() }));
}

beforeAll(async () => {
  server = await startTestServer({ clock });
  for (const command of ownerCommands(buyer)) await submit(command);
  await Promise.all(Array.from({ length: MARKET_COUNT }, (_, index) => createMarket(index)));
  const orders = Array.from({ length: DEEP_COUNT * 20 }, (_, index) =>
    bid(index % DEEP_COUNT, 10 * (1 + (index % 89))),
  );
  for (const { events } of await Promise.all(orders)) expect(events.map(({ type }) => type)).toContain('OrderRested');
});
afterAll(() => server.close());

/** The reply of an endpoint's handler, and in how many turns of the loop it was made. */
const ask = (method: string, path: string, body?: unknown) =>
  replyInTurns(callHandler(method, path, { json: () => body }, { services: server.services }));

const texts = (count: number, letter: string): string[] => Array(count).fill(`"${letter.repeat(1_000)}"`);

test('a reply that fits one part is rendered at once, a longer one in one part per turn', async () => {
  expect(replyOf(rowsReply([], ['[', ']']))).toEqual({ body: '[]' });
  expect(replyOf(rowsReply(['1', '2'], ['{"rows":[', ']}']))).toEqual({ body: '{"rows":[1,2]}' });
  const rows = texts(1_000, 'a');
  const { text, turns } = await replyInTurns(rowsReply(rows, ['[', ']']));
  expect(text).toBe(`[${rows.join(',')}]`);
  expect(turns).toBeGreaterThanOrEqual(3);
});

test('long replies are rendered one after the other, even if one of them fails', async () => {
  const order: string[] = [];
  function* failing(): Generator<string> {
    yield* texts(600, 'b');
    throw new Error('no more');
  }
  const render = async (name: string, rows: Iterable<string>) => {
    const made = replyInTurns(rowsReply(rows, ['', '']));
    order.push(`${name} ${await made.then(({ text }) => text.length, String)}`);
  };
  await Promise.all([render('a', texts(2_000, 'a')), render('b', failing()), render('c', texts(300, 'c'))]);
  expect(order).toEqual(['a 2005999', 'b Error: no more', 'c 300899']);
});

test('prices of all tokens are rendered in parts', async () => {
  const { text, turns } = await ask('GET', '/prices');
  expect(turns).toBeGreaterThanOrEqual(1);
  const prices = Object.entries(JSON.parse(text));
  expect(prices).toHaveLength(2 * MARKET_COUNT);
  expect(prices.at(-1)).toEqual([tokenOf(MARKET_COUNT - 1, 1), { BUY: '0', SELL: '1' }]);
  expect((await send(server.url, 'GET', '/prices')).json).toEqual(JSON.parse(text));
});

test('books of many tokens are rendered in parts, without those whose market was resolved meanwhile', async () => {
  const tokens = Array.from({ length: 2 * DEEP_COUNT }, (_, index) => tokenOf(index >> 1, index % 2 === 0 ? 0 : 1));
  const body = tokens.map((token_id) => ({ token_id }));
  let isReleased = false;
  function* untilReleased(): Generator<string> {
    while (!isReleased) yield ' '.repeat(300_000);
  }
  const before = replyInTurns(rowsReply(untilReleased(), ['', '']));
  const rest = ask('POST', '/books', body);
  await submit({ type: 'ResolveMarket', marketIndex: DEEP_COUNT - 1, resolution: 0 });
  isReleased = true;
  await before;
  const { text, turns } = await rest;
  expect(turns).toBeGreaterThanOrEqual(1);
  const books: readonly { readonly asset_id: string }[] = JSON.parse(text);
  expect(books.map(({ asset_id }) => asset_id)).toEqual(tokens.slice(0, -2));
  const over = (await send(server.url, 'POST', '/books', body)).json;
  expect(over).toEqual(books);
  expect((await send(server.url, 'GET', `/book?token_id=${tokens[0]}`)).json).toEqual(books[0]);
});

test('histories of many tokens are rendered in parts', async () => {
  clock.advance(7 * 86_400_000);
  const markets = Array.from({ length: 20 }, (_, index) => tokenOf(index, 1));
  const asked = { markets, interval: '1w', fidelity: 1 };
  const { text, turns } = await ask('POST', '/batch-prices-history', asked);
  expect(turns).toBeGreaterThanOrEqual(5);
  const { history } = JSON.parse(text);
  expect(Object.keys(history)).toEqual(markets);
  expect(history[markets[3]]).toHaveLength(10_080);
  expect((await send(server.url, 'POST', '/batch-prices-history', asked)).json).toEqual({ history });
});
