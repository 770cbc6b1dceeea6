// Searches through all trades of an owner or of a builder code: they advance one part per turn of the loop, so that others
// are served meanwhile, end where nothing older can be asked for, and find the same as in a single turn.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Command, encodeCommand, VirtualClock } from '../../engine/index.ts';
import { polymarketDialect } from '../../server/wire/dialect.ts';
import { tradeId } from '../../server/wire/ids.ts';
import { buyCommand, ownerCommands } from '../support/commands.ts';
import { orderIdOf, wordOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { callHandler, replyInTurns } from './handlerTurns.ts';

const T0_S = 1_800_000_000;
/** The first half have a second each; all others fall into one second. */
const TRADES = 3_000;
const clock = new VirtualClock(T0_S * 1000);
const CODE = wordOf(0xc0de);
/** Open orders of a wallet that never trades. */
const OPEN = 2_500;
const [maker, taker, patient] = ['a1', 'b2', 'c3'].map((digits) => `0x${digits.repeat(20)}`);
const keyOf = (owner: string): string => owner.slice(0, 34);
const idAt = (index: number): string => tradeId(0, index + 1);
let server: TestServer;
let orders = 0;

const submit = (command: Command) => server.exchange.submit(encodeCommand(command));

function place(owner: string, outcome: number) {
  orders += 1;
  const order = { orderId: orderIdOf(orders), marketIndex: 0, outcome, pips: 5_000, lots: 100 };
  return submit({
    ...buyCommand({ owner, keyId: keyOf(owner) }, { ...order, timestampMs: clock.now() }),
    tail: Buffer.from(JSON.stringify({ signatureType: 0, builder: CODE })),
  });
}

beforeAll(async () => {
  server = await startTestServer({ clock });
  await submit({
    type: 'CreateMarket',
    eventNumber: 0,
    conditionId: wordOf(1),
    firstToken: wordOf(2),
    secondToken: wordOf(3),
    ...PLAIN_TERMS,
    tail: Buffer.from(JSON.stringify({ slug: 'm', question: 'So?' })),
  });
  for (const owner of [maker, taker, patient]) {
    for (const command of ownerCommands({ owner, keyId: keyOf(owner) })) await submit(command);
  }
  for (let index = 0; index < TRADES; index += 1) {
    if (index < TRADES / 2) clock.advance(1_000);
    const made = place(maker, 0);
    const taken = await place(taker, 1);
    await made;
    expect(taken.events.map(({ type }) => type)).toContain('Trade');
  }
  await Promise.all(Array.from({ length: OPEN }, () => place(patient, 0)));
});
afterAll(() => server.close());

/** A page of a list, and in how many turns of the loop it was made. */
async function ask(path: string, query: string, owner = maker, meanwhile?: () => unknown) {
  const context = { services: server.services, caller: () => ({ owner }), dialect: polymarketDialect };
  const made = callHandler('GET', path, { query: new URLSearchParams(query) }, context);
  const { text, turns } = await replyInTurns(made, meanwhile);
  return { page: JSON.parse(text), turns };
}
const idsOf = (page: { data: { id: string }[] }): string[] => page.data.map(({ id }) => id);
const nobody = `0x${'9'.repeat(40)}`;

test.each([
  ['/data/trades', `maker_address=${nobody}`],
  ['/data/trades', `asset_id=77`],
  ['/builder/trades', `builder_code=${CODE}&maker_address=${nobody}`],
])('%s?%s scans all trades over several turns of the event loop', async (path, query) => {
  const { page, turns } = await ask(path, query);
  expect(turns).toBeGreaterThanOrEqual(2);
  expect(page).toMatchObject({ data: [], next_cursor: 'LTE=' });
});

test('a page from offset 2950, found over several turns, holds exactly the 50 oldest trades', async () => {
  const { page, turns } = await ask('/data/trades', `next_cursor=${Buffer.from('2950').toString('base64')}`);
  expect(turns).toBeGreaterThanOrEqual(2);
  const due = Array.from({ length: 50 }, (_, index) => idAt(index)).reverse();
  expect([idsOf(page), page.next_cursor]).toEqual([due, 'LTE=']);
});

test.each([
  ['/data/trades', '', 1],
  // Two fills of each trade bear the code.
  ['/builder/trades', `builder_code=${CODE}&`, 2],
])('%s?%sbefore=... skips newer trades within a single turn of the event loop', async (path, query, fills) => {
  const asked = `${query}before=${T0_S + 500}`;
  const ids: string[] = [];
  for (let cursor = ''; cursor !== 'LTE='; ) {
    const { page, turns } = await ask(path, `${asked}&next_cursor=${cursor}`);
    expect(turns).toBe(0);
    ids.push(...idsOf(page));
    cursor = page.next_cursor;
  }
  const due = Array.from({ length: 499 }, (_, index) => idAt(index)).reverse();
  expect(ids).toEqual(due.flatMap((id) => Array.from({ length: fills }, () => id)));
});

test.each([
  ['/data/trades', ''],
  ['/builder/trades', `builder_code=${CODE}&`],
])('%s?%safter=... and id=... are answered within a single turn of the event loop', async (path, query) => {
  const { page, turns } = await ask(path, `${query}after=${T0_S + TRADES / 2}`);
  expect([idsOf(page), turns]).toEqual([[], 0]);
  const one = await ask(path, `${query}id=${idAt(7)}`);
  expect(new Set(idsOf(one.page))).toEqual(new Set([idAt(7)]));
  expect([idsOf(one.page).length, one.turns]).toEqual([path === '/data/trades' ? 1 : 2, 0]);
  const none = await ask(path, `${query}id=${idAt(TRADES)}`);
  expect([idsOf(none.page), none.turns]).toEqual([[], 0]);
});

test('open orders are scanned over several turns, and one cancelled meanwhile is left out', async () => {
  const orderAt = (index: number): string => orderIdOf(2 * TRADES + 1 + index);
  const ordersAt = (from: number, end: number) => Array.from({ length: end - from }, (_, at) => orderAt(from + at));
  const none = await ask('/data/orders', `market=${wordOf(99)}`, patient);
  expect([idsOf(none.page), none.turns >= 2]).toEqual([[], true]);
  const first = await ask('/data/orders', `asset_id=${BigInt(wordOf(2))}`, patient);
  expect(idsOf(first.page)).toEqual(ordersAt(0, 100));
  const last = await ask('/data/orders', `next_cursor=${Buffer.from('2450').toString('base64')}`, patient);
  expect([idsOf(last.page), last.turns >= 2]).toEqual([ordersAt(2_450, OPEN), true]);
  const one = await ask('/data/orders', `id=${orderAt(2_000)}`, patient);
  expect([idsOf(one.page), one.turns]).toEqual([[orderAt(2_000)], 0]);

  const cancel = { type: 'CancelOrders', owner: patient, keyId: keyOf(patient), items: [orderAt(960)] } as const;
  const offset = Buffer.from('950').toString('base64');
  const page = await ask('/data/orders', `next_cursor=${offset}`, patient, () => submit(cancel));
  expect(idsOf(page.page)).toEqual([...ordersAt(950, 960), ...ordersAt(961, 1_050)]);
  for (const [id, owner] of [
    [orderAt(960), patient],
    [orderAt(1), maker],
  ]) {
    expect([id, idsOf((await ask('/data/orders', `id=${id}`, owner)).page)]).toEqual([id, []]);
  }
});
