// Replies to cancels when much else becomes durable by the same flush: while a disk hangs, records pile up for many
// seconds. Each reply names the orders of its own record, however many other orders ended after them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Command, encodeCommand, type LogRecord, VirtualClock } from '../../engine/index.ts';
import type { ApiCredentials } from '../../server/auth/apiKeys.ts';
import { requireKeyId } from '../../server/auth/keyIds.ts';
import { createKey, sendSigned } from '../support/client.ts';
import { buyCommand } from '../support/commands.ts';
import { orderIdOf, wordOf } from '../support/hex.ts';
import { PLAIN_TERMS } from '../support/plainTerms.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

/** More orders than the views keep after they have ended. */
const ORDERS = 4_200;
const GATHERING_MS = 6_000;
// The exchange's clock stands at the present, so signatures made by the real clock are fresh.
const clock = new VirtualClock(Date.now());
let server: TestServer;
let key: ApiCredentials;

beforeAll(async () => {
  server = await startTestServer({ clock });
  key = await createKey(server.url, server.wallets[0]);
  await submit({
    type: 'CreateMarket',
    eventNumber: 0,
    ...PLAIN_TERMS,
    ...{ conditionId: wordOf(1), firstToken: wordOf(2), secondToken: wordOf(3) },
    tail: Buffer.from('{"slug":"m"}'),
  });
});
afterAll(() => server.close());

const submit = (command: Command): Promise<LogRecord> => server.exchange.submit(encodeCommand(command));

/** Rests a bid for one lot. */
function rest(number: number): Promise<LogRecord> {
  const buyer = { owner: server.wallets[0].address, keyId: requireKeyId(key.apiKey) };
  const order = { orderId: orderIdOf(number), marketIndex: 0, outcome: 0, pips: 100, lots: 1 };
  return submit(buyCommand(buyer, { ...order, timestampMs: clock.now() }));
}

/** Makes the exchange take another command right after the next one, `ms` later on its clock, and flush both together. */
function followNextCommand(ms: number): void {
  const { exchange } = server;
  const { submit: take, submitAndRead: takeAndRead } = exchange;
  const followed = <Answer>(answer: Answer): Answer => {
    Object.assign(exchange, { submit: take, submitAndRead: takeAndRead });
    clock.advance(ms);
    void submit({ type: 'Tick' });
    return answer;
  };
  exchange.submit = (command) => followed(take.call(exchange, command));
  exchange.submitAndRead = (command, read) => followed(takeAndRead.call(exchange, command, read)) as never; // of that type
}

test('DELETE /cancel-all lists all 4,200 orders, even if a much later record is flushed with it', async () => {
  const ids = Array.from({ length: ORDERS }, (_, index) => 10 + index);
  for (const { events } of await Promise.all(ids.map(rest)))
    expect(events.filter(({ type }) => type === 'Rejected')).toEqual([]);
  followNextCommand(GATHERING_MS);
  const { status, json } = await sendSigned(server.url, server.wallets[0].address, key, 'DELETE', '/cancel-all');
  expect([status, json.canceled.length]).toEqual([200, ORDERS]);
});
