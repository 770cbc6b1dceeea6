// Requests that violate HTTP or break off, over bare sockets: two lengths, no length, chunks, headers without end, clients
// that vanish while they send or while they are answered. Each is refused or dropped; the server goes on.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RawReply, sendRaw } from '../support/client.ts';
import { expectRefused, Target } from './harness.ts';

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

/** A request's text with these header lines. */
const text = (line: string, headers: readonly string[], body = ''): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;

const JSON_TYPE = 'Content-Type: application/json';

/** Sends bytes; a connection that is closed without an answer gives no replies. */
const exchange = (parts: readonly (string | Buffer)[], count = 1): Promise<readonly RawReply[]> =>
  sendRaw(target.server.port, parts, count).catch((error: NodeJS.ErrnoException) => {
    expect(error.code).toMatch(/^(ECONNRESET|EPIPE)$/);
    return [];
  });

/** Sends bytes that must be refused, by this server in JSON or by its HTTP library before anything was read. */
async function expectRefusal(bytes: string | Buffer, label: string): Promise<void> {
  const replies = await exchange([bytes]);
  expect(replies, label).toHaveLength(1);
  const [{ status, headers, body }] = replies;
  expect(status >= 400 && (status < 500 || status === 505), `${label}: ${status} ${body}`).toBe(true);
  if (headers['content-type'] !== undefined) expect(typeof JSON.parse(body).error, label).toBe('string');
}

const list = (): string => JSON.stringify([{ token_id: target.market.yes }]);

test('two Content-Length headers are rejected, equal or not', () =>
  target.unchanged(async () => {
    const body = list();
    for (const [first, second] of [
      [body.length, body.length],
      [body.length, 0],
      [0, body.length],
      [body.length, body.length + 5],
    ]) {
      const headers = [JSON_TYPE, `Content-Length: ${first}`, `Content-Length: ${second}`];
      const replies = await exchange([text('POST /books', headers, body)]);
      expect(replies.length, `${first} ${second}`).toBe(1);
      expect([replies[0].status, JSON.parse(replies[0].body).error]).toEqual([
        400,
        expect.stringContaining('Content-Length'),
      ]);
    }
  }));

test('a Content-Length that is malformed, negative or too large is rejected', () =>
  target.unchanged(async () => {
    for (const length of [
      '-1',
      '+5',
      'x',
      '',
      '1e3',
      '0x10',
      '5 5',
      '5, 5',
      '1.5',
      '18446744073709551616',
      '9'.repeat(30),
    ]) {
      await expectRefusal(text('POST /books', [JSON_TYPE, `Content-Length: ${length}`], list()), length);
    }
    const [large] = await exchange([text('POST /books', [JSON_TYPE, 'Content-Length: 1000000000'])]);
    expect([large.status, JSON.parse(large.body).error]).toEqual([413, expect.stringContaining('1048576')]);
  }));

test('a body is accepted in one-byte chunks and in one-byte writes', async () => {
  const body = list();
  const chunk = (part: string): string => `${part.length.toString(16)}\r\n${part}\r\n`;
  const whole = `${[...body].map(chunk).join('')}0\r\n\r\n`;
  const [reply] = await exchange([text('POST /books', [JSON_TYPE, 'Transfer-Encoding: chunked'], whole)]);
  expect([reply.status, JSON.parse(reply.body)[0].asset_id]).toEqual([200, target.market.yes]);
  const parts = [text('POST /books', [JSON_TYPE, `Content-Length: ${body.length}`]), ...body];
  const [slow] = await exchange(parts);
  expect(JSON.parse(slow.body)).toEqual(JSON.parse(reply.body));
});

test('chunked bodies that are malformed, too large or sent with a Content-Length are not served', () =>
  target.unchanged(async () => {
    const chunked = [JSON_TYPE, 'Transfer-Encoding: chunked'];
    for (const body of [
      'zz\r\n{}\r\n0\r\n\r\n',
      '-1\r\n{}\r\n0\r\n\r\n',
      'ffffffffffffffff\r\n{}\r\n',
      '2\r\n{}}}}}\r\n0\r\n\r\n',
      '\r\n\r\n',
    ]) {
      await expectRefusal(text('POST /books', chunked, body), body);
    }
    const both = [JSON_TYPE, 'Content-Length: 4', 'Transfer-Encoding: chunked'];
    await expectRefusal(text('POST /books', both, '2\r\n[]\r\n0\r\n\r\n'), 'both');
    const part = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const replies = await exchange([text('POST /books', chunked), ...Array.from({ length: 20 }, () => part)]);
    expect(replies.map(({ status }) => status)).toEqual([413]);
  }));

/** Sends bytes, then ends the connection, and returns what was answered until then. */
function cut(bytes: string | Buffer, waitMs = 60): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(target.server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received += data.toString('latin1');
    });
    socket.on('close', () => resolve(received));
    socket.write(bytes, () => setTimeout(() => socket.destroy(), waitMs));
  });
}

test('bytes that are not valid HTTP are dropped or rejected', () =>
  target.unchanged(async () => {
    const refused = [
      'GET /ok HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n',
      'GET /ok HTTP/1.0\r\n\r\n',
      'GET /ok HTTP/1.1\r\n: 127.0.0.1\r\n\r\n',
      'GET ok HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
      Buffer.alloc(4_096, 0xff),
      Buffer.alloc(100),
    ];
    for (const bytes of refused) await expectRefusal(bytes, bytes.toString('latin1').slice(0, 40));
    // The HTTP library waits for the rest of these until the connection has been idle for too long.
    const unfinished = [
      '\r\n\r\n',
      'hello\r\n\r\n',
      'GET\r\n\r\n',
      'GET /ok\r\n\r\n',
      'GET /ok HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n',
    ];
    for (const bytes of unfinished) expect(await cut(bytes), bytes).toBe('');
  }));

test('headers that are too long, too many or never end are rejected', () =>
  target.unchanged(async () => {
    // Small enough to be read at once: a connection that is closed over unread bytes may lose its answer.
    for (const bytes of [
      text('GET /ok', [`X-Long: ${'a'.repeat(66_000)}`]),
      text('GET /ok', Array<string>(300).fill('X-More: 1')),
      text(`GET /${'a'.repeat(66_000)}`, []),
      `GET /ok HTTP/1.1\r\n${'X-More: 1\r\n'.repeat(6_600)}`,
    ]) {
      const replies = await exchange([bytes]);
      expect(
        replies.map(({ status }) => status),
        bytes.slice(0, 40),
      ).toEqual([431]);
    }
  }));

test('a request with an unknown or empty Host is rejected', () =>
  target.unchanged(async () => {
    for (const host of ['example.com', 'evil.localhost.example.com', '127.0.0.1.example.com', '10.0.0.1', '']) {
      await expectRefusal(`GET /ok HTTP/1.1\r\nHost: ${host}\r\n\r\n`, host);
    }
    const [known] = await exchange(['GET /ok HTTP/1.1\r\nHost: example.com\r\n\r\n']);
    expect([known.status, JSON.parse(known.body).error]).toEqual([
      421,
      'host example.com is not served here; use 127.0.0.1 or start with --allow-host example.com',
    ]);
  }));

test('a rejected request does not affect later ones on the same connection', () =>
  target.unchanged(async () => {
    const bad = '{"a":';
    const replies = await exchange(
      [
        text('POST /books', [JSON_TYPE, `Content-Length: ${bad.length}`], bad),
        text('GET /nowhere', []),
        text('PUT /order', [JSON_TYPE, 'Content-Length: 2'], '{}'),
        text('POST /books', [JSON_TYPE, `Content-Length: ${list().length}`], list()),
        text('GET /version', []),
      ],
      5,
    );
    expect(replies.map(({ status }) => status)).toEqual([400, 404, 405, 200, 200]);
    expect(JSON.parse(replies[4].body).version).toBe(2);
  }));

test('clients that disconnect while sending leave the state unchanged', () =>
  target.unchanged(async () => {
    const body = JSON.stringify(target.orderBody());
    const headers = target.credentialsFor('l2', 'POST', '/order', body);
    const lines = [JSON_TYPE, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
    const whole = text('POST /order', [...lines, `Content-Length: ${body.length}`], body);
    const cuts = Array.from({ length: 40 }, (_, index) => 1 + Math.floor(((whole.length - 2) * index) / 39));
    await Promise.all(cuts.map((length) => cut(whole.slice(0, length), 5)));
    await Promise.all(
      Array.from({ length: 20 }, () => cut(text('POST /books', [JSON_TYPE, 'Content-Length: 1000000'], '['), 5)),
    );
  }));

test('clients that disconnect before the response leave the state unchanged', () =>
  target.unchanged(async () => {
    const tokens = JSON.stringify(Array.from({ length: 500 }, () => ({ token_id: target.market.yes })));
    const books = text('POST /books', [JSON_TYPE, `Content-Length: ${tokens.length}`], tokens);
    const orders = '/data/orders';
    const headers = Object.entries(target.credentialsFor('l2', 'GET', orders)).map(
      ([name, value]) => `${name}: ${value}`,
    );
    const own = text(`GET ${orders}`, headers);
    for (const request of [books, own, books.repeat(20), own.repeat(50)]) {
      await Promise.all(Array.from({ length: 25 }, (_, index) => cut(request, index % 3)));
    }
  }));

test('an order whose client disconnects is placed at most once, and a retry leaves it live', async () => {
  const bodies = Array.from({ length: 30 }, () => target.orderBody({ makerAmount: '100000' }));
  await Promise.all(
    bodies.map((body, index) => {
      const content = JSON.stringify(body);
      const headers = target.credentialsFor('l2', 'POST', '/order', content);
      const lines = [JSON_TYPE, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
      return cut(text('POST /order', [...lines, `Content-Length: ${content.length}`], content), index % 4);
    }),
  );
  for (const body of bodies) {
    const id = target.orderIdOf(body);
    const found = await target.send('GET', `/data/order/${id}`, 'l2');
    const again = await target.send('POST', '/order', 'l2', body);
    expect([200, 404]).toContain(found.status);
    if (again.status === 200) expect([found.status, again.json.orderID]).toEqual([404, id]);
    else expectRefused(again, 400, `order ${id} is invalid. Duplicated.`);
    expect((await target.send('GET', `/data/order/${id}`, 'l2')).json.status).toBe('LIVE');
  }
  const book = await target.call('GET', `/book?token_id=${target.market.yes}`);
  expect(book.json.bids).toContainEqual({ price: '0.01', size: '300' });
});
