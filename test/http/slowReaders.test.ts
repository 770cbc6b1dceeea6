// Clients that read long replies slowly, all of which wait in memory: no more of them than there is room for. The oldest
// are cut off, and a client that reads at once gets everything.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import type { Endpoint } from '../../server/http/endpoint.ts';
import { httpLimits } from '../../server/http/limits.ts';
import { GONE_STATUS } from '../../server/metrics/requests.ts';
import { requestHead } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TEST_ENDPOINT } from './testEndpoint.ts';

const BODY = Buffer.alloc(32 * 1024 * 1024, 'a');
/** How many of them may wait. */
const ROOM = Math.floor(httpLimits.longRepliesBytesMax / BODY.length);
const MORE = 3;
/** Who leave at once: together with one that stays, more than there is room for. */
const LEAVING = ROOM + 1;
let server: TestServer;
afterEach(() => server.close());

const endpoint: Endpoint = { ...TEST_ENDPOINT, method: 'GET', path: '/long', handler: () => ({ body: BODY }) };

interface Client {
  readonly socket: Socket;
  bytes: number;
  isClosed: boolean;
}

/** Requests the long reply and reads a little of it. */
async function ask(): Promise<Client> {
  const socket = connect(server.port, '127.0.0.1');
  const client: Client = { socket, bytes: 0, isClosed: false };
  socket
    .on('error', () => {})
    .on('close', () => {
      client.isClosed = true;
    });
  const begun = new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      client.bytes += bytes.length;
      if (client.bytes === bytes.length) socket.pause();
      resolve();
    });
  });
  socket.write(requestHead('GET /long'));
  await begun;
  return client;
}

/** Reads on until the reply is complete or cut off; returns whether it was complete. */
async function readOn(client: Client): Promise<boolean> {
  client.socket.resume();
  await vi.waitUntil(() => client.isClosed || client.bytes > BODY.length, PATIENCE);
  client.socket.destroy();
  return client.bytes > BODY.length;
}

test('if unread long responses exceed the memory limit, the oldest ones are cut off', async () => {
  server = await startTestServer({ endpoints: [endpoint] });
  const slow: Client[] = [];
  for (let count = 0; count < ROOM + MORE; count += 1) slow.push(await ask());
  expect(await readOn(await ask())).toBe(true);
  const whole: boolean[] = [];
  for (const client of slow) whole.push(await readOn(client));
  const cut = Array.from({ length: MORE + 1 }, () => false);
  expect(whole).toEqual([...cut, ...Array.from({ length: ROOM - 1 }, () => true)]);
});

test('clients that disconnect midway free their room, and an older slow client gets its whole response', async () => {
  server = await startTestServer({ endpoints: [endpoint] });
  const oldest = await ask();
  for (let count = 0; count < LEAVING; count += 1) {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(requestHead('GET /long'));
    // It disconnects at the first bytes, while the next are on their way.
    socket.once('data', () => socket.destroy());
    await new Promise<void>((resolve) => socket.on('error', () => {}).on('close', () => resolve()));
  }
  expect(await readOn(oldest)).toBe(true);
  // In the metrics they count once, as answered.
  const [, { statuses }] = server.services.metrics.requests.routes;
  expect([statuses[200], statuses[GONE_STATUS]]).toEqual([LEAVING + 1, 0]);
});
