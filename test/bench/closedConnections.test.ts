// What the clients of the benches do when a server closes their connections: the run ends with an error or the number of closed
// ones, where it would otherwise wait forever.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Asker } from '../../bench/catalog/asker.ts';
import type { ClientQuestion } from '../../bench/fanOut/question.ts';
import { startChild } from '../../bench/lib/talk.ts';
import { runClosedLoop, runOpenLoop } from '../../bench/load/connections.ts';

let server: Server;
let port = 0;
beforeAll(async () => {
  server = createServer((socket) => socket.once('data', () => socket.end()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port; // it listens on a port
});
afterAll(() => server.close());

const startSubscribers = () => startChild(join(import.meta.dirname, '../../bench/fanOut/subscribers.ts'));
const connect = { kind: 'connect', count: 2, message: '{}', isPaused: false, isInPasses: false } as const;

const requests = [Buffer.from('GET / HTTP/1.1\r\n\r\n')];

test('a load whose connection is closed before the answer fails', async () => {
  await expect(runClosedLoop(port, 1, requests, '')).rejects.toThrow('closed a connection');
  await expect(runOpenLoop(port, 1, requests, '', 1_000)).rejects.toThrow('closed a connection');
});

test('a request of the catalog bench whose connection is closed before the answer fails', async () => {
  await expect(new Asker(`http://127.0.0.1:${port}`).time('/')).rejects.toThrow('closed the connection');
});

test('connecting the sockets of the streams bench fails if the server closes one before the answer', async () => {
  const child = startSubscribers();
  try {
    await expect(child.ask({ ...connect, port } satisfies ClientQuestion)).rejects.toThrow('closed a socket');
  } finally {
    child.end();
  }
});

test('sockets of the streams bench that are closed before their bytes are awaited are counted', async () => {
  const accepted: Socket[] = [];
  const streams = createServer((socket) => {
    accepted.push(socket);
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  });
  await new Promise<void>((resolve) => streams.listen(0, '127.0.0.1', resolve));
  const child = startSubscribers();
  const ask = (question: ClientQuestion): Promise<unknown> => child.ask(question);
  try {
    const { port: streamsPort } = streams.address() as AddressInfo; // it listens on a port
    await ask({ ...connect, port: streamsPort });
    accepted[0].destroy();
    await sleep(300);
    expect(await ask({ kind: 'await', bytes: 1 })).toBe(1);
  } finally {
    child.end();
    streams.close();
  }
});
