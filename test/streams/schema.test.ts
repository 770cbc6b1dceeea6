// Every event of a lively exchange against the schemas that /asyncapi.json prints, and that document itself. Keys that the
// schemas do not name fail too.
import { Ajv, type ValidateFunction } from 'ajv';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { SchemaWriter } from '../../server/docs/schemaWriter.ts';
import { streamPaths } from '../../server/http/streamPaths.ts';
import { controlSchemas, marketEventSchemas, userEventSchemas } from '../../server/wire/schemas/streams.ts';
import { NO_NEW_ASSETS } from '../../server/wire/streamRequests.ts';
import { alice, bob, cancelAll, get, newMarket, openTradingWorld, post, server } from '../http/tradingWorld.ts';
import { ADMIN, requestHead, send, sendRaw } from '../support/client.ts';
import { TestSocket } from './socket.ts';

beforeAll(openTradingWorld);
afterAll(() => server.close());

const strict = Object.fromEntries(
  Object.entries({ ...marketEventSchemas, ...userEventSchemas, ...controlSchemas }).map(([type, schema]) => [
    type,
    z.strictObject(schema.shape),
  ]),
);

/** Checks that every time in an event is close to now, in the unit that the document names. */
function expectTimesInTheirUnits(event: Readonly<Record<string, unknown>>): void {
  const shape: Readonly<Record<string, z.ZodType>> = strict[String(event.event_type)].shape;
  for (const [key, value] of Object.entries(event)) {
    if (!/timestamp|match_?time|_at$|_ms$|last_update/.test(key)) continue;
    const unit = /Unix (milliseconds|seconds)/.exec(String(shape[key]?.description))?.[1];
    const ms = Number(value) * (unit === 'seconds' ? 1_000 : 1);
    expect([key, unit !== undefined, Math.abs(ms - Date.now()) < 3_600_000]).toEqual([key, true, true]);
  }
}

/** The schemas of the events as the document prints them, whose references must resolve within the document. */
async function printedSchemas(): Promise<Readonly<Record<string, ValidateFunction>>> {
  const { channels, components } = await get('/asyncapi.json');
  const ajv = new Ajv({ strict: false });
  const messages = Object.entries<{ payload: object }>({ ...channels.market.messages, ...channels.user.messages });
  return Object.fromEntries(messages.map(([name, { payload }]) => [name, ajv.compile({ ...payload, components })]));
}

test('every event has exactly the documented keys and formats', async () => {
  const socket = await TestSocket.open(server.url, '/ws/market');
  const users = await Promise.all(
    [alice, bob].map(async ({ key }) => {
      const user = await TestSocket.open(server.url, '/ws/user');
      user.send({ auth: key, type: 'user', heartbeat: true });
      await user.until(({ reader }) => reader.sequences.size === 1);
      return user;
    }),
  );
  socket.send({ type: 'market', assets_ids: ['1'], custom_feature_enabled: true });
  const where = await newMarket();
  socket.send({
    operation: 'subscribe',
    assets_ids: where.tokens,
    resume: { stream_id: 'new-markets-x', sequence: 1 },
  });
  await socket.until(({ reader }) => reader.counts.get('book') === 2);
  await post(alice, where, { pips: 4_000, shares: 20 });
  await post(bob, where, { pips: 6_000, shares: 5, token: 1 });
  await cancelAll(alice);
  const path = `/admin/markets/${where.conditionId}`;
  await send(server.url, 'PATCH', path, { tick_size: '0.001' }, ADMIN);
  await send(server.url, 'POST', `${path}/resolve`, { outcome: 'split' }, ADMIN);
  await socket.until(({ reader }) => reader.counts.get('market_resolved') === 1);
  await users[0].until(({ reader }) => reader.eventCount >= 6);
  await users[1].until(({ reader }) => reader.eventCount >= 4);
  const printed = await printedSchemas();
  const seen = new Set<string>();
  for (const { reader } of [socket, ...users]) {
    for (const event of reader.kept ?? []) {
      const { error } = strict[event.event_type].safeParse(event);
      expect(error?.issues, JSON.stringify(event)).toBeUndefined();
      const fits = printed[event.event_type];
      expect(fits(event), JSON.stringify([event, fits.errors])).toBe(true);
      expectTimesInTheirUnits(event);
      seen.add(event.event_type);
    }
  }
  expect([...seen].sort()).toEqual(Object.keys(strict).sort());
});

/** An order event as official clients parse it. */
const ORDER_EVENT = {
  ...{ event_type: 'order', stream_id: 'user-1', sequence: 1, server_ts_ms: 1_900_000_000_000 },
  id: `0x${'1a'.repeat(32)}`,
  owner: '0f9d8c7b-6a5e-4d3c-8b2a-190817263544',
  market: `0x${'2b'.repeat(32)}`,
  asset_id: '123',
  side: 'BUY',
  order_owner: '0f9d8c7b-6a5e-4d3c-8b2a-190817263544',
  original_size: '5.1',
  size_matched: '0',
  price: '0.5',
  associate_trades: [],
  outcome: 'Yes',
  type: 'PLACEMENT',
  created_at: '1900000000',
  expiration: '0',
  order_type: 'GTC',
  status: 'LIVE',
  maker_address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  timestamp: '1900000000000',
};

test.each([
  [{ owner: '-'.repeat(36) }],
  [{ associate_trades: ['0'.repeat(36)] }],
  [{ price: '0.50' }],
  [{ original_size: '5.10' }],
  [{ maker_address: 'not an address' }],
  [{ created_at: '1900000000000' }],
  [{ status: 'UNMATCHED' }],
])('an order event with %j does not fit its schema', (fault) => {
  const { order } = userEventSchemas;
  expect(order.safeParse(ORDER_EVENT).error?.issues).toBeUndefined();
  expect(order.safeParse({ ...ORDER_EVENT, ...fault }).success).toBe(false);
});

test('the document gives the time of a heartbeat and of a gap as that of sending, which no command has caused', () => {
  const timeOf = ({ shape }: { readonly shape: Record<'server_ts_ms', z.ZodType> }) => shape.server_ts_ms.description;
  expect(timeOf(userEventSchemas.order)).toContain('Time of the command that caused the message');
  for (const message of [controlSchemas.heartbeat, controlSchemas.gap]) {
    expect(timeOf(message)).toContain('Time when the message was sent');
  }
  expect(timeOf(marketEventSchemas.book)).toContain('of a snapshot, when it was sent');
});

test('the AsyncAPI document lists both channels, their events, every path and the token limit', async () => {
  const document = await get('/asyncapi.json');
  expect(document.asyncapi).toBe('3.0.0');
  expect(document.servers.exchange.host).toMatch(/^127\.0\.0\.1:\d+$/);
  for (const name of Object.keys(marketEventSchemas)) expect(document.channels.market.messages).toHaveProperty(name);
  for (const name of Object.keys(userEventSchemas)) expect(document.channels.user.messages).toHaveProperty(name);
  expect(document.info.description).toContain('2000 tokens per socket');
  for (const text of ['PING', 'PONG', NO_NEW_ASSETS]) expect(document.info.description).toContain(text);
  const addresses = Object.values<{ readonly address: string }>(document.channels).map(({ address }) => address);
  const named = [...addresses, ...document.info.description.split(' ')];
  for (const [path] of streamPaths) expect(named).toContain(path);
});

test('the AsyncAPI document is built once, whatever host it is asked for', async () => {
  const first = await get('/asyncapi.json');
  const write = vi.spyOn(SchemaWriter.prototype, 'write');
  const [reply] = await sendRaw(server.port, [requestHead('GET /asyncapi.json', 'Host: localhost')]);
  const writes = write.mock.calls.length;
  write.mockRestore();
  expect(writes).toBe(0);
  expect(JSON.parse(reply.body)).toEqual({ ...first, servers: { exchange: { host: 'localhost', protocol: 'ws' } } });
});
