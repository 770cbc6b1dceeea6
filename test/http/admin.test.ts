// The operator's interface, the faucet, and sets of shares over HTTP: what they do, what they answer, and what each wrong
// request is told. Everything goes through the public interface; conservation is checked at the end.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conditionId, tokenIds } from '../../server/auth/conditionalTokens.ts';
import { bytesToHex } from '../../server/auth/hex.ts';
import { keccak256Text } from '../../server/auth/keccak.ts';
import { developmentWallet } from '../../server/auth/mnemonic.ts';
import { ADMIN, createKey, type JsonReply, send, sendSigned } from '../support/client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  server.exchange.checkInvariants();
  await server.close();
});

const admin = (path: string, body: unknown, method = 'POST'): Promise<JsonReply> =>
  send(server.url, method, path, body, ADMIN);

async function accepted(reply: Promise<JsonReply>): Promise<JsonReply['json']> {
  const { status, json } = await reply;
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
}

let marketNumber = 0;
/** A new market; its record as the operator sees it. */
function newMarket(terms: object = {}): Promise<JsonReply['json']> {
  marketNumber += 1;
  return accepted(admin('/admin/markets', { question: `Is this market ${marketNumber}?`, ...terms }));
}

describe('the admin token', () => {
  test.each([
    {},
    { authorization: 'Bearer' },
    { authorization: 'Bearer wrong' },
    { authorization: 'Bearer dev-admin and more' },
    { authorization: 'Basic dev-admin' },
    { authorization: 'dev-admin' },
  ])('%o is 401', async (headers) => {
    const reply = await send(server.url, 'POST', '/admin/events', { title: 'x' }, headers);
    expect(reply.status).toBe(401);
    expect(reply.json.error).toMatch(/needs the admin token/);
  });
});

describe('events and markets', () => {
  test('an event gets a slug and a number, and its markets belong to it', async () => {
    const event = await accepted(
      admin('/admin/events', { title: 'Élection: who wins?', neg_risk: true, tags: ['a-b'] }),
    );
    expect(event).toMatchObject({ slug: 'election-who-wins', neg_risk: true });
    const byId = await newMarket({ event: event.id });
    const bySlug = await newMarket({ event: event.slug, neg_risk: false });
    expect([byId.event_id, byId.neg_risk]).toEqual([event.id, true]);
    expect([bySlug.event_id, bySlug.neg_risk]).toEqual([event.id, false]);
    expect((await admin('/admin/events', { title: 'x', slug: event.slug })).json).toEqual({
      error: 'this slug is taken',
    });
  });

  test('digits that are the number of one event and the slug of another name neither', async () => {
    const numbered = await accepted(admin('/admin/events', { title: 'First', slug: 'first-of-two' }));
    const slugged = await accepted(admin('/admin/events', { title: 'Second', slug: numbered.id }));
    const { status, json } = await admin('/admin/markets', { question: 'Whose?', event: numbered.id });
    const error = `invalid_field: event: ${numbered.id} is the number of first-of-two and the slug of number ${slugged.id}; send one of these two`;
    expect([status, json]).toEqual([400, { error }]);
    expect((await newMarket({ event: 'first-of-two' })).event_id).toBe(numbered.id);
    expect((await newMarket({ event: slugged.id })).event_id).toBe(slugged.id);
    // An event whose slug is its own number is one event.
    const own = String(Number(slugged.id) + 1);
    await accepted(admin('/admin/events', { title: 'Third', slug: own }));
    expect((await newMarket({ event: own })).event_id).toBe(own);
  });

  test('ids are derived as the conditional-token framework does', async () => {
    const market = await newMarket({ slug: 'derived-ids' });
    const question = bytesToHex(keccak256Text('derived-ids'));
    const condition = conditionId(`0x${'1'.padStart(40, '0')}`, question);
    expect(market).toMatchObject({ question_id: question, condition_id: condition });
    const { collateral, negRiskCollateral } = server.services.contracts;
    expect(market.tokens.map((row: { token_id: string }) => row.token_id)).toEqual(tokenIds(collateral, condition));
    const negRisk = await newMarket({ slug: 'derived-ids-2', neg_risk: true });
    expect(negRisk.tokens[0].token_id).toBe(tokenIds(negRiskCollateral, negRisk.condition_id)[0]);
  });

  test('ids may be given, and may not be taken', async () => {
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
      'a market with this condition id exists already: give another slug, question_id or condition_id',
    ]);
    const token = await admin('/admin/markets', { question: 'again', token_ids: ['2', '3'] });
    expect(token.json.error).toBe('a market with one of these token ids exists already');
  });

  test('terms are given in decimals and read back so', async () => {
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
      tick_size: '0.01',
      min_order_size: '5',
      min_marketable_buy: '1',
      fee: { rate: '0', exponent: 1 },
      seconds_delay: 0,
      auto_tick: false,
      status: 'active',
    });
  });

  test('a change names parts of rewards and flags, and the others stay; both are read back', async () => {
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

  test('a market is changed, paused, opened, closed and resolved', async () => {
    const { condition_id } = await newMarket({ outcomes: ['Up', 'Down'] });
    const path = `/admin/markets/${condition_id.toUpperCase().replace('0X', '0x')}`;
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
      { error: 'the market is closed, which does not allow this', market_status: 'closed' },
    ]);
    const resolve = (outcome: unknown) => admin(`${path}/resolve`, { outcome });
    expect((await resolve('Sideways')).json.error).toBe(
      'invalid_field: outcome: it must be one of "Up", "Down", "split"',
    );
    expect(await accepted(resolve('Down'))).toMatchObject({ status: 'resolved', resolution: 'Down' });
    expect((await resolve('Up')).json.market_status).toBe('resolved');
    expect((await change({ tick_size: '0.1' })).status).toBe(400);
  });

  test('no outcome may be called split, which says how a market ends: half and half', async () => {
    const reply = await admin('/admin/markets', { question: 'Which?', outcomes: ['merge', 'split'] });
    const error =
      'invalid_field: outcomes: none may be "split", which stands for half and half where the market is resolved';
    expect([reply.status, reply.json]).toEqual([400, { error }]);
    const { condition_id } = await newMarket({ outcomes: ['Split', 'Hajduk'] });
    const half = admin(`/admin/markets/${condition_id}/resolve`, { outcome: 'split' });
    expect((await accepted(half)).resolution).toBe('split');
  });

  test('what does not exist is 404', async () => {
    const unknown = `/admin/markets/0x${'0'.repeat(64)}`;
    expect((await admin(unknown, {}, 'PATCH')).status).toBe(404);
    expect((await admin(`${unknown}/resolve`, { outcome: 'split' })).status).toBe(404);
    expect((await admin('/admin/markets', { question: 'x', event: 'nope' })).json).toEqual({
      error: 'event not found: nope',
    });
  });
});

describe('bodies that are refused', () => {
  const address = developmentWallet(0).address;
  test.each([
    ['/admin/events', undefined, 'the body must be a JSON object'],
    ['/admin/events', [], 'the body must be a JSON object'],
    ['/admin/events', null, 'the body must be a JSON object'],
    ['/admin/events', {}, 'missing_field: title'],
    ['/admin/events', { titel: 'x' }, 'unknown_field: titel'],
    ['/admin/events', { title: '' }, 'invalid_field: title: it must not be empty'],
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
    [
      '/admin/markets',
      { question: 'x', tick_size: '0.02' },
      'invalid_field: tick_size: it must be one of 0.1, 0.01, 0.005, 0.0025, 0.001, 0.0001',
    ],
    [
      '/admin/markets',
      { question: 'x', min_order_size: 5 },
      'invalid_field: min_order_size: it must be a decimal string of at most 2 places from 0.01 to 10000000, such as "5", not a number',
    ],
    [
      '/admin/markets',
      { question: 'x', min_order_size: '10000000.01' },
      'invalid_field: min_order_size: it must be a decimal string of at most 2 places from 0.01 to 10000000',
    ],
    [
      '/admin/markets',
      { question: 'x', fee: { rate: '0.2', exponent: 1 } },
      'invalid_field: fee.rate: it must be a decimal of at most 4 places from 0 to 0.1',
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
      'invalid_field: outcomes: it must be two different texts',
    ],
    ['/admin/markets', { question: 'x', outcomes: ['A'] }, 'invalid_field: outcomes: it must be two texts'],
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
      'invalid_field: last_price: it must be a decimal string of at most 4 places from 0.0001 to 0.9999',
    ],
    [
      '/admin/markets',
      { question: 'x', last_price: 0.5 },
      'invalid_field: last_price: it must be a decimal string of at most 4 places from 0.0001 to 0.9999, such as "0.55", not a number',
    ],
    [
      '/admin/deposits',
      { address, amount: 5 },
      'invalid_field: amount: it must be a decimal string of at most 6 places from 0.000001 to 9007199254.740991, such as "12.5", not a number',
    ],
    [
      '/admin/deposits',
      { address, amount: '0' },
      'invalid_field: amount: it must be a decimal string of at most 6 places from 0.000001 to 9007199254.740991',
    ],
    [
      '/admin/deposits',
      { address, amount: '1e3' },
      'invalid_field: amount: it must be a decimal string of at most 6 places from 0.000001 to 9007199254.740991',
    ],
    [
      '/admin/deposits',
      { address, amount: '1.0000001' },
      'invalid_field: amount: it must be a decimal string of at most 6 places from 0.000001 to 9007199254.740991',
    ],
    [
      '/admin/deposits',
      { address, amount: '-1' },
      'invalid_field: amount: it must be a decimal string of at most 6 places from 0.000001 to 9007199254.740991',
    ],
    ['/admin/deposits', { address: 'me', amount: '1' }, 'invalid_field: address: it must be 0x and 40 hex digits'],
    ['/admin/deposits', { address, amount: '1', __proto__x: 1 }, 'unknown_field: __proto__x'],
    ['/dev/faucet', { address }, 'missing_field: collateral or shares: say what to credit'],
    ['/dev/faucet', { address, shares: '1' }, 'missing_field: token_id'],
    ['/dev/faucet', { address, token_id: '1' }, 'missing_field: collateral or shares: say what to credit'],
    ['/dev/faucet', { address, token_id: '1', collateral: '1' }, 'missing_field: shares'],
  ])('%s %j', async (path, body, sentence) => {
    const reply = await admin(path, body);
    expect([reply.status, reply.json]).toEqual([400, { error: sentence }]);
  });

  test('keys that name parts of objects are unknown like any other', async () => {
    const reply = await admin('/admin/events', '{"title":"x","__proto__":{"slug":"y"},"constructor":1}');
    expect(reply.status).toBe(400);
    expect(reply.json.error).toMatch(/^unknown_field: (__proto__|constructor)$/);
  });
});

describe('cash', () => {
  test('deposits and withdrawals state the balance after them', async () => {
    const { address } = developmentWallet(40);
    const first = await accepted(
      admin('/admin/deposits', { address: address.toUpperCase().replace('0X', '0x'), amount: '12.500001' }),
    );
    expect(first).toEqual({ address, owner: address, amount: '12.500001', balance: '12.500001' });
    const second = await accepted(admin('/admin/withdrawals', { address, amount: '2.5' }));
    expect(second.balance).toBe('10.000001');
    const short = await admin('/admin/withdrawals', { address, amount: '10.000002' });
    expect([short.status, short.json.error]).toEqual([
      400,
      'not enough balance: 10.000002 asked, the balance is 10.000001 and open orders reserve 0',
    ]);
    expect((await admin('/admin/withdrawals', { address: developmentWallet(41).address, amount: '1' })).status).toBe(
      400,
    );
    const full = await admin('/admin/deposits', { address, amount: '9007199254.740991' });
    const sentence =
      /^all deposits so far, withdrawn or not, are [0-9.]+; 9007199254\.740991 more would pass the limit of 9007199254\.740991/;
    expect([full.status, full.json.error]).toEqual([400, expect.stringMatching(sentence)]);
  });

  test('a wallet that no request used yet can be named with its owner', async () => {
    const { address: owner } = developmentWallet(42);
    const { safe, proxy } = server.services.wallets.derivedWallets(owner);
    expect((await accepted(admin('/admin/deposits', { address: safe, amount: '1', owner }))).owner).toBe(owner);
    const stranger = developmentWallet(43).address;
    const wrong = await admin('/admin/deposits', { address: proxy, amount: '1', owner: stranger });
    expect(wrong.json.error).toBe(`invalid_field: owner: ${proxy} is no wallet of ${stranger}`);
    const taken = await admin('/admin/deposits', { address: safe, amount: '1', owner: stranger });
    expect(taken.json.error).toBe(`invalid_field: owner: the wallet ${safe} belongs to ${owner}`);
  });

  test('the faucet credits nothing where the market takes no shares', async () => {
    const { address } = developmentWallet(45);
    const { tokens, condition_id } = await newMarket();
    await accepted(admin(`/admin/markets/${condition_id}/resolve`, { outcome: 'Yes' }));
    const asked = { address, collateral: '5', token_id: tokens[0].token_id, shares: '1' };
    const refused = await send(server.url, 'POST', '/dev/faucet', asked);
    expect([refused.status, refused.json.market_status]).toEqual([400, 'resolved']);
    expect(server.services.views.accounts.byWallet(address)).toBeUndefined();
  });

  test('the faucet says that shares are credited where the collateral after them is refused', async () => {
    const { address } = developmentWallet(46);
    const { tokens } = await newMarket();
    const asked = { address, collateral: '9007199254.740991', token_id: tokens[0].token_id, shares: '1' };
    const refused = await send(server.url, 'POST', '/dev/faucet', asked);
    const sentence = /^the shares are credited, the collateral is not: all deposits so far, withdrawn or not, are /;
    expect([refused.status, refused.json.error]).toEqual([400, expect.stringMatching(sentence)]);
  });

  test('the faucet credits collateral and shares, in development only', async () => {
    const { address } = developmentWallet(44);
    const market = await newMarket();
    const [yes, no] = market.tokens.map((row: { token_id: string }) => row.token_id);
    const reply = await accepted(
      send(server.url, 'POST', '/dev/faucet', { address, collateral: '5', token_id: no, shares: '2.25' }),
    );
    expect(reply).toEqual({
      address,
      owner: address,
      collateral: '5',
      tokens: [
        { token_id: yes, outcome: 'Yes', balance: '0' },
        { token_id: no, outcome: 'No', balance: '2.25' },
      ],
    });
    const unknown = await send(server.url, 'POST', '/dev/faucet', { address, token_id: '77', shares: '1' });
    expect([unknown.status, unknown.json]).toEqual([404, { error: 'token not found' }]);
    const venue = await startTestServer({ config: { mode: 'production', adminToken: 'x'.repeat(20) } });
    const absent = await send(venue.url, 'POST', '/dev/faucet', { address, collateral: '1' });
    expect([absent.status, absent.json]).toEqual([404, { error: 'not found' }]);
    await venue.close();
  });
});

describe('sets of shares', () => {
  test('split, merge and redeem change the wallet of the signature type', async () => {
    const wallet = developmentWallet(50);
    const credentials = await createKey(server.url, wallet);
    const call = (path: string, body: unknown) =>
      sendSigned(server.url, wallet.address, credentials, 'POST', path, body);
    const { condition_id } = await newMarket();
    const { derivedWallets } = server.services.wallets;
    const wallets = [
      wallet.address,
      derivedWallets(wallet.address).proxy,
      derivedWallets(wallet.address).safe,
      derivedWallets(wallet.address).depositBeacon,
    ];
    for (const [signature_type, address] of wallets.entries()) {
      const split = await accepted(call('/split', { condition_id, amount: '100.5', signature_type }));
      expect(split).toMatchObject({ wallet: address, amount: '100.5', collateral: '9899.5' });
      expect(split.tokens.map((row: { balance: string }) => row.balance)).toEqual(['100.5', '100.5']);
    }
    const merged = await accepted(call('/merge', { condition_id, amount: '0.5' }));
    expect(merged).toMatchObject({ wallet: wallet.address, collateral: '9900' });
    const short = await call('/merge', { condition_id, amount: '100.000001' });
    expect(short.json.error).toBe('not enough shares: 100.000001 asked, 100 of both tokens are free');
    expect((await call('/split', { condition_id, amount: '9900.000001' })).json.error).toMatch(/^not enough balance/);
    expect((await call('/redeem', { condition_id })).json).toEqual({
      error: 'the market is active, which does not allow this',
      market_status: 'active',
    });
    await accepted(admin(`/admin/markets/${condition_id}/resolve`, { outcome: 'Yes' }));
    const redeemed = await accepted(call('/redeem', { condition_id }));
    expect(redeemed).toMatchObject({ payout: '100', collateral: '10000' });
    expect((await call('/redeem', { condition_id })).json.error).toMatch(/nothing to redeem/);
    expect((await call('/split', { condition_id, amount: '1' })).json.market_status).toBe('resolved');
  });

  test.each([
    [{ condition_id: `0x${'9'.repeat(64)}`, amount: '1' }, 404, 'market not found'],
    [{ amount: '1' }, 400, 'missing_field: condition_id'],
    [
      { condition_id: `0x${'9'.repeat(64)}`, amount: 1 },
      400,
      /^invalid_field: amount: it must be a decimal string .*, not a number$/,
    ],
    [
      { condition_id: `0x${'9'.repeat(64)}`, amount: '1', signature_type: 4 },
      400,
      'invalid_field: signature_type: it must be the number 0, 1, 2 or 3',
    ],
    [{ condition_id: `0x${'9'.repeat(64)}`, amount: '1', wallet: 'x' }, 400, 'unknown_field: wallet'],
  ])('a split of %j is refused', async (body, status, sentence) => {
    const wallet = developmentWallet(51);
    const made = await createKey(server.url, wallet, String(marketNumber++));
    const reply = await sendSigned(server.url, wallet.address, made, 'POST', '/split', body);
    expect([reply.status, reply.json.error]).toEqual([
      status,
      typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
    ]);
  });

  test('without credentials it is 401', async () => {
    expect((await send(server.url, 'POST', '/split', {})).status).toBe(401);
  });
});
