// The operator's events and markets over HTTP: the effects of requests, their replies, and the refusal of each wrong one,
// including those for cash. Everything goes through the public interface; conservation is checked at the end.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conditionId, tokenIds } from '../../server/auth/conditionalTokens.ts';
import { bytesToHex } from '../../server/auth/hex.ts';
import { keccak256Text } from '../../server/auth/keccak.ts';
import { developmentWallet } from '../../server/auth/mnemonic.ts';
import { ADMIN, send } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import { accepted, admin, closeOperatorWorld, newMarket, openOperatorWorld, server } from './operatorWorld.ts';

beforeAll(openOperatorWorld);
afterAll(closeOperatorWorld);

describe('the admin token', () => {
  test.each([
    {},
    { authorization: 'Bearer' },
    { authorization: 'Bearer wrong' },
    { authorization: 'Bearer dev-admin and more' },
    { authorization: 'Basic dev-admin' },
    { authorization: 'dev-admin' },
  ])('a request with the headers %o is rejected with 401', async (headers) => {
    const reply = await send(server.url, 'POST', '/admin/events', { title: 'x' }, headers);
    expect(reply.status).toBe(401);
    expect(reply.json.error).toMatch(/needs the admin token/);
  });

  test.each([
    ['Bearer wrong', 'this path needs the admin token, but the request carries a different token'],
    ['wrong', 'this path needs the admin token: send the header Authorization: Bearer <admin token>'],
  ])('the error for the header Authorization: %s states what is wrong with it', async (authorization, error) => {
    expect((await send(server.url, 'POST', '/admin/events', { title: 'x' }, { authorization })).json).toEqual({
      error,
    });
  });

  test('with the token of development, which everybody knows, only pages of the exchange itself are accepted', async () => {
    const create = (origin: string) =>
      send(server.url, 'POST', '/admin/events', { title: 'Of a page' }, { ...ADMIN, origin });
    const elsewhere = 'http://elsewhere.example';
    const refused = await create(elsewhere);
    expect([refused.status, refused.json.error]).toEqual([401, expect.stringContaining(elsewhere)]);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = await send(server.url, 'OPTIONS', '/admin/events', undefined, { origin: elsewhere });
    expect(preflight.headers.get('access-control-allow-headers')).toBeNull();
    expect((await create(server.url)).status).toBe(200);
  });
});

describe('events and markets', () => {
  test('an event gets a unique slug, and markets refer to it by its number or slug', async () => {
    const event = await accepted(
      admin('/admin/events', { title: 'Élection: who wins?', neg_risk: true, tags: ['a-b'] }),
    );
    expect(event).toMatchObject({ slug: 'election-who-wins', neg_risk: true });
    const byId = await newMarket({ event: event.id });
    const bySlug = await newMarket({ event: event.slug, neg_risk: false });
    expect([byId.event_id, byId.neg_risk]).toEqual([event.id, true]);
    expect([bySlug.event_id, bySlug.neg_risk]).toEqual([event.id, false]);
    expect((await admin('/admin/events', { title: 'x', slug: event.slug })).json).toEqual({
      error: 'this slug is taken; if you gave none, it is that of the title or question: give another slug',
    });
  });

  test('an event reference that is the number of one event and the slug of another is rejected', async () => {
    const numbered = await accepted(admin('/admin/events', { title: 'First', slug: 'first-of-two' }));
    const slugged = await accepted(admin('/admin/events', { title: 'Second', slug: numbered.id }));
    const { status, json } = await admin('/admin/markets', { question: 'Whose?', event: numbered.id });
    const error = `invalid_field: event: ${numbered.id} is the number of first-of-two and the slug of number ${slugged.id}; send first-of-two or ${slugged.id}`;
    expect([status, json]).toEqual([400, { error }]);
    expect((await newMarket({ event: 'first-of-two' })).event_id).toBe(numbered.id);
    expect((await newMarket({ event: slugged.id })).event_id).toBe(slugged.id);
    // An event whose slug is its own number is a single event.
    const own = String(Number(slugged.id) + 1);
    await accepted(admin('/admin/events', { title: 'Third', slug: own }));
    expect((await newMarket({ event: own })).event_id).toBe(own);
  });

  test('condition and token ids are derived as in the conditional-token framework', async () => {
    const market = await newMarket({ slug: 'derived-ids' });
    const question = bytesToHex(keccak256Text('derived-ids'));
    const condition = conditionId(`0x${'1'.padStart(40, '0')}`, question);
    expect(market).toMatchObject({ question_id: question, condition_id: condition });
    const { collateral, negRiskCollateral } = server.services.contracts;
    expect(market.tokens.map((row: { token_id: string }) => row.token_id)).toEqual(tokenIds(collateral, condition));
    const negRisk = await newMarket({ slug: 'derived-ids-2', neg_risk: true });
    expect(negRisk.tokens[0].token_id).toBe(tokenIds(negRiskCollateral, negRisk.condition_id)[0]);
  });

  test('condition and token ids can be given, but must not be in use already', async () => {
    const ids = { condition_id: `0x${'AB'.repeat(32)}`, token_ids: ['1', '002'] };
    const market = await newMarket(ids);
    expect(market.condition_id).toBe(`0x${'ab'.repeat(32)}`);
    expect(market.tokens).toEqual([
      { token_id: '1', outcome: 'Yes' },
      { token_id: '2', outcome: 'No' },
    ]);
    const again = await admin('/admin/markets', { question: 'again', ...ids });
    expect([again.status, again.json.error]).toEqual([
      400,
      'a market with this condition id already exists: use another slug, question_id or condition_id',
    ]);
    const token = await admin('/admin/markets', { question: 'again', token_ids: ['2', '3'] });
    expect(token.json.error).toBe(
      'a market with one of these token ids already exists: use other token_ids, or another slug or question_id',
    );
  });

  test('market terms are returned as the decimals that were given, with defaults for the others', async () => {
    const terms = {
      tick_size: '0.001',
      min_order_size: '0.01',
      min_marketable_buy: '0',
      seconds_delay: 3,
      auto_tick: true,
    };
    const market = await newMarket({
      ...terms,
      fee: { rate: '0.04', exponent: 2 },
      status: 'draft',
      outcomes: ['A', 'B'],
    });
    expect(market).toMatchObject({ ...terms, fee: { rate: '0.04', exponent: 2 }, status: 'draft' });
    expect(await newMarket()).toMatchObject({
      event_id: null,
      tick_size: '0.01',
      min_order_size: '5',
      min_marketable_buy: '1',
      fee: { rate: '0', exponent: 1 },
      seconds_delay: 0,
      auto_tick: false,
      status: 'active',
    });
  });

  test('GET /admin/markets/{id} returns a draft market to its operator only', async () => {
    const market = await newMarket({ status: 'draft', min_marketable_buy: '2.5', seconds_delay: 3 });
    const read = (id: string, headers?: Readonly<Record<string, string>>) =>
      send(server.url, 'GET', `/admin/markets/${id}`, undefined, headers);
    const reply = await read(inUpperCase(market.condition_id), ADMIN);
    expect([reply.status, reply.json]).toEqual([200, market]);
    const change = { status: 'paused', min_order_size: '7' };
    const changed = await accepted(admin(`/admin/markets/${market.condition_id}`, change, 'PATCH'));
    expect(changed).toEqual({ ...market, ...change });
    expect((await read(market.condition_id, ADMIN)).json).toEqual(changed);
    expect(await read(`0x${'0'.repeat(64)}`, ADMIN)).toMatchObject({
      status: 404,
      json: { error: 'market not found' },
    });
    expect((await read(market.condition_id)).status).toBe(401);
  });

  test('a PATCH of one term changes that term alone', async () => {
    let market = await newMarket();
    const terms = {
      tick_size: '0.001',
      min_order_size: '7',
      min_marketable_buy: '2.5',
      fee: { rate: '0.04', exponent: 2 },
      seconds_delay: 3,
      auto_tick: true,
    };
    for (const [name, value] of Object.entries(terms)) {
      const changed = await accepted(admin(`/admin/markets/${market.condition_id}`, { [name]: value }, 'PATCH'));
      expect(changed).toEqual({ ...market, [name]: value });
      market = changed;
    }
  });

  test('a PATCH of some rewards and flags leaves the others unchanged', async () => {
    const rates = [{ asset_address: `0x${'1'.repeat(40)}`, rewards_daily_rate: 5 }];
    const market = await newMarket({
      rewards: { rates, min_size: 10, max_spread: 3 },
      flags: { featured: true, fresh: true },
    });
    expect(market).toMatchObject({
      rewards: { rates, min_size: 10, max_spread: 3 },
      flags: { featured: true, fresh: true },
    });
    const change = (body: unknown) => accepted(admin(`/admin/markets/${market.condition_id}`, body, 'PATCH'));
    const expected = { rewards: { rates, min_size: 20, max_spread: 3 }, flags: { featured: true, fresh: false } };
    expect(await change({ rewards: { min_size: 20 }, flags: { fresh: false } })).toMatchObject(expected);
    expect(await change({ archived: true })).toMatchObject(expected);
    expect((await change({ rewards: { rates: [] } })).rewards).toEqual({ rates: [], min_size: 20, max_spread: 3 });
    expect(await newMarket()).toMatchObject({ rewards: { rates: [], min_size: 0, max_spread: 0 }, flags: {} });
  });

  test('a PATCH of one date is validated against the other date', async () => {
    const [first, second, third] = [1, 2, 3].map((day) => `2030-01-0${day}T00:00:00.000Z`);
    const { condition_id } = await newMarket({ start_date: second, end_date: second });
    const change = (body: unknown) => admin(`/admin/markets/${condition_id}`, body, 'PATCH');
    const early = await change({ end_date: first });
    expect([early.status, early.json.error]).toEqual([
      400,
      `invalid_field: end_date: it must not be before start_date, which is ${second}`,
    ]);
    expect((await change({ start_date: third })).json.error).toBe(
      `invalid_field: start_date: it must not be after end_date, which is ${second}`,
    );
    await accepted(change({ start_date: third, end_date: third }));
    await accepted(change({ question: 'Which day?' }));
  });

  test('a market can be changed, paused, reactivated, closed and resolved, but not reopened', async () => {
    const { condition_id } = await newMarket({ outcomes: ['Up', 'Down'] });
    const path = `/admin/markets/${inUpperCase(condition_id)}`;
    const change = (body: unknown) => admin(path, body, 'PATCH');
    expect(await accepted(change({ status: 'paused', tick_size: '0.0025' }))).toMatchObject({
      status: 'paused',
      tick_size: '0.0025',
    });
    expect(await accepted(change({ status: 'active', fee: { rate: '0.01', exponent: 1 } }))).toMatchObject({
      status: 'active',
      tick_size: '0.0025',
      fee: { rate: '0.01', exponent: 1 },
    });
    expect(await accepted(change({ question: 'Another?', archived: true, flags: { featured: true } }))).toMatchObject({
      question: 'Another?',
      archived: true,
    });
    expect(await accepted(change({}))).toMatchObject({ question: 'Another?' });
    expect((await accepted(change({ status: 'closed' }))).status).toBe('closed');
    const reopened = await change({ status: 'active' });
    expect([reopened.status, reopened.json]).toEqual([
      400,
      { error: 'this is not allowed while the market is closed', market_status: 'closed' },
    ]);
    const resolve = (outcome: unknown) => admin(`${path}/resolve`, { outcome });
    expect((await resolve('Sideways')).json.error).toBe(
      'invalid_field: outcome: it must be one of "Up", "Down", "split"',
    );
    expect(await accepted(resolve('Down'))).toMatchObject({ status: 'resolved', resolution: 'Down' });
    expect((await resolve('Up')).json.market_status).toBe('resolved');
    expect((await change({ tick_size: '0.1' })).status).toBe(400);
  });

  test('an outcome cannot be named "split", which resolves a market half and half', async () => {
    const reply = await admin('/admin/markets', { question: 'Which?', outcomes: ['merge', 'split'] });
    const error =
      'invalid_field: outcomes: none may be "split", because resolving a market to "split" pays half to each outcome';
    expect([reply.status, reply.json]).toEqual([400, { error }]);
    const { condition_id } = await newMarket({ outcomes: ['Split', 'Hajduk'] });
    const half = admin(`/admin/markets/${condition_id}/resolve`, { outcome: 'split' });
    expect((await accepted(half)).resolution).toBe('split');
  });

  test('an unknown market gives 404, an unknown event the error "event not found"', async () => {
    const unknown = `/admin/markets/0x${'0'.repeat(64)}`;
    expect((await admin(unknown, {}, 'PATCH')).status).toBe(404);
    expect((await admin(`${unknown}/resolve`, { outcome: 'split' })).status).toBe(404);
    expect((await admin('/admin/markets', { question: 'x', event: 'nope' })).json).toEqual({
      error: 'event not found: nope',
    });
  });
});

describe('rejected bodies', () => {
  const address = developmentWallet(0).address;
  test.each([
    ['/admin/events', undefined, 'the body must be a JSON object'],
    ['/admin/events', [], 'the body must be a JSON object'],
    ['/admin/events', null, 'the body must be a JSON object'],
    ['/admin/events', {}, 'missing_field: title'],
    ['/admin/events', { titel: 'x' }, 'unknown_field: titel'],
    ['/admin/events', { title: '' }, 'invalid_field: title: it must not be empty'],
    ['/admin/events', { title: ' \t\u00a0' }, 'invalid_field: title: it must not be blank'],
    [
      '/admin/events',
      { title: 'x', tag_labels: { weather: ' ' } },
      'invalid_field: tag_labels.weather: it must not be blank',
    ],
    [
      '/admin/events',
      { title: 'x', start_date: '2030-02-01T00:00:00Z', end_date: '2030-02-01T00:59:00+01:00' },
      'invalid_field: end_date: it must not be before start_date, which is 2030-02-01T00:00:00.000Z',
    ],
    ['/admin/events', { title: 'x'.repeat(501) }, 'invalid_field: title: it must have at most 500 characters'],
    [
      '/admin/events',
      { title: 'x', tags: ['A'] },
      'invalid_field: tags.0: it must be 1 to 200 lower-case letters, digits and hyphens, not starting with a hyphen',
    ],
    [
      '/admin/events',
      { title: 'x', end_date: 'soon' },
      'invalid_field: end_date: it must be an ISO 8601 date-time, such as 2030-01-31T12:00:00Z',
    ],
    ['/admin/markets', {}, 'missing_field: question'],
    ['/admin/markets', { question: ' ' }, 'invalid_field: question: it must not be blank'],
    ['/admin/markets', { question: 'x', outcomes: ['Yes', ' '] }, 'invalid_field: outcomes.1: it must not be blank'],
    [
      '/admin/markets',
      { question: 'x', start_date: '2030-02-01T00:00:00Z', end_date: '2030-01-31T23:59:59Z' },
      'invalid_field: end_date: it must not be before start_date, which is 2030-02-01T00:00:00.000Z',
    ],
    [
      '/admin/markets',
      { question: 'x', tick_size: '0.02' },
      'invalid_field: tick_size: it must be one of 0.1, 0.01, 0.005, 0.0025, 0.001, 0.0001',
    ],
    [
      '/admin/markets',
      { question: 'x', min_order_size: 5 },
      'invalid_field: min_order_size: it must be a decimal string with at most 2 decimal places, from 0.01 to 10000000, such as "5", not a number',
    ],
    [
      '/admin/markets',
      { question: 'x', min_order_size: '10000000.01' },
      'invalid_field: min_order_size: it must be a decimal string with at most 2 decimal places, from 0.01 to 10000000',
    ],
    [
      '/admin/markets',
      { question: 'x', fee: { rate: '0.2', exponent: 1 } },
      'invalid_field: fee.rate: it must be a decimal with at most 4 decimal places, from 0 to 0.1',
    ],
    [
      '/admin/markets',
      { question: 'x', fee: { rate: '0.1', exponent: 5 } },
      'invalid_field: fee.exponent: it must be at most 4',
    ],
    ['/admin/markets', { question: 'x', fee: { rate: '0.1' } }, 'missing_field: fee.exponent'],
    ['/admin/markets', { question: 'x', fee: { rate: '0.1', exponent: 1, more: 1 } }, 'unknown_field: fee.more'],
    [
      '/admin/markets',
      { question: 'x', outcomes: ['A', 'A'] },
      'invalid_field: outcomes: it must be two different strings',
    ],
    ['/admin/markets', { question: 'x', outcomes: ['A'] }, 'invalid_field: outcomes: it must be two strings'],
    [
      '/admin/markets',
      { question: 'x', token_ids: ['1', '1'] },
      'invalid_field: token_ids: they must be two different ids',
    ],
    [
      '/admin/markets',
      { question: 'x', token_ids: ['1', '0x2'] },
      'invalid_field: token_ids.1: it must be a decimal string below 2^256',
    ],
    [
      '/admin/markets',
      { question: 'x', condition_id: '0x12' },
      'invalid_field: condition_id: it must be 0x and 64 hex digits',
    ],
    [
      '/admin/markets',
      { question: 'x', status: 'resolved' },
      'invalid_field: status: it must be draft, active or paused',
    ],
    ['/admin/markets', { question: 'x', seconds_delay: 3601 }, 'invalid_field: seconds_delay: it must be at most 3600'],
    [
      '/admin/markets',
      { question: 'x', last_price: '1' },
      'invalid_field: last_price: it must be a decimal string with at most 4 decimal places, from 0.0001 to 0.9999',
    ],
    [
      '/admin/markets',
      { question: 'x', last_price: 0.5 },
      'invalid_field: last_price: it must be a decimal string with at most 4 decimal places, from 0.0001 to 0.9999, such as "0.55", not a number',
    ],
    [
      '/admin/deposits',
      { address, amount: 5 },
      'invalid_field: amount: it must be a decimal string with at most 6 decimal places, from 0.000001 to 9007199254.740991, such as "12.5", not a number',
    ],
    [
      '/admin/deposits',
      { address, amount: '0' },
      'invalid_field: amount: it must be a decimal string with at most 6 decimal places, from 0.000001 to 9007199254.740991',
    ],
    [
      '/admin/deposits',
      { address, amount: '1e3' },
      'invalid_field: amount: it must be a decimal string with at most 6 decimal places, from 0.000001 to 9007199254.740991',
    ],
    [
      '/admin/deposits',
      { address, amount: '1.0000001' },
      'invalid_field: amount: it must be a decimal string with at most 6 decimal places, from 0.000001 to 9007199254.740991',
    ],
    [
      '/admin/deposits',
      { address, amount: '-1' },
      'invalid_field: amount: it must be a decimal string with at most 6 decimal places, from 0.000001 to 9007199254.740991',
    ],
    ['/admin/deposits', { address: 'me', amount: '1' }, 'invalid_field: address: it must be 0x and 40 hex digits'],
    ['/admin/deposits', { address, amount: '1', __proto__x: 1 }, 'unknown_field: __proto__x'],
    ['/dev/faucet', { address }, 'missing_field: collateral or shares: at least one is required'],
    ['/dev/faucet', { address, shares: '1' }, 'missing_field: token_id'],
    ['/dev/faucet', { address, token_id: '1' }, 'missing_field: collateral or shares: at least one is required'],
    ['/dev/faucet', { address, token_id: '1', collateral: '1' }, 'missing_field: shares'],
  ])('%s %j', async (path, body, sentence) => {
    const reply = await admin(path, body);
    expect([reply.status, reply.json]).toEqual([400, { error: sentence }]);
  });

  test('the keys __proto__ and constructor are rejected as unknown fields', async () => {
    const reply = await admin('/admin/events', '{"title":"x","__proto__":{"slug":"y"},"constructor":1}');
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatch(/^unknown_field: (__proto__|constructor)$/);
  });

  test.each([
    ['/admin/markets', 'flags', '{"question":"x","flags":{"__proto__":true,"hot":true}}'],
    ['/admin/events', 'tag_labels', '{"title":"x","tags":["a"],"tag_labels":{"__proto__":"y","a":"A"}}'],
  ])('%s rejects the key __proto__ as an unknown field in the map %s', async (path, name, body) => {
    const reply = await admin(path, body);
    expect([reply.status, reply.json]).toEqual([400, { error: `unknown_field: ${name}.__proto__` }]);
  });
});
