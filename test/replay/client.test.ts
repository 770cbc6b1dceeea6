// The replay's client: at which addresses it finds an exchange, those of IPv6 among them. What it says there is played by
// recordedFlow.test.ts.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isOfSystem } from '../../engine/index.ts';
import { ExchangeClient } from '../../server/dev/replay/client.ts';

test.each(['127.0.0.1', '::1'])('an exchange at %s is found by the address that its start prints', async (host) => {
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
