// A handler that throws unexpectedly: its client gets an error, other requests in progress get their replies, and the code
// that started the server is told once. Also: a server that stops answers what it has begun and nothing else.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { StorageUnavailable } from '../../engine/index.ts';
import type { Endpoint, Handler } from '../../server/http/endpoint.ts';
import { requestHead, send, sendRaw } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TEST_ENDPOINT } from './testEndpoint.ts';

const row = { ...TEST_ENDPOINT, method: 'GET' } as const;
let server: TestServer | undefined;
afterEach(() => server?.close());

/** A handler that waits until its gate is opened. */
function gate(): { readonly handler: Handler; readonly entered: Promise<void>; readonly open: () => void } {
  let enter: () => void = () => {};
  let open: () => void = () => {};
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const handler: Handler = async () => {
    enter();
    await opened;
    return { body: '"answered"' };
  };
  return { handler, entered, open };
}

const throwing: readonly Handler[] = [
  () => {
    throw new TypeError('nobody expects this');
  },
  async () => {
    await Promise.resolve();
    throw new RangeError('nor this');
  },
  (request) => {
    // Reading headers after the first wait is our own mistake, and is reported as one.
    const { header } = request;
    return Promise.resolve().then(() => ({ body: header('x-late') }));
  },
];

test('a throwing handler gives 503, reports each error once, and does not affect other responses', async () => {
  const { handler, entered, open } = gate();
  const defects: Error[] = [];
  const endpoints: readonly Endpoint[] = [
    { ...row, path: '/gate', handler },
    ...throwing.map((each, index): Endpoint => ({ ...row, path: `/throw/${index}`, handler: each })),
    { ...row, method: 'POST', path: '/throw/body', handler: throwing[0] },
  ];
  server = await startTestServer({ endpoints, onFatal: (error) => defects.push(error) });
  const waiting = send(server.url, 'GET', '/gate');
  await entered;
  for (const index of throwing.keys()) {
    const reply = await send(server.url, 'GET', `/throw/${index}`);
    expect(reply.status).toBe(503);
    expect(reply.json.error).toMatch(/^the exchange stopped because of an internal defect/);
    expect(reply.headers.get('retry-after')).toBe('5');
  }
  expect((await send(server.url, 'POST', '/throw/body', {})).status).toBe(503);
  open();
  expect((await waiting).json).toBe('answered');
  expect(defects.map(({ message }) => message)).toEqual([
    'nobody expects this',
    'nor this',
    "header x-late was read after the handler's first await",
    'nobody expects this',
  ]);
});

test('closed storage gives 503 with its reason, not with the error of an internal defect', async () => {
  const handler: Handler = async () => {
    throw new StorageUnavailable('the disk is full');
  };
  server = await startTestServer({ endpoints: [{ ...row, path: '/', handler }] });
  const reply = await send(server.url, 'GET', '/');
  expect(reply.status).toBe(503);
  expect(reply.json).toEqual({ error: 'the exchange does not accept commands at present: the disk is full' });
  expect(reply.headers.get('retry-after')).toBe('5');
});

test('a stopping server refuses connections, rejects new requests and completes those in progress', async () => {
  const { handler, entered, open } = gate();
  const running = await startTestServer({ endpoints: [{ ...row, path: '/gate', handler }] });
  const { port, url } = running;
  const request = requestHead('GET /gate');
  const first = sendRaw(port, [request]);
  await entered;
  // A connection that was open before; its second request comes after the stop has begun.
  const socket = connect(port, '127.0.0.1');
  const replyOf = async (text: string): Promise<string> => {
    socket.write(text);
    const [chunk] = await once(socket, 'data');
    return String(chunk);
  };
  expect(await replyOf(requestHead('GET /other'))).toMatch(/^HTTP\/1\.1 404 /);
  const stopped = running.close();
  await expect(fetch(`${url}/gate`)).rejects.toThrow();
  const late = await replyOf(request);
  expect(late).toMatch(/^HTTP\/1\.1 503 [\s\S]*the exchange is stopping/);
  open();
  expect((await first)[0]).toMatchObject({ status: 200, body: '"answered"' });
  await stopped;
  socket.destroy();
});
