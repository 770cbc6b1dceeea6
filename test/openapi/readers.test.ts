// The document against the functions that parse requests by hand: of random requests, valid but for a field or two, both
// refuse the same ones. Rules about several fields together are left to the tests of the endpoint.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HttpRequest, Method } from '../../server/http/endpoint.ts';
import { BadRequest } from '../../server/wire/badRequest.ts';
import { readBalanceQuery, readSignatureType } from '../../server/wire/balances.ts';
import { readBuilderFilter } from '../../server/wire/builders.ts';
import { parseCancel, parseCancelFilter, parseCancelMany } from '../../server/wire/cancels.ts';
import { readNotificationIds } from '../../server/wire/notifications.ts';
import { parsePostedOrder } from '../../server/wire/orderRequests.ts';
import { readOrderFilter, readTradeFilter } from '../../server/wire/ownRecords.ts';
import { parseCursor } from '../../server/wire/pages.ts';
import { readPriceHistoryBody, readPriceHistoryQuery } from '../../server/wire/priceHistory.ts';
import { readOrderId } from '../../server/wire/readIds.ts';
import { readScoredOrderQuery, readScoredOrders, requireDate, requireMakerAddress } from '../../server/wire/rewards.ts';
import { parseTokenList, readOneTokenId, readSide } from '../../server/wire/tokens.ts';
import { endpointOf } from '../support/endpointOf.ts';
import { requestFault } from '../support/openApiCheck.ts';
import { environmentNumber } from '../support/wholeNumber.ts';

const RUNS = environmentNumber('OPENAPI_RUNS', 1_500);
const HEX64 = `0x${'ab'.repeat(32)}`;
const ADDRESS = `0x${'1'.repeat(40)}`;
const UUID = '6a9b3c1e-58f4-4f0e-8a57-2f60a1c4d2b7';

const texts = [
  '',
  ' ',
  '0',
  '1',
  '3',
  '4',
  '007',
  ' 1',
  '-1',
  '1.5',
  '1e3',
  '0x1',
  'abc',
  'true',
  'BUY',
  'buy',
  'SELL ',
  'GTC',
  'gtd',
  '1h',
  'all',
  '2h',
  'COLLATERAL',
  'CONDITIONAL',
  'conditional',
  '2030-01-31',
  '2030-02-30',
  '2030-1-3',
  'MA==',
  'LTE=',
  '1,2',
  '1, 2',
  ',',
  '525600',
  '525601',
  '1800000000',
  // Beyond these the document states its bounds in words (2^53, 2^256), since no short pattern does.
  '9007199254740991',
  '90071992547409910',
  '9'.repeat(77),
  '1'.repeat(79),
  HEX64,
  HEX64.toUpperCase(),
  HEX64.slice(0, -1),
  `${HEX64}0`,
  `0x${'g'.repeat(64)}`,
  `0x${'AB'.repeat(32)}`,
  `0x${'0'.repeat(64)}`,
  ADDRESS,
  `0x${'1'.repeat(39)}`,
  UUID,
  UUID.toUpperCase(),
  `${UUID}0`,
];
const values: readonly unknown[] = [
  ...texts,
  null,
  true,
  false,
  0,
  1,
  3,
  4,
  -1,
  1.5,
  60,
  525_601,
  Number.MAX_SAFE_INTEGER,
  2 ** 53,
  1e300,
  [],
  {},
  ['1'],
  [HEX64],
];

type Fields = Readonly<Record<string, unknown>>;

/** A valid object with a few of its fields changed or left out. */
function withChanges(right: Fields, pool: readonly unknown[]): fc.Arbitrary<Fields> {
  const names = fc.constantFrom(...Object.keys(right));
  const change = fc.tuple(names, fc.oneof(fc.constant(undefined), fc.constantFrom(...pool)));
  return fc.array(change, { maxLength: 2 }).map((changes) => {
    const made: Record<string, unknown> = { ...right };
    for (const [name, value] of changes) {
      if (value === undefined) delete made[name];
      else made[name] = value;
    }
    return made;
  });
}

interface Read {
  readonly query: URLSearchParams;
  readonly json: unknown;
  readonly params: Readonly<Record<string, string>>;
}

/** Throws BadRequest where the endpoint does. Returns 'elsewhere' where the document need not agree. */
type Reader = (read: Read) => unknown;

function expectSameVerdict(method: Method, path: string, read: Read, reader: Reader): void {
  const request: HttpRequest = {
    method,
    path,
    params: read.params,
    query: read.query,
    body: new Uint8Array(0),
    header: () => '',
    json: () => read.json,
    parsed: (parse) => parse(read.json),
    nowMs: 0,
    ip: '',
  };
  let refused: string | undefined;
  try {
    if (reader(read) === 'elsewhere') return;
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error;
    refused = error.message;
  }
  const fault = requestFault(endpointOf(method, path), request);
  const comparison = `${method} ${path} ${read.query} ${JSON.stringify(read.json)}: read: ${refused}; document: ${fault}`;
  expect(refused !== undefined, comparison).toBe(fault !== undefined);
}

const NO_QUERY = new URLSearchParams();

function checkBodies(
  method: Method,
  path: string,
  bodies: fc.Arbitrary<unknown>,
  reader: (json: unknown) => unknown,
): void {
  const check = (json: unknown): void =>
    expectSameVerdict(method, path, { query: NO_QUERY, json, params: {} }, (read) => reader(read.json));
  fc.assert(fc.property(bodies, check), { numRuns: RUNS, seed: 11 });
}

function checkQueries(path: string, right: Fields, reader: (query: URLSearchParams) => unknown): void {
  const check = (fields: Fields): void => {
    const query = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    );
    expectSameVerdict('GET', path, { query, json: undefined, params: {} }, (read) => reader(read.query));
  };
  fc.assert(fc.property(withChanges(right, texts), check), { numRuns: RUNS, seed: 12 });
}

const anything = fc.oneof(fc.constantFrom(...values), fc.constant(undefined));
const orNothing = (bodies: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: bodies, weight: 9 }, { arbitrary: anything, weight: 1 });

test('document and parser reject the same posted orders', () => {
  const order = {
    salt: 1,
    maker: ADDRESS,
    signer: ADDRESS,
    tokenId: '123',
    makerAmount: '1000000',
    takerAmount: '2000000',
    side: 'BUY',
    signatureType: 0,
    timestamp: '1800000000000',
    expiration: '0',
    metadata: HEX64,
    builder: HEX64,
    signature: '0xabcd',
    conditionId: HEX64,
  };
  const top = { owner: UUID, orderType: 'GTC', postOnly: false, deferExec: false };
  const bodies = fc
    .tuple(orNothing(withChanges(order, values)), withChanges(top, values))
    .map(([signed, rest]) => ({ ...rest, ...(signed !== undefined && { order: signed }) }));
  checkBodies('POST', '/order', orNothing(bodies), (json) => {
    const read = parsePostedOrder(json);
    return 'isOtherVersion' in read ? 'elsewhere' : read;
  });
});

test('document and parsers reject the same cancel requests', () => {
  checkBodies('DELETE', '/order', orNothing(withChanges({ orderID: HEX64 }, values)), parseCancel);
  const ids = fc.array(fc.constantFrom(...values, HEX64, HEX64, HEX64), { maxLength: 3 });
  checkBodies('DELETE', '/orders', orNothing(ids), parseCancelMany);
  const filter = withChanges({ market: HEX64, asset_id: '12' }, values);
  checkBodies('DELETE', '/cancel-market-orders', orNothing(filter), parseCancelFilter);
});

test('document and parsers reject the same lists of tokens and orders and price histories', () => {
  const tokens = fc.array(orNothing(withChanges({ token_id: '12', side: 'BUY' }, values)), { maxLength: 3 });
  for (const path of ['/books', '/prices', '/midpoints', '/spreads', '/last-trades-prices']) {
    checkBodies('POST', path, orNothing(tokens), (json) => {
      if (json === undefined) throw new BadRequest('Invalid payload');
      return parseTokenList(json);
    });
  }
  const ids = fc.array(fc.constantFrom(...values, HEX64, HEX64), { maxLength: 3 });
  checkBodies('POST', '/orders-scoring', orNothing(ids), readScoredOrders);
  const history = withChanges({ markets: ['12', HEX64], startTs: 1, interval: '1h', fidelity: 60 }, values);
  checkBodies('POST', '/batch-prices-history', orNothing(history), (json) => {
    // As a string it may be any number according to the document, which states the bound in words.
    const isText = typeof json === 'object' && json !== null && 'fidelity' in json && typeof json.fidelity === 'string';
    return isText ? 'elsewhere' : readPriceHistoryBody(json);
  });
});

test('document and parsers reject the same queries of public data', () => {
  checkQueries('/book', { token_id: '12' }, (query) => readOneTokenId(undefined, query));
  checkQueries('/price', { token_id: '12', side: 'SELL' }, (query) => [
    readOneTokenId(undefined, query),
    readSide(query.get('side')),
  ]);
  const history = { market: HEX64, startTs: '1', interval: '1h', fidelity: '60' };
  checkQueries('/prices-history', history, (query) => {
    if ((query.get('market') ?? '') === '') return 'elsewhere'; // token_id may be used in its place
    return readPriceHistoryQuery(query);
  });
  checkQueries('/rebates/current', { date: '2030-01-31', maker_address: ADDRESS }, (query) => {
    requireDate(query);
    requireMakerAddress(query);
  });
});

test('document and parsers reject the same queries of private data', () => {
  const filters = { market: HEX64, asset_id: '12' };
  const times = { before: '5', after: '4' };
  checkQueries('/data/orders', { id: HEX64, ...filters }, readOrderFilter);
  checkQueries(
    '/data/trades',
    { taker: ADDRESS, maker: ADDRESS, maker_address: ADDRESS, ...filters, ...times },
    readTradeFilter,
  );
  const builder = { builder_code: HEX64, maker_address: ADDRESS, ...filters, ...times };
  checkQueries('/builder/trades', builder, (query) => {
    if (query.get('builder_code') === `0x${'0'.repeat(64)}`) return 'elsewhere'; // well-formed, but nobody's
    return readBuilderFilter(query);
  });
  const balance = { asset_type: 'CONDITIONAL', token_id: '12', signature_type: '0' };
  checkQueries('/balance-allowance', balance, (query) => {
    // A token is required for shares only, and ignored for collateral: the document says so in words.
    if (!/^[0-9]{1,77}$/.test(query.get('token_id') ?? '') || query.get('asset_type') === '') return 'elsewhere';
    return readBalanceQuery(query);
  });
  checkQueries('/notifications', { signature_type: '1' }, readSignatureType);
  checkQueries('/order-scoring', { order_id: HEX64 }, (query) => readOrderId(query.get('order_id') ?? undefined));
  const scored = (query: URLSearchParams): unknown =>
    (query.get('order_ids') ?? '') === '' ? readScoredOrderQuery(query) : 'elsewhere'; // the document has only a string
  checkQueries('/orders-scoring', { order_ids: HEX64 }, scored);
  checkQueries('/rewards/markets/current', { next_cursor: 'MA==' }, (query) => {
    const text = query.get('next_cursor');
    return text === 'MA==' || text === '' || text === null ? parseCursor(text) : 'elsewhere';
  });
  fc.assert(
    fc.property(fc.constantFrom(...texts), (ids) => {
      const query = new URLSearchParams({ ids });
      expectSameVerdict('DELETE', '/notifications', { query, json: undefined, params: {} }, (read) =>
        readNotificationIds(read.query),
      );
    }),
  );
});
