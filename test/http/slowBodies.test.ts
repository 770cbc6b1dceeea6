// Bodies that come in parts and do not end, all of which wait in memory: no more of them than there is room for. The oldest
// are cut off with a 503, the others are answered once they are complete, and a client that disconnects frees its room. And
// bodies in so many tiny parts that they would keep others waiting: they end with their connection.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { httpLimits } from '../../server/http/limits.ts';
import { requestHead } from '../support/client.ts';
import { PATIENCE } from '../support/patience.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const BODY = `[]${' '.repeat(httpLimits.bodyBytesMax - 2)}`;
/** How many of them may wait. */
const ROOM = Math.floor(httpLimits.incomingBodiesBytesMax / BODY.length);
const MORE = 3;
/** How many whole bodies are sent at once: with the one that waits, fewer than there is room for. */
const TOGETHER = 16;
const HEAD = requestHead('POST /books', `Content-Length: ${BODY.length}`);
let server: TestServer;
afterEach(() => server.close());

interface Client {
  readonly socket: Socket;
  reply: string;
}

/** Sends a body without its last byte. */
async function begin(): Promise<Client> {
  const socket = connect(server.port, '127.0.0.1');
  const client: Client = { socket, reply: '' };
  socket.setEncoding('latin1').on('error', () => {});
  socket.on('data', (text: string) => {
    client.reply += text;
  });
  await new Promise<void>((resolve) => socket.write(HEAD + BODY.slice(0, -1), () => resolve()));
  return client;
}

const statusOf = ({ reply }: Client): string => reply.slice(9, 12);
const countOf = (clients: readonly Client[], status: string): number =>
  clients.filter((client) => statusOf(client) === status).length;

test('incomplete bodies beyond the memory limit get 503, and the others are answered once complete', async () => {
  server = await startTestServer();
  const gone = await begin();
  gone.socket.destroy();
  const clients = await Promise.all(Array.from({ length: ROOM + MORE }, begin));
  await expect.poll(() => countOf(clients, '503'), PATIENCE).toBe(MORE);
  expect(clients.find((client) => statusOf(client) === '503')?.reply).toMatch(/retry-after: \d+[\s\S]*bodies/);
  for (const { socket } of clients) socket.write(' ');
  await expect.poll(() => countOf(clients, '200'), PATIENCE).toBe(ROOM);
  expect(countOf(clients, '503')).toBe(MORE);
  for (const { socket } of clients) socket.destroy();
});

test('complete bodies free their memory, and one that stayed incomplete meanwhile is still answered', async () => {
  server = await startTestServer();
  const waiting = await begin();
  const answerWhole = async (): Promise<void> => {
    const whole = await begin();
    whole.socket.write(' ');
    await expect.poll(() => statusOf(whole), PATIENCE).toBe('200');
    whole.socket.destroy();
  };
  // Several at a time: uWebSockets.js closes a connection that has sent nothing for ten seconds.
  for (let count = 0; count < ROOM + MORE; count += TOGETHER) {
    await Promise.all(Array.from({ length: TOGETHER }, answerWhole));
  }
  waiting.socket.write(' ');
  await expect.poll(() => statusOf(waiting), PATIENCE).toBe('200');
  waiting.socket.destroy();
});

/** Sends a body of this many spaces in a single write, each of them a chunk of its own; resolves once the connection is closed. */
async function sendChunks(count: number, end = '', request = 'POST /books'): Promise<Client> {
  const socket = connect(server.port, '127.0.0.1');
  const client: Client = { socket, reply: '' };
  socket.setEncoding('latin1').on('error', () => {});
  socket.on('data', (text: string) => {
    client.reply += text;
    if (end !== '') socket.end();
  });
  socket.write(requestHead(request, 'Transfer-Encoding: chunked') + '1\r\n \r\n'.repeat(count) + end);
  await new Promise<void>((resolve) => socket.on('close', () => resolve()));
  return client;
}

test('a body in more parts than the limit is refused, and its connection is closed', async () => {
  server = await startTestServer();
  const { bodyPartsMax } = httpLimits;
  // The last part is the end, which is empty.
  const honest = await sendChunks(bodyPartsMax - 2, '2\r\n[]\r\n0\r\n\r\n');
  expect(statusOf(honest)).toBe('200');
  const endless = await sendChunks(bodyPartsMax + 1);
  expect(statusOf(endless)).toBe('400');
  expect(endless.reply).toContain(`more than ${bodyPartsMax} parts`);
  const headless = await sendChunks(bodyPartsMax + 1, '', 'HEAD /time');
  expect(headless.reply).toMatch(/^HTTP\/1.1 400 [\s\S]*\r\n\r\n$/);
});
