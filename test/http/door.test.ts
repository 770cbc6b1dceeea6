// The door's replies to requests that no handler should see, over real sockets: every error path, with its text. The table
// is the full one plus a few endpoints that only echo or refuse.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint, Handler, HttpRequest, Reply } from '../../server/http/endpoint.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { httpLimits } from '../../server/http/limits.ts';
import { BadRequest } from '../../server/wire/badRequest.ts';
import { HistorianUnavailable } from '../../server/wire/historyQueries.ts';
import { INTERFACE_VERSION } from '../../server/wire/interfaceVersion.ts';
import { requestHead, send, sendRaw } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { TEST_ENDPOINT } from './testEndpoint.ts';

const seen: HttpRequest[] = [];
const echo: Handler = (request) => {
  seen.push(request);
  return { body: JSON.stringify({ params: request.params, bytes: request.body.length, json: request.json() ?? null }) };
};
const VERSION_TEXT = JSON.stringify({ version: 2, interface: INTERFACE_VERSION });
const table: readonly Endpoint[] = [
  ...endpoints,
  { ...TEST_ENDPOINT, method: 'POST', path: '/test/echo', handler: echo },
  { ...TEST_ENDPOINT, method: 'GET', path: '/test/echo', handler: echo },
  { ...TEST_ENDPOINT, method: 'PUT', path: '/test/fixed-text', handler: echo, badBodyText: 'Invalid order payload' },
  { ...TEST_ENDPOINT, method: 'GET', path: '/test/by/{name}/{other}', handler: echo },
  {
    ...TEST_ENDPOINT,
    method: 'GET',
    path: '/test/bad',
    handler: () => {
      throw new BadRequest('come later', { status: 429, extra: { code: 7 }, headers: { 'retry-after': '3' } });
    },
  },
  {
    ...TEST_ENDPOINT,
    method: 'GET',
    path: '/test/no-history',
    handler: () => Promise.reject(new HistorianUnavailable('its index is being rebuilt')),
  },
  {
    ...TEST_ENDPOINT,
    method: 'GET',
    path: '/test/ip',
    handler: (request): Reply => ({ body: JSON.stringify(request.ip) }),
  },
];

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ endpoints: table });
});
afterAll(() => server.close());

const post = (length: number, ...more: readonly string[]): string =>
  requestHead('POST /test/echo', 'Content-Type: application/json', `Content-Length: ${length}`, ...more);
const errorOf = (body: string): string => JSON.parse(body).error;

describe('routes', () => {
  test('an unknown path gives 404 with a JSON error', async () => {
    const reply = await send(server.url, 'GET', '/nowhere');
    expect(reply.status).toBe(404);
    expect(reply.json).toEqual({ error: 'not found' });
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  test('a plain request for a stream gives 404 with an error about the missing upgrade', async () => {
    for (const path of ['/ws', '/ws/', '/ws/market', '/ws/user']) {
      const reply = await send(server.url, 'GET', path);
      expect(reply.status).toBe(404);
      expect(reply.json).toEqual({
        error: 'not found: streams accept WebSocket connections only, and this request does not ask for an upgrade',
      });
    }
    expect((await send(server.url, 'GET', '/wsx')).json).toEqual({ error: 'not found' });
  });

  test('an unknown path under /ws gives 404 with the paths of the streams, with or without an upgrade', async () => {
    const key = 'dGhlIHNhbXBsZSBub25jZQ==';
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${key}`,
    ];
    for (const path of ['/ws/markets', '/ws/user/', '/ws/Market'])
      for (const headers of [[], upgrade]) {
        const [raw] = await sendRaw(server.port, [requestHead(`GET ${path}`, ...headers)]);
        expect([raw.status, errorOf(raw.body)]).toEqual([404, 'not found: the streams are /ws/market and /ws/user']);
      }
  });

  test('a known path with another method gives 405 with the allowed methods', async () => {
    const reply = await send(server.url, 'DELETE', '/time');
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect(reply.json.error).toBe('DELETE is not allowed on /time; allowed methods: GET, HEAD, OPTIONS');
    const [raw] = await sendRaw(server.port, [requestHead('BREW /time')]);
    expect(raw.status).toBe(405);
  });

  test('path segments are percent-decoded, and a malformed sequence gives 400', async () => {
    const reply = await send(server.url, 'GET', '/test/by/a%20b/%E2%82%AC?x=1');
    expect(reply.json.params).toEqual({ name: 'a b', other: '€' });
    const bad = await send(server.url, 'GET', '/test/by/%zz/x');
    expect(bad.status).toBe(400);
    expect(bad.json.error).toMatch(/malformed percent sequence in "%zz"/);
    expect((await send(server.url, 'GET', '/test/by//x')).status).toBe(404);
  });

  test('a handler receives the query, the client address and the headers', async () => {
    seen.length = 0;
    const headers = { 'x-test': 'yes' };
    await send(server.url, 'POST', '/test/echo?a=1&a=2', {}, headers);
    const [request] = seen;
    expect(request.query.getAll('a')).toEqual(['1', '2']);
    expect(request.header('x-test')).toBe('yes');
    expect(request.header('x-other')).toBe('');
    expect((await send(server.url, 'GET', '/test/ip')).json).toMatch(/127\.0\.0\.1$/);
  });

  test('a header is found by its name, whatever the values of others are', async () => {
    seen.length = 0;
    await send(server.url, 'POST', '/test/echo', {}, { 'x-first': 'x-second', 'x-second': 'x-third' });
    const [{ header }] = seen;
    expect(['x-first', 'x-second', 'x-third'].map(header)).toEqual(['x-second', 'x-third', '']);
  });

  test('a BadRequest sets the status, fields and headers of the response', async () => {
    const reply = await send(server.url, 'GET', '/test/bad');
    expect(reply.status).toBe(429);
    expect(reply.json).toEqual({ error: 'come later', code: 7 });
    expect(reply.headers.get('retry-after')).toBe('3');
  });
});

test('an unavailable historian gives 503 with Retry-After', async () => {
  const reply = await send(server.url, 'GET', '/test/no-history');
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
  expect(reply.json).toEqual({
    error: 'internal_error: The history cannot be read at present: its index is being rebuilt',
  });
});

describe('HEAD and OPTIONS', () => {
  test('HEAD gives the same status and Content-Length as GET, and 405 where there is no GET', async () => {
    const replies = await sendRaw(server.port, [requestHead('HEAD /version'), requestHead('HEAD /version')], 2);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies[0].headers['content-length']).toBe(String(VERSION_TEXT.length));
    // The length is that of the bytes, not of the characters.
    const path = '/test/by/%E2%82%AC/x';
    const { headers } = await send(server.url, 'GET', path);
    const [euro] = await sendRaw(server.port, [requestHead(`HEAD ${path}`)]);
    expect(euro.headers['content-length']).toBe(headers.get('content-length'));
    const [missing] = await sendRaw(server.port, [requestHead('HEAD /nowhere')]);
    expect(missing.status).toBe(404);
    const [onlyPost] = await sendRaw(server.port, [requestHead('HEAD /order')]);
    expect(onlyPost.status).toBe(405);
  });

  test('web pages of any origin can call public paths', async () => {
    const headers = {
      origin: 'http://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type, poly_address',
    };
    const reply = await send(server.url, 'OPTIONS', '/order', undefined, headers);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.headers.get('access-control-allow-headers')).toBe('content-type, poly_address');
    expect(reply.headers.get('access-control-allow-methods')).toContain('POST');
    const get = await send(server.url, 'GET', '/time', undefined, { origin: 'http://elsewhere.example' });
    expect(get.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('a preflight allows the header names that it lists, and any if the list is missing, malformed or long', async () => {
    const longest = 'x'.repeat(httpLimits.preflightHeadersCharactersMax);
    for (const [asked, allowed] of [
      ['POLY_ADDRESS, x-1', 'POLY_ADDRESS, x-1'],
      [longest, longest],
      [`${longest}x`, '*'],
      ['a;b', '*'],
      ['', '*'],
    ]) {
      const headers = { 'access-control-request-headers': asked };
      const reply = await send(server.url, 'OPTIONS', '/order', undefined, headers);
      expect(reply.headers.get('access-control-allow-headers')).toBe(allowed);
    }
  });

  test('web pages of any origin can read all headers of public responses, error responses included', async () => {
    const headers = { origin: 'http://elsewhere.example' };
    for (const path of ['/time', '/nothing', '/book?token_id=x', '/data/orders']) {
      const reply = await send(server.url, 'GET', path, undefined, headers);
      expect(reply.headers.get('access-control-expose-headers'), path).toBe('*');
    }
    const own = await send(server.url, 'POST', '/dev/faucet', {}, headers);
    expect(own.headers.get('access-control-expose-headers')).toBeNull();
  });

  test('web pages of other origins cannot call /dev/faucet', async () => {
    const origin = 'http://elsewhere.example';
    const preflight = await send(server.url, 'OPTIONS', '/dev/faucet', undefined, { origin });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    const body = { address: server.wallets[0].address, collateral: '1' };
    const reply = await send(server.url, 'POST', '/dev/faucet', body, { origin });
    expect(reply.status).toBe(401);
    expect(reply.json.error).toContain(origin);
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    // Also behind a proxy with TLS, which the exchange does not see.
    for (const own of [server.url, server.url.replace('http:', 'https:')])
      expect((await send(server.url, 'POST', '/dev/faucet', body, { origin: own })).status).toBe(200);
  });

  test('the refusal of a page of the same host on another port names the port whose pages are accepted', async () => {
    const origin = 'http://127.0.0.1:1';
    const reply = await send(server.url, 'POST', '/dev/faucet', {}, { origin });
    expect([reply.status, reply.json.error]).toEqual([
      401,
      `this path does not accept requests from pages of ${origin}, only from pages of 127.0.0.1:${server.port}`,
    ]);
  });
});

describe('Host', () => {
  test.each(['localhost', 'LOCALHOST:1', 'a.b.localhost:80', '127.0.0.1', '127.9.8.7:1', '[::1]:8080', 'localhost.'])(
    'a loopback development server accepts the host %s',
    async (host) => {
      const [reply] = await sendRaw(server.port, [requestHead('GET /time', `Host: ${host}`)]);
      expect(reply.status).toBe(200);
    },
  );

  test.each(['elsewhere.example', 'elsewhere.example:8080', 'localhost.example', '127.0.0.1.example', '10.0.0.1'])(
    'a loopback development server rejects the host %s with 421',
    async (host) => {
      const [reply] = await sendRaw(server.port, [requestHead('GET /time', `Host: ${host}`)]);
      expect(reply.status).toBe(421);
      const name = host.split(':')[0];
      expect(errorOf(reply.body)).toBe(
        `host ${name} is not served here; use 127.0.0.1 or start with --allow-host ${name}`,
      );
    },
  );

  test('a request with an empty Host header is rejected with 421 and a sentence that says so', async () => {
    const [reply] = await sendRaw(server.port, ['GET /time HTTP/1.1\r\nHost:\r\n\r\n']);
    expect(reply.status).toBe(421);
    expect(errorOf(reply.body)).toBe('the Host header is empty; use 127.0.0.1 or a host name given with --allow-host');
  });

  test('host names added by the configuration are accepted', async () => {
    const other = await startTestServer({ config: { allowHosts: ['Box.Lan', 'b'] } });
    for (const host of ['BOX.lan:9', 'b:9']) {
      const [reply] = await sendRaw(other.port, [requestHead('GET /time', `Host: ${host}`)]);
      expect([host, reply.status]).toEqual([host, 200]);
    }
    await other.close();
  });
});

describe('bodies', () => {
  test('a body that is not JSON gives 400 with the parse error or the fixed text of the endpoint', async () => {
    const reply = await send(server.url, 'POST', '/test/echo', '{"a": tru}');
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatch(/^the body is not JSON: /);
    const fixed = await send(server.url, 'PUT', '/test/fixed-text', '{"a"');
    expect(fixed.json).toEqual({ error: 'Invalid order payload' });
  });

  test('an empty body with a JSON content type is accepted', async () => {
    const [reply] = await sendRaw(server.port, [post(0)]);
    expect(JSON.parse(reply.body)).toEqual({ params: {}, bytes: 0, json: null });
  });

  test('the body of a GET reaches the handler', async () => {
    const head = requestHead('GET /test/echo', 'Content-Type: application/json', 'Content-Length: 3');
    const [reply] = await sendRaw(server.port, [head, '[1]']);
    expect(JSON.parse(reply.body).json).toEqual([1]);
  });

  test.each([10_000, httpLimits.jsonDepthMax + 1])(
    'a body with %i levels of nesting gives 400 with the limit',
    async (depth) => {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const inner = open === '[' ? '' : '1';
        const reply = await send(server.url, 'POST', '/test/echo', open.repeat(depth) + inner + close.repeat(depth));
        expect(reply.status).toBe(400);
        expect(reply.json.error).toContain('deeper than the limit of 32 levels');
      }
    },
  );

  test('sibling arrays and brackets in strings do not count as nesting', async () => {
    const wide = Array.from({ length: 500 }, () => [{ a: ['[[[[[{{{{{\\"'] }]);
    const reply = await send(server.url, 'POST', '/test/echo', wide);
    expect(reply.json.json).toEqual(wide);
    const deepest = '['.repeat(httpLimits.jsonDepthMax) + ']'.repeat(httpLimits.jsonDepthMax);
    for (const text of [deepest, `[[],{},${deepest.slice(1)}`]) {
      expect((await send(server.url, 'POST', '/test/echo', text)).status).toBe(200);
    }
  });

  test('bytes that are not UTF-8 give 400', async () => {
    const body = Buffer.from([0x22, 0xc3, 0x28, 0x22]);
    const [reply] = await sendRaw(server.port, [post(body.length), body]);
    expect(reply.status).toBe(400);
    expect(errorOf(reply.body)).toBe('the body is not valid UTF-8');
  });

  test('a content type other than JSON gives 415, a missing one is accepted', async () => {
    const plain = await send(server.url, 'POST', '/test/echo', '{}', { 'content-type': 'text/plain' });
    expect(plain.status).toBe(415);
    expect(plain.json.error).toBe('the content type text/plain is not supported; send the body as application/json');
    const utf8 = await send(server.url, 'POST', '/test/echo', '{}', {
      'content-type': 'Application/JSON; charset=utf-8',
    });
    expect(utf8.status).toBe(200);
    const blank = await send(server.url, 'POST', '/test/echo', '{}', { 'content-type': 'application/json ; q=1' });
    expect(blank.status).toBe(200);
    const none = `${requestHead('POST /test/echo', 'Content-Length: 2')}{}`;
    expect((await sendRaw(server.port, [none]))[0].status).toBe(200);
  });

  test('a body above the limit gives 413 with the limit, with or without Content-Length', async () => {
    const bytes = httpLimits.bodyBytesMax + 1;
    const [declared] = await sendRaw(server.port, [post(bytes)]);
    expect(declared.status).toBe(413);
    expect(errorOf(declared.body)).toBe(`the body has ${bytes} bytes or more; at most 1048576 bytes are allowed`);
    const sent = await send(server.url, 'POST', '/test/echo', `"${'x'.repeat(bytes)}"`);
    expect(sent.status).toBe(413);
    const chunked = requestHead('POST /test/echo', 'Transfer-Encoding: chunked');
    const chunk = `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n0\r\n\r\n`;
    const [undeclared] = await sendRaw(server.port, [chunked, chunk]);
    expect(undeclared.status).toBe(413);
    expect(errorOf(undeclared.body)).toBe(errorOf(declared.body));
  });

  test('a body of exactly the limit arrives whole, and so does a body sent in several pieces', async () => {
    const text = JSON.stringify('x'.repeat(httpLimits.bodyBytesMax - 2));
    expect((await send(server.url, 'POST', '/test/echo', text)).json.bytes).toBe(httpLimits.bodyBytesMax);
    const parts = ['[1', ',2', ',3', ']'];
    const [reply] = await sendRaw(server.port, [post(parts.join('').length), ...parts]);
    expect(JSON.parse(reply.body).json).toEqual([1, 2, 3]);
  });

  test('a duplicate Content-Length is rejected with 400', async () => {
    const [different] = await sendRaw(server.port, [post(2, 'Content-Length: 5'), '{}']);
    expect(different.status).toBe(400);
    expect(errorOf(different.body)).toBe('Content-Length is given 2 times; send it once');
    const [equal] = await sendRaw(server.port, [post(2, 'Content-Length: 2'), '{}']);
    expect(equal.status).toBe(400);
  });

  test('a response sent before the body has arrived leaves the connection usable', async () => {
    const unknown = requestHead('POST /nowhere', 'Content-Length: 4');
    const get = requestHead('GET /version');
    const replies = await sendRaw(server.port, [unknown, 'tr', 'ue', get], 2);
    expect(replies.map(({ status }) => status)).toEqual([404, 200]);
  });
});
