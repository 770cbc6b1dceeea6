// The replay's client: the addresses at which it finds an exchange, IPv6 included, its retries, and its messages for
// replies that break off. recordedFlow.test.ts plays its requests to an exchange.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, test } from 'vitest';
import { isOfSystem } from '../../engine/index.ts';
import { ExchangeClient } from '../../server/dev/replay/client.ts';

test.each(['127.0.0.1', '::1'])('the client reaches an exchange at %s by its URL', async (host) => {
  const server = createServer((request, response) => response.end(JSON.stringify(`${request.method} ${request.url}`)));
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  } catch (error) {
    if (!isOfSystem(error) || host === '127.0.0.1') throw error;
    console.info(`Not tried: this machine has no address ${host}.`);
    return;
  }
  const { port } = server.address() as AddressInfo; // it listens on a port
  const client = new ExchangeClient(new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`));
  try {
    expect(await client.send('GET', '/book?token_id=1')).toMatchObject({ status: 200, body: 'GET /book?token_id=1' });
  } finally {
    client.close();
    server.close();
  }
});

/** Runs `use` with a client of a server that answers with `listener`. */
async function withServer(listener: RequestListener, use: (client: ExchangeClient) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const client = new ExchangeClient(new URL(`http://127.0.0.1:${port}`));
  try {
    await use(client);
  } finally {
    client.close();
    server.close();
  }
}

test.each([425, 429, 503])('the client retries a request after status %i and counts the waits', async (status) => {
  let requests = 0;
  const listener: RequestListener = (_, response) => {
    requests += 1;
    response.writeHead(requests < 3 ? status : 200, { 'retry-after': '0' }).end('{}');
  };
  await withServer(listener, async (client) => {
    expect(await client.send('GET', '/')).toMatchObject({ status: 200 });
    expect([requests, client.requestCount, client.waitCount]).toEqual([3, 3, 2]);
  });
});

test('the client does not retry a request after status 500', async () => {
  await withServer(
    (_, response) => response.writeHead(500).end('no JSON'),
    async (client) => {
      expect(await client.send('GET', '/')).toMatchObject({ status: 500, body: undefined });
      expect([client.requestCount, client.waitCount]).toEqual([1, 0]);
    },
  );
});

test('a request on a stale keep-alive connection is retried; one that is always cut off is an error', async () => {
  const served = new Set<Socket>();
  const onlyOnce: RequestListener = (request, response) => {
    if (request.url === '/never' || served.has(request.socket)) request.socket.destroy();
    else response.end('{}');
    served.add(request.socket);
  };
  await withServer(onlyOnce, async (client) => {
    for (let turn = 0; turn < 3; turn += 1) expect(await client.send('GET', '/')).toMatchObject({ status: 200 });
    await expect(client.send('GET', '/never')).rejects.toThrow(/ does not answer \(ECONNRESET\): start one/);
  });
});

test('a truncated response is an error', async () => {
  const half: RequestListener = (request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"half":', () => request.socket.destroy());
  };
  await withServer(half, async (client) => {
    await expect(client.send('GET', '/')).rejects.toThrow(/ does not answer \(ECONNRESET\): start one/);
  });
});
