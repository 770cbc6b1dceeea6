// How the door treats connections, whatever is requested: long replies in parts, many requests at once, and clients that
// disconnect midway. None may keep another waiting. The table is the full one plus endpoints that wait or reply at length.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Endpoint, Handler } from '../../server/http/endpoint.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { httpLimits } from '../../server/http/limits.ts';
import { INTERFACE_VERSION } from '../../server/wire/interfaceVersion.ts';
import { requestHead, send, sendRaw } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TEST_ENDPOINT } from './testEndpoint.ts';

let release: () => void = () => {};
let enteredCount = 0;
let echoCount = 0;

const echo: Handler = ({ params }) => {
  echoCount += 1;
  return { body: JSON.stringify({ params }) };
};
const slow: Handler = async () => {
  enteredCount += 1;
  await new Promise<void>((resolve) => {
    release = resolve;
  });
  return { body: '"late"' };
};
/** The size of a body of which a few reach the bound of a turn. */
const LARGE_BYTES = httpLimits.turnReplyBytesMax / 4;
let largeCount = 0;
const large: Handler = () => {
  largeCount += 1;
  return { body: 'x'.repeat(LARGE_BYTES) };
};
/** A body of many parts, in which each byte shows its position. */
const longBody = Buffer.from(Array.from({ length: 900_000 }, (_, index) => String(index)).join(','));
let endlessSteps = 0;
/** Never finishes. */
const endless: Handler = function* () {
  for (;;) {
    endlessSteps += 1;
    yield;
  }
};
const inTwoSteps: Handler = function* () {
  yield;
  return { body: '"done"' };
};
const table: readonly Endpoint[] = [
  ...endpoints,
  { ...TEST_ENDPOINT, method: 'GET', path: '/test/long', handler: () => ({ body: longBody }) },
  { ...TEST_ENDPOINT, method: 'POST', path: '/test/echo', handler: echo },
  { ...TEST_ENDPOINT, method: 'GET', path: '/test/echo', handler: echo },
  { ...TEST_ENDPOINT, method: 'GET', path: '/test/by/{name}/{other}', handler: echo },
  { ...TEST_ENDPOINT, method: 'GET', path: '/test/slow', handler: slow },
  { ...TEST_ENDPOINT, method: 'GET', path: '/test/endless', handler: endless },
  { ...TEST_ENDPOINT, method: 'GET', path: '/test/two-steps', handler: inTwoSteps },
  { ...TEST_ENDPOINT, method: 'GET', path: '/test/large', handler: large },
];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ endpoints: table });
});
afterAll(() => server.close());

/** Reads the reply to a request for the long body with pauses of `pauseMs`; undefined when it disconnects midway. */
async function readLong(pauseMs: number, isLeaving = false): Promise<Buffer | undefined> {
  const socket = connect(server.port, '127.0.0.1');
  socket.write(requestHead('GET /test/long'));
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of socket) {
    parts.push(part);
    bytes += part.length;
    if (isLeaving) break;
    if (bytes >= longBody.length + Buffer.concat(parts.slice(0, 1)).indexOf('\r\n\r\n') + 4) break;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  socket.destroy();
  const whole = Buffer.concat(parts);
  return isLeaving ? undefined : whole.subarray(whole.indexOf('\r\n\r\n') + 4);
}

test('long responses arrive whole, however slowly they are read, while other clients disconnect', async () => {
  const read = [readLong(0), readLong(2), readLong(0, true), readLong(0), readLong(0, true), readLong(2)];
  const bodies = await Promise.all(read);
  for (const body of bodies) if (body !== undefined) expect(body.equals(longBody)).toBe(true);
  expect(bodies.filter((body) => body === undefined).length).toBe(2);
  const [head] = await sendRaw(server.port, [requestHead('HEAD /test/long')]);
  expect(head.headers['content-length']).toBe(String(longBody.length));
});

test('work on a response stops once its client has disconnected, and does not delay others', async () => {
  const clients = [1, 2, 3].map(() => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(requestHead('GET /test/endless'));
    return socket;
  });
  // The first step of each request is made at once, then only those of the first one.
  await vi.waitFor(() => expect(endlessSteps).toBeGreaterThan(10), PATIENCE);
  for (const client of clients) client.destroy();
  expect((await send(server.url, 'GET', '/test/two-steps')).json).toBe('done');
  const steps = endlessSteps;
  expect((await send(server.url, 'GET', '/test/two-steps')).json).toBe('done');
  expect(endlessSteps).toBe(steps);
});

describe('pipelined requests', () => {
  const get = (path: string): string => requestHead(`GET ${path}`);

  /** Sends a burst in one write, ignoring the replies; resolves when the server has closed the connection. */
  const burst = (path: string, count: number): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {}); // unread data makes the close a reset
      socket.on('close', () => resolve());
      socket.write(get(path).repeat(count));
      socket.resume();
    });

  test('a few are answered in order', async () => {
    const replies = await sendRaw(server.port, [get('/test/by/1/x') + get('/test/by/2/x') + get('/nowhere')], 3);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(replies.slice(0, 2).map(({ body }) => JSON.parse(body).params.name)).toEqual(['1', '2']);
  });

  test('more than the limit per turn close their connection and do not delay other clients', async () => {
    echoCount = 0;
    await Promise.all([burst('/test/echo', 2_000), send(server.url, 'GET', '/version')]);
    // One more than a turn answers: its reply waits for the next turn, and the request after it closes the connection.
    expect(echoCount).toBeGreaterThan(1);
    expect(echoCount).toBeLessThanOrEqual(httpLimits.turnRepliesMax + 1);
    expect((await send(server.url, 'GET', '/version')).json).toEqual({ version: 2, interface: INTERFACE_VERSION });
  });

  test('large responses reach the limit per turn by their bytes', async () => {
    largeCount = 0;
    await burst('/test/large', 2_000);
    expect(largeCount).toBe(httpLimits.turnReplyBytesMax / LARGE_BYTES + 1);
  });

  test('a burst of requests for an unknown path closes its connection too', async () => {
    await burst('/nowhere', 2_000);
    expect((await send(server.url, 'GET', '/version')).status).toBe(200);
  });

  test('connections that send one request each are all answered', async () => {
    const count = httpLimits.turnRepliesMax * 3;
    const replies = await Promise.all(Array.from({ length: count }, () => sendRaw(server.port, [get('/test/large')])));
    expect(replies.filter(([reply]) => reply?.status === 200 && reply.body.length === LARGE_BYTES)).toHaveLength(count);
  });
});

describe('clients that disconnect', () => {
  test('in the middle of a body do not affect the server', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => {
        socket.write(requestHead('POST /test/echo', 'Content-Length: 100'), () => {
          socket.write('{"a"', () => socket.destroy());
        });
      });
      socket.on('close', () => resolve());
    });
    expect((await send(server.url, 'GET', '/version')).json).toEqual({ version: 2, interface: INTERFACE_VERSION });
  });

  test('while a handler is waiting do not affect the server', async () => {
    const before = enteredCount;
    const socket = connect(server.port, '127.0.0.1');
    socket.write(requestHead('GET /test/slow'));
    while (enteredCount === before) await send(server.url, 'GET', '/version');
    await new Promise<void>((resolve) => {
      socket.on('close', () => resolve());
      socket.destroy();
    });
    await send(server.url, 'GET', '/version');
    release();
    expect((await send(server.url, 'GET', '/version')).status).toBe(200);
  });
});
