// Query parameters and ids in paths that are missing, malformed or out of range, on every endpoint that reads them: a 4xx
// in words; parameters that no endpoint reads are ignored.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRefused, type Level, Target } from './harness.ts';

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

const enc = encodeURIComponent;
const INVALID_TOKENS = [
  '',
  'x',
  '-1',
  '+1',
  '1e3',
  '1.5',
  '0x1',
  ' 1',
  (2n ** 256n).toString(),
  '9'.repeat(800),
  'null',
  '１',
];
const singles = [
  '/book',
  '/price?side=BUY',
  '/midpoint',
  '/spread',
  '/last-trade-price',
  '/tick-size',
  '/neg-risk',
  '/fee-rate',
];
const lists = ['/books', '/midpoints', '/spreads', '/last-trades-prices'];

test('a missing or malformed token id is rejected, and an unknown one gets 404', () =>
  target.unchanged(async () => {
    for (const path of singles) {
      const joint = path.includes('?') ? '&' : '?';
      expectRefused(await target.call('GET', path), 400, 'Invalid token id', path);
      for (const id of INVALID_TOKENS) {
        const reply = await target.call('GET', `${path}${joint}token_id=${enc(id)}`);
        expectRefused(reply, 400, 'Invalid token id', `${path} ${id}`);
      }
      const unknown = await target.call('GET', `${path}${joint}token_id=12345`);
      expectRefused(unknown, 404, /No orderbook exists|not found/, path);
    }
    for (const path of ['/tick-size', '/neg-risk', '/fee-rate', '/markets-by-token']) {
      for (const id of INVALID_TOKENS.filter((one) => one !== '')) {
        expectRefused(await target.call('GET', `${path}/${enc(id)}`), 400, 'Invalid token id', `${path} ${id}`);
      }
      expectRefused(await target.call('GET', `${path}/12345`), 404, /not found/, path);
    }
  }));

test('a list of tokens with a malformed id or more than 500 ids is rejected', () =>
  target.unchanged(async () => {
    for (const path of lists) {
      expectRefused(await target.call('GET', path), 400, 'Invalid payload', path);
      for (const method of ['GET', 'POST']) {
        expectRefused(await target.call(method, path, { body: '[{' }), 400, 'Invalid payload', `${method} ${path}`);
      }
      for (const ids of ['x', ',', `${target.market.yes},`, `${target.market.yes},x`, '1e3', '-1,2']) {
        expectRefused(
          await target.call('GET', `${path}?token_ids=${enc(ids)}`),
          400,
          'Invalid token id',
          `${path} ${ids}`,
        );
      }
      const many = Array.from({ length: 501 }, (_, index) => index + 1).join(',');
      expectRefused(await target.call('GET', `${path}?token_ids=${many}`), 400, 'Payload exceeds the limit');
      const unknown = await target.call('GET', `${path}?token_ids=12345`);
      expect([unknown.status, Object.keys(unknown.json).length]).toEqual([200, 0]);
    }
    for (const sides of ['HOLD', 'BUY,SELL', ',', 'BUY,', '1']) {
      const reply = await target.call('GET', `/prices?token_ids=${target.market.yes}&sides=${sides}`);
      expectRefused(reply, 400, 'Invalid side', sides);
    }
  }));

test('a side other than BUY or SELL is rejected', () =>
  target.unchanged(async () => {
    for (const side of ['', 'HOLD', '0', 'BUY SELL', 'BUYBUY', '__proto__', 'toString']) {
      const reply = await target.call('GET', `/price?token_id=${target.market.yes}&side=${enc(side)}`);
      expectRefused(reply, 400, 'Invalid side', side);
    }
    expectRefused(await target.call('GET', `/price?token_id=${target.market.yes}`), 400, 'Invalid side');
  }));

const cursors = [
  'LTE=',
  '***',
  'MA==MA==',
  btoa('-1'),
  btoa('-5'),
  btoa('x'),
  btoa('1.5'),
  btoa('1e3'),
  btoa(' 1'),
  btoa('1@'),
  btoa('@1'),
  btoa('1@x'),
  btoa('1@2@3'),
  btoa('9007199254740992'),
  btoa('1@9007199254740992'),
  'x'.repeat(500),
  '%00',
  '\u0000',
];

test('a malformed cursor and the end cursor LTE= are rejected', () =>
  target.unchanged(async () => {
    const paths: readonly (readonly [string, Level])[] = [
      ['/simplified-markets', 'none'],
      ['/data/orders', 'l2'],
      ['/data/trades', 'l2'],
    ];
    for (const [path, level] of paths) {
      for (const cursor of cursors) {
        const reply = await target.send('GET', `${path}?next_cursor=${enc(cursor)}`, level);
        expectRefused(reply, 400, 'Invalid next_cursor', `${path} ${cursor.slice(0, 40)}`);
      }
      // "MA" is "0" without its padding, which base64 decoders accept.
      for (const cursor of ['', 'MA==', 'MA', btoa('1000000000')]) {
        const reply = await target.send('GET', `${path}?next_cursor=${enc(cursor)}`, level);
        expect([reply.status, reply.json.next_cursor], `${path} ${cursor}`).toEqual([200, 'LTE=']);
      }
    }
  }));

test('malformed order and market ids in a path are rejected, and unknown ones get 404', () =>
  target.unchanged(async () => {
    const bad = [
      'x',
      '0x',
      `0x${'1'.repeat(63)}`,
      `0x${'1'.repeat(65)}`,
      `0x${'g'.repeat(64)}`,
      'a b',
      '{}',
      '..',
      '__proto__',
    ];
    for (const id of bad) {
      expectRefused(await target.send('GET', `/data/order/${enc(id)}`, 'l2'), [400, 404], 'order', id);
      expectRefused(await target.call('GET', `/clob-markets/${enc(id)}`), [400, 404], 'market', id);
      expectRefused(await target.call('GET', `/markets/${enc(id)}`), [400, 404], 'market', id);
    }
    const unknown = `0x${'ab'.repeat(32)}`;
    expectRefused(await target.send('GET', `/data/order/${unknown}`, 'l2'), 404, 'Order not found');
    expectRefused(await target.call('GET', `/markets/${unknown}`), 404, 'id not found');
    expectRefused(await target.call('GET', `/clob-markets/${unknown}`), 404, 'market not found');
  }));

test('invalid filters of own orders and trades are rejected by name', () =>
  target.unchanged(async () => {
    const bad: readonly (readonly [string, string, readonly string[]])[] = [
      ['/data/orders', 'id', ['x', '0x1']],
      ['/data/orders', 'market', ['x', '0x1', '1']],
      ['/data/orders', 'asset_id', ['x', '-1', '1e3', '1.5']],
      ['/data/trades', 'market', ['x', '0x1', '1']],
      ['/data/trades', 'asset_id', ['x', '-1', '1e3']],
      ['/data/trades', 'maker_address', ['x', '0x', '0x1']],
      ['/data/trades', 'maker', ['x', '0x1']],
      ['/data/trades', 'taker', ['x', '0x1']],
      ['/data/trades', 'before', ['x', '-1', '1.5', '1e9', '9007199254740992', '2030-01-01']],
      ['/data/trades', 'after', ['x', '-1', '1.5', '1e9', '9'.repeat(100)]],
    ];
    for (const [path, name, values] of bad) {
      for (const value of values) {
        const reply = await target.send('GET', `${path}?${name}=${enc(value)}`, 'l2');
        expectRefused(reply, 400, name, `${path} ${name} ${value}`);
      }
    }
    const unknownTrade = await target.send('GET', '/data/trades?id=no-such-trade', 'l2');
    expect([unknownTrade.status, unknownTrade.json.data]).toEqual([200, []]);
  }));

test('a balance query requires a known asset type and signature type and, for shares, a token', () =>
  target.unchanged(async () => {
    for (const path of ['/balance-allowance', '/balance-allowance/update']) {
      for (const type of ['', 'collateral', 'USDC', '0', '__proto__']) {
        expectRefused(await target.send('GET', `${path}?asset_type=${type}`, 'l2'), 400, 'Invalid asset type', type);
      }
      for (const type of ['-1', '4', '1.5', '1e0', 'x', '00', '__proto__']) {
        const reply = await target.send('GET', `${path}?asset_type=COLLATERAL&signature_type=${type}`, 'l2');
        expectRefused(reply, 400, 'Invalid signature_type', type);
      }
      for (const id of INVALID_TOKENS) {
        const reply = await target.send('GET', `${path}?asset_type=CONDITIONAL&token_id=${enc(id)}`, 'l2');
        expectRefused(reply, 400, /Invalid (token id|asset_id)/, id);
      }
      expectRefused(await target.send('GET', `${path}?asset_type=CONDITIONAL`, 'l2'), 400, /Invalid token id/);
    }
    const unknown = await target.send('GET', '/balance-allowance?asset_type=CONDITIONAL&token_id=12345', 'l2');
    expectRefused(unknown, [400, 404], /token/);
  }));

test('unknown, repeated and badly escaped query parameters cause no error', () =>
  target.unchanged(async () => {
    for (const query of [
      'x=1',
      'x',
      '&&&',
      '=',
      '%',
      '%zz',
      'a=%ff',
      'token_id',
      `x=${'y'.repeat(1_500)}`,
      '?',
      '__proto__=1',
    ]) {
      for (const path of ['/', '/ok', '/time', '/version', `/markets/${target.market.conditionId}`]) {
        expect((await target.call('GET', `${path}?${query}`)).status, `${path} ${query}`).toBe(200);
      }
      expect((await target.send('GET', `/data/orders?${query}`, 'l2')).status, query).toBe(200);
    }
    const { yes, no } = target.market;
    const first = await target.call('GET', `/book?token_id=${yes}&token_id=${no}`);
    expect([first.status, first.json.asset_id]).toEqual([200, yes]);
  }));
