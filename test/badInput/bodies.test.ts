// Bodies that are not proper JSON, on every endpoint that takes one: cut off, of another kind, nested without end, not
// UTF-8, of another content type, too large. Each is refused in words before anything is done with it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyCases, endpointCases, levelOf, titleOf } from './endpoints.ts';
import { expectRefused, Target } from './harness.ts';

const BODY_BYTES_MAX = 1_048_576;
const DEPTH = 10_000;

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

const rows = bodyCases.map((endpoint) => ({ title: titleOf(endpoint), endpoint }));

const repeated = (open: string, middle: string, close: string): string =>
  open.repeat(DEPTH) + middle + close.repeat(DEPTH);

/** Texts that are no JSON, or JSON of a kind that no endpoint takes. */
const texts: readonly (readonly [string, string | Buffer])[] = [
  ['an open brace', '{'],
  ['an open bracket', '['],
  ['a closing brace', '}'],
  ['a word', 'order'],
  ['undefined', 'undefined'],
  ['NaN', 'NaN'],
  ['single quotes', "{'a':1}"],
  ['a comma too many', '{"a":1,}'],
  ['no value', '{"a":}'],
  ['no colon', '{"a" 1}'],
  ['two values', '{} {}'],
  ['a comment', '{} // done'],
  ['a byte order mark', '\ufeff{}'],
  ['a raw line feed in a text', '{"a":"\n"}'],
  ['a zero byte', '{"a":1}\0'],
  ['a bad escape', '{"a":"\\x"}'],
  ['half an escape', '{"a":"\\u12"}'],
  ['a leading zero', '{"a":01}'],
  ['a plus sign', '{"a":+1}'],
  ['a bare text', '"text"'],
  ['a number', '12345'],
  ['a true', 'true'],
  ['a form', 'a=1&b=2'],
  ['arrays without end', repeated('[', '1', ']')],
  ['objects without end', repeated('{"a":', '1', '}')],
  ['an order nested without end', `{"order":${repeated('[', '', ']')}}`],
  ['brackets that are never closed', '['.repeat(DEPTH)],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
  ['an overlong slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['half of a character', Buffer.from([0x5b, 0x22, 0xe2, 0x82, 0x22, 0x5d])],
  ['zeros', Buffer.alloc(64)],
];

test.each(rows)('$title rejects malformed, truncated and wrongly typed bodies', ({ endpoint }) =>
  target.unchanged(async () => {
    const path = endpoint.path(target);
    for (const [name, text] of texts) {
      const reply = await target.send(endpoint.method, path, levelOf(endpoint), text);
      expectRefused(reply, 400, /[a-z]/i, name);
    }
    const valid = JSON.stringify(endpoint.body(target));
    for (const length of [1, Math.floor(valid.length / 2), valid.length - 1]) {
      const reply = await target.send(endpoint.method, path, levelOf(endpoint), valid.slice(0, length));
      expectRefused(reply, 400, /[a-z]/i, `the first ${length} characters`);
    }
    if (endpoint.isBodyOptional !== true) {
      expectRefused(await target.send(endpoint.method, path, levelOf(endpoint), ''), 400, /[a-z]/i, 'nothing');
      expectRefused(await target.send(endpoint.method, path, levelOf(endpoint), 'null'), 400, /[a-z]/i, 'null');
    }
  }),
);

const bodiless = endpointCases
  .filter(({ method, body }) => method !== 'GET' && body === undefined)
  .map((endpoint) => ({ title: titleOf(endpoint), endpoint }));

test.each(bodiless)('$title reads no body, but rejects malformed, non-JSON and oversized ones', ({ endpoint }) =>
  target.unchanged(async () => {
    const path = endpoint.path(target);
    const send = (body: string | Buffer, contentType?: string) => {
      const headers = target.credentialsFor(levelOf(endpoint), endpoint.method, path, body);
      return target.call(endpoint.method, path, { body, headers, ...(contentType && { contentType }) });
    };
    for (const [name, text] of texts) {
      if (/^("text"|12345|true)$/.test(String(text))) continue; // valid JSON that nothing reads
      expectRefused(await send(text), 400, /[a-z]/i, name);
    }
    expectRefused(await send('{}', 'text/plain'), 415, /application\/json/);
    expectRefused(await send(Buffer.alloc(BODY_BYTES_MAX + 1, 0x20)), 413, String(BODY_BYTES_MAX));
  }),
);

test.each(rows)('$title answers 415 to any content type other than JSON', ({ endpoint }) =>
  target.unchanged(async () => {
    const path = endpoint.path(target);
    const body = JSON.stringify(endpoint.body(target));
    const headers = target.credentialsFor(levelOf(endpoint), endpoint.method, path, body);
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'application/xml',
      'application/jsonp',
      'json',
      'text/json; charset=utf-8',
    ];
    for (const contentType of types) {
      const reply = await target.call(endpoint.method, path, { body, contentType, headers });
      expectRefused(reply, 415, /application\/json/, contentType);
    }
  }),
);

test.each(rows)('$title answers 413 to a body above the size limit, whatever it contains', ({ endpoint }) =>
  target.unchanged(async () => {
    const path = endpoint.path(target);
    const valid = JSON.stringify(endpoint.body(target));
    for (const body of [
      valid + ' '.repeat(BODY_BYTES_MAX + 1 - valid.length),
      `[${'0,'.repeat(BODY_BYTES_MAX / 2)}0]`,
      Buffer.alloc(BODY_BYTES_MAX + 1, 0x7b),
    ]) {
      const reply = await target.send(endpoint.method, path, levelOf(endpoint), body);
      expectRefused(reply, 413, String(BODY_BYTES_MAX));
    }
  }),
);

test('a body of a megabyte is read, and rejected for its content', () =>
  target.unchanged(async () => {
    for (const { endpoint } of rows) {
      if (endpoint.isBodyOptional === true) continue;
      const path = endpoint.path(target);
      const filler = 'x'.repeat(1_000_000);
      for (const body of [{ order: filler }, [{ token_id: filler }], [filler], { slug: filler }]) {
        const reply = await target.send(endpoint.method, path, levelOf(endpoint), body);
        // A batch is answered with the refusal of its elements.
        if (reply.status === 200) expect(reply.json[0].errorMsg, endpoint.method).toMatch(/Invalid order payload/);
        else expectRefused(reply, 400, /[a-z]/i);
      }
    }
  }));

test('JSON content types are accepted in every spelling, and so is a missing one', async () => {
  const types = ['application/json', 'APPLICATION/JSON', 'application/json; charset=utf-8', 'application/json;x=1', ''];
  for (const contentType of types) {
    const body = JSON.stringify([{ token_id: target.market.yes }]);
    const reply = await target.call('POST', '/books', { body, contentType });
    expect([reply.status, reply.json[0]?.asset_id], contentType).toEqual([200, target.market.yes]);
  }
});

test('a malformed order body is reported before missing credentials', () =>
  target.unchanged(async () => {
    for (const path of ['/order', '/orders']) {
      expectRefused(await target.call('POST', path, { body: '{' }), 400, 'Invalid order payload');
    }
    const unsigned = await target.call('POST', '/order', { body: JSON.stringify(target.orderBody()) });
    expectRefused(unsigned, 401, 'Unauthorized/Invalid api key');
  }));
