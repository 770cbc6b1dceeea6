// Missing, wrong, outdated or foreign credentials, on every endpoint that asks for any: 401 with the text that clients
// know, before anything is done. And every form of right credentials: both header families, every encoding.
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signClobAuth } from '../../server/auth/clobAuth.ts';
import { createKey, type HeaderFields, l1Headers } from '../support/client.ts';
import { endpointCases, titleOf } from './endpoints.ts';
import { expectRefused, Target } from './harness.ts';

const INVALID_KEY = 'Unauthorized/Invalid api key';
const INVALID_L1_HEADERS = 'Invalid L1 Request headers';
const PATH = '/auth/api-keys';

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
/** More than the 30 seconds that a timestamp may be ahead, by more than a slow machine takes to send it. */
const TOO_FAR_AHEAD_S = 120;

interface Signing {
  readonly family?: string;
  readonly timestamp?: string | number;
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  readonly secret?: string;
  readonly encoding?: 'url' | 'unpadded' | 'base64' | 'hex' | 'HEX';
}

/** L2 headers computed here, without the server's own code. */
function signed(signing: Signing = {}): Record<string, string> {
  const { family = 'POLY', method = 'GET', path = PATH, body = '', encoding = 'url' } = signing;
  const timestamp = String(signing.timestamp ?? nowSeconds());
  const key = Buffer.from(signing.secret ?? target.credentials.secret, 'base64url');
  const digest = createHmac('sha256', key)
    .update(timestamp + method + path + body)
    .digest();
  const texts = {
    url: digest.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
    unpadded: digest.toString('base64url'),
    base64: digest.toString('base64'),
    hex: digest.toString('hex'),
    HEX: digest.toString('hex').toUpperCase(),
  };
  return {
    [`${family}_ADDRESS`]: target.wallet.address,
    [`${family}_API_KEY`]: target.credentials.apiKey,
    [`${family}_PASSPHRASE`]: target.credentials.passphrase,
    [`${family}_TIMESTAMP`]: timestamp,
    [`${family}_SIGNATURE`]: texts[encoding],
  };
}

const get = (headers: HeaderFields, path = PATH) => target.call('GET', path, { headers });

test('valid credentials are accepted in both header families and in every encoding', async () => {
  for (const family of ['POLY', 'SERVICE', 'poly', 'Service']) {
    for (const encoding of ['url', 'unpadded', 'base64', 'hex', 'HEX'] as const) {
      const reply = await get(signed({ family, encoding }));
      expect([reply.status, reply.json], `${family} ${encoding}`).toEqual([
        200,
        { apiKeys: [target.credentials.apiKey] },
      ]);
    }
  }
  // Many signatures, so that every character of the alphabets occurs.
  for (let back = 0; back < 60; back += 1) {
    const encoding = (['url', 'base64', 'hex'] as const)[back % 3];
    expect((await get(signed({ encoding, timestamp: nowSeconds() - back }))).status).toBe(200);
  }
});

test('the address header is accepted in any letter case', async () => {
  const { address } = target.wallet;
  for (const text of [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
    expect((await get({ ...signed(), POLY_ADDRESS: text })).status).toBe(200);
  }
});

test('the signature does not cover the query, and one signature is valid for many requests', async () => {
  const headers = signed({ path: '/data/orders' });
  for (const query of ['', '?next_cursor=MA==', '?market=', '?a=1&b=2']) {
    expect((await get(headers, `/data/orders${query}`)).status).toBe(200);
  }
  expectRefused(await get(signed({ path: '/data/orders?a=1' }), '/data/orders?a=1'), 401, INVALID_KEY);
});

test('timestamps are accepted from 300 seconds ago to 30 seconds ahead', () =>
  target.unchanged(async () => {
    for (const offset of [0, -60, -280, 15]) {
      expect((await get(signed({ timestamp: nowSeconds() + offset }))).status, String(offset)).toBe(200);
    }
    for (const offset of [-302, -3_600, TOO_FAR_AHEAD_S, 3_600, 1e9]) {
      expectRefused(await get(signed({ timestamp: nowSeconds() + offset })), 401, INVALID_KEY, String(offset));
    }
    const texts = [
      '',
      'x',
      '-1',
      '1e9',
      `${nowSeconds()}.5`,
      ` ${nowSeconds()} x`,
      String(Date.now()),
      '9'.repeat(400),
      '0x5f5e1',
    ];
    for (const timestamp of texts) expectRefused(await get(signed({ timestamp })), 401, INVALID_KEY, timestamp);
  }));

const HEADER_NAMES = ['ADDRESS', 'API_KEY', 'PASSPHRASE', 'TIMESTAMP', 'SIGNATURE'];
const keyed = endpointCases
  .filter(({ level }) => level === 'l2')
  .map((endpoint) => ({ title: titleOf(endpoint), endpoint }));

test.each(keyed)('$title requires all five headers and a valid signature', ({ endpoint }) =>
  target.unchanged(async () => {
    const { method } = endpoint;
    const path = endpoint.path(target);
    const [bare] = path.split('?');
    const content = endpoint.body?.(target);
    const body = content === undefined ? '' : JSON.stringify(content);
    const send = (headers: HeaderFields) => target.call(method, path, { headers, ...(body !== '' && { body }) });
    const right: Signing = { method, path: bare, body };

    expectRefused(await send({}), 401, INVALID_KEY, 'no header');
    for (const family of ['POLY', 'SERVICE']) {
      const good = signed({ ...right, family });
      for (const name of HEADER_NAMES) {
        const { [`${family}_${name}`]: _taken, ...rest } = good;
        expectRefused(await send(rest), 401, INVALID_KEY, `without ${family}_${name}`);
        expectRefused(await send({ ...rest, [`${family}_${name}`]: '' }), 401, INVALID_KEY, `empty ${family}_${name}`);
      }
    }
    const timestamp = nowSeconds();
    const good = signed({ ...right, timestamp });
    const { wallets } = target.server;
    const wrong: readonly Record<string, string>[] = [
      { ...good, POLY_SIGNATURE: signed({ ...right, timestamp: timestamp - 1 }).POLY_SIGNATURE },
      signed({ ...right, method: method === 'GET' ? 'POST' : 'GET' }),
      signed({ ...right, method: method.toLowerCase() }),
      signed({ ...right, path: `${bare}/` }),
      signed({ ...right, body: `${body} ` }),
      signed({ ...right, secret: Buffer.alloc(32, 7).toString('base64') }),
      signed({ ...right, timestamp: nowSeconds() - 302 }),
      signed({ ...right, timestamp: nowSeconds() + TOO_FAR_AHEAD_S }),
      { ...good, POLY_ADDRESS: wallets[1].address },
      { ...good, POLY_ADDRESS: wallets[0].derived.proxy },
      { ...good, POLY_API_KEY: '00000000-0000-4000-8000-000000000000' },
      { ...good, POLY_API_KEY: 'not-a-key' },
      { ...good, POLY_PASSPHRASE: '0'.repeat(64) },
      { ...good, POLY_PASSPHRASE: target.credentials.passphrase.slice(1) },
      { ...good, POLY_SIGNATURE: good.POLY_SIGNATURE.slice(0, -4) },
      { ...good, POLY_SIGNATURE: `${good.POLY_SIGNATURE}${good.POLY_SIGNATURE}` },
      { ...good, POLY_SIGNATURE: '0'.repeat(64) },
      { ...good, POLY_SIGNATURE: '='.repeat(44) },
    ];
    for (const [index, headers] of wrong.entries())
      expectRefused(await send(headers), 401, INVALID_KEY, `wrong ${index}`);
  }),
);

test('credentials of another owner cannot act for this one, whole or mixed with its own', async () => {
  const [, , stranger] = target.server.wallets;
  const credentials = await createKey(target.server.url, stranger);
  await target.unchanged(async () => {
    const timestamp = String(nowSeconds());
    const mixes = [
      { ...signed({ timestamp, secret: credentials.secret }) },
      { ...signed({ timestamp }), POLY_API_KEY: credentials.apiKey },
      { ...signed({ timestamp }), POLY_PASSPHRASE: credentials.passphrase },
      { ...signed({ timestamp, secret: credentials.secret }), POLY_API_KEY: credentials.apiKey },
      {
        ...signed({ timestamp, secret: credentials.secret }),
        POLY_API_KEY: credentials.apiKey,
        POLY_PASSPHRASE: credentials.passphrase,
      },
    ];
    for (const headers of mixes) expectRefused(await get(headers), 401, INVALID_KEY);
    // Valid credentials of the stranger, for an order that names the first owner and is signed by it.
    const body = JSON.stringify(target.orderBody());
    const signing = { method: 'POST', path: '/order', body, secret: credentials.secret };
    const headers = {
      ...signed(signing),
      POLY_ADDRESS: stranger.address,
      POLY_API_KEY: credentials.apiKey,
      POLY_PASSPHRASE: credentials.passphrase,
    };
    expectRefused(await target.call('POST', '/order', { body, headers }), 400, /order owner|order signer/);
    const asOwn = JSON.stringify(target.orderBody({}, { owner: credentials.apiKey }));
    const own = { ...headers, ...pick(signed({ ...signing, body: asOwn })) };
    expectRefused(await target.call('POST', '/order', { body: asOwn, headers: own }), 400, 'order signer');
    const cancel = JSON.stringify({ orderID: target.orderId });
    const canceling = { ...headers, ...pick(signed({ ...signing, method: 'DELETE', body: cancel })) };
    const refused = await target.call('DELETE', '/order', { body: cancel, headers: canceling });
    expect(refused.json).toEqual({
      canceled: [],
      not_canceled: { [target.orderId]: 'Order not found or already canceled' },
    });
  });
});

/** The headers that change from one signed request of a key to the next. */
const pick = ({ POLY_TIMESTAMP, POLY_SIGNATURE }: Record<string, string>) => ({ POLY_TIMESTAMP, POLY_SIGNATURE });

test('the signature covers the body exactly, except that apostrophes may be signed as double quotes', async () => {
  const path = '/cancel-market-orders';
  const market = `0x${'ab'.repeat(32)}`;
  const body = JSON.stringify({ market, note: "it's" });
  const send = (headers: HeaderFields) => target.call('DELETE', path, { body, headers });
  const nothing = { canceled: [], not_canceled: {} };
  expect((await send(signed({ method: 'DELETE', path, body }))).json).toEqual(nothing);
  expect((await send(signed({ method: 'DELETE', path, body: body.replaceAll("'", '"') }))).json).toEqual(nothing);
  await target.unchanged(async () => {
    for (const other of [
      body.replace('it', 'It'),
      JSON.stringify(JSON.parse(body), null, 1),
      body.replaceAll('"', "'"),
      '',
    ]) {
      expectRefused(await send(signed({ method: 'DELETE', path, body: other })), 401, INVALID_KEY);
    }
  });
});

test.each(['POST /auth/api-key', 'GET /auth/derive-api-key'])(
  '%s requires a fresh signature by the wallet itself',
  (title) =>
    target.unchanged(async () => {
      const [method, path] = title.split(' ');
      const [, , , wallet, other] = target.server.wallets;
      const good: Record<string, string> = { ...l1Headers(wallet, '9') };
      const send = (headers: HeaderFields) => target.call(method, path, { headers });
      const stated = (timestamp: string, nonce = '9', chainId = 137) => ({
        ...good,
        POLY_TIMESTAMP: timestamp,
        POLY_SIGNATURE: signClobAuth({ address: wallet.address, timestamp, nonce }, chainId, wallet.privateKey),
      });
      const wrong: readonly Record<string, string>[] = [
        {},
        ...['ADDRESS', 'TIMESTAMP', 'SIGNATURE', 'NONCE'].map((name) => {
          const { [`POLY_${name}`]: _taken, ...rest } = good;
          return rest;
        }),
        { ...good, POLY_ADDRESS: other.address },
        { ...good, POLY_ADDRESS: wallet.derived.safe },
        { ...good, POLY_ADDRESS: 'me' },
        { ...good, POLY_NONCE: '8' },
        { ...good, POLY_NONCE: '-9' },
        { ...good, POLY_NONCE: '9.0' },
        { ...good, POLY_NONCE: '9e0' },
        { ...good, POLY_NONCE: (2n ** 256n).toString() },
        { ...good, POLY_SIGNATURE: l1Headers(other, '9').POLY_SIGNATURE },
        { ...good, POLY_SIGNATURE: `0x${'0'.repeat(130)}` },
        { ...good, POLY_SIGNATURE: `0x${'f'.repeat(130)}` },
        { ...good, POLY_SIGNATURE: good.POLY_SIGNATURE.slice(0, -2) },
        { ...good, POLY_SIGNATURE: `${good.POLY_SIGNATURE}00` },
        { ...good, POLY_SIGNATURE: '0x' },
        { ...good, POLY_SIGNATURE: 'x' },
        stated(String(nowSeconds() - 302)),
        stated(String(nowSeconds() + TOO_FAR_AHEAD_S)),
        stated(String(Date.now())),
        stated(String(nowSeconds()), '9', 80_002),
        stated(String(nowSeconds()), '10'),
      ];
      for (const [index, headers] of wrong.entries())
        expectRefused(await send(headers), 401, INVALID_L1_HEADERS, `wrong ${index}`);
      // L2 headers are not a wallet's.
      expectRefused(await send(signed({ method, path })), 401, INVALID_L1_HEADERS);
    }),
);

test('creating an API key that exists fails, and so does deriving one that does not', () =>
  target.unchanged(async () => {
    const { wallet } = target;
    const again = await target.call('POST', '/auth/api-key', { headers: l1Headers(wallet) });
    expectRefused(again, 400, 'Could not create api key');
    const unknown = await target.call('GET', '/auth/derive-api-key', { headers: l1Headers(wallet, '77') });
    expectRefused(unknown, 400, 'Could not derive api key!');
    const large = await target.call('POST', '/auth/api-key', { headers: l1Headers(wallet, '9007199254740992') });
    expectRefused(large, 400, 'Could not create api key');
  }));

const operated = endpointCases
  .filter(({ level }) => level === 'admin')
  .map((endpoint) => ({ title: titleOf(endpoint), endpoint }));

test.each(operated)('$title requires the admin token', ({ endpoint }) =>
  target.unchanged(async () => {
    const path = endpoint.path(target);
    const body = JSON.stringify(endpoint.body?.(target));
    const tokens = [
      '',
      'Bearer',
      'Bearer ',
      'Bearer x',
      'Bearer dev-admi',
      'Bearer dev-admin2',
      'Basic dev-admin',
      'dev-admin',
      'Bearer DEV-ADMIN',
    ];
    for (const authorization of tokens) {
      const reply = await target.call(endpoint.method, path, { body, headers: { authorization } });
      expectRefused(reply, 401, 'admin token', authorization);
    }
    expectRefused(await target.call(endpoint.method, path, { body }), 401, 'admin token');
    const bodies = [{ body, contentType: 'text/plain' }, { body: 'no JSON' }, { body: 'x'.repeat(1_048_577) }];
    if (endpoint.method !== 'GET') {
      for (const bad of bodies) expectRefused(await target.call(endpoint.method, path, bad), 401, 'admin token');
    }
    const [bare] = path.split('?');
    const keyed = await target.call(endpoint.method, path, {
      body,
      headers: signed({ method: endpoint.method, path: bare, body }),
    });
    expectRefused(keyed, 401, 'admin token');
  }),
);
