// What the loaders of the benches do when a server closes their connection instead of answering: the run fails, where it would
// otherwise wait forever.
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Asker } from '../../bench/catalog/asker.ts';
import { runClosedLoop, runOpenLoop } from '../../bench/load/connections.ts';

let server: Server;
let port = 0;
beforeAll(async () => {
  server = createServer((socket) => socket.once('data', () => socket.end()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port; // it listens on a port
});
afterAll(() => server.close());

const requests = [Buffer.from('GET / HTTP/1.1\r\n\r\n')];

test('a load whose connection is closed before the answer fails', async () => {
  await expect(runClosedLoop(port, 1, requests, '')).rejects.toThrow('closed a connection');
  await expect(runOpenLoop(port, 1, requests, '', 1_000)).rejects.toThrow('closed a connection');
});

test('a request of the catalog bench whose connection is closed before the answer fails', async () => {
  await expect(new Asker(`http://127.0.0.1:${port}`).time('/')).rejects.toThrow('closed the connection');
});
