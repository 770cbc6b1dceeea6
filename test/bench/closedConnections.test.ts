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

test('a load at a steady rate uses its connections in turn, so that none is idle until the server closes it', async () => {
  const counts: number[] = [];
  const answering = createServer((socket) => {
    const index = counts.push(0) - 1;
    socket.on('data', () => {
      counts[index] += 1;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve));
  const { port: answeringPort } = answering.address() as AddressInfo; // it listens on a port
  await runOpenLoop(
    answeringPort,
    2,
    Array.from({ length: 20 }, () => requests[0]),
    '',
    100,
  );
  expect(Math.min(...counts)).toBeGreaterThan(5);
  answering.close();
});

test('a request of the catalog bench on a connection that was closed meanwhile fails', async () => {
  const asker = new Asker(`http://127.0.0.1:${port}`);
  await expect(asker.time('/')).rejects.toThrow('closed the connection');
  await expect(asker.time('/')).rejects.toThrow('has closed the connection');
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

test.each([
  ['while the others connect', true],
  ['afterwards', false],
])(
  'sockets of the streams bench that are closed before their bytes are awaited are counted: %s',
  async (_, isEarly) => {
    const accepted: Socket[] = [];
    const streams = createServer((socket) => {
      accepted.push(socket);
      socket.once('data', () => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
        if (isEarly && socket === accepted[0]) setTimeout(() => socket.destroy(), 100);
      });
    });
    await new Promise<void>((resolve) => streams.listen(0, '127.0.0.1', resolve));
    const child = startSubscribers();
    const ask = (question: ClientQuestion): Promise<unknown> => child.ask(question);
    try {
      const { port: streamsPort } = streams.address() as AddressInfo; // it listens on a port
      await ask({ ...connect, port: streamsPort });
      if (!isEarly) accepted[0].destroy();
      await sleep(300);
      expect(await ask({ kind: 'await', bytes: 1 })).toBe(1);
    } finally {
      child.end();
      streams.close();
    }
  },
);
