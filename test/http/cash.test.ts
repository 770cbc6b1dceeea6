// Money that comes and goes without a trade: the operator's deposits and withdrawals, and development's faucet. Their
// replies, the owner of the wallets that they name, and the refusal of each wrong request.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StorageUnavailable } from '../../engine/index.ts';
import { developmentWallet } from '../../server/auth/mnemonic.ts';
import { errorAfterShares } from '../../server/routes/dev.ts';
import { ADMIN, createKey, send } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import { startTestServer } from '../support/server.ts';
import { callHandler } from './handlerTurns.ts';
import { accepted, admin, closeOperatorWorld, newMarket, openOperatorWorld, server } from './operatorWorld.ts';

beforeAll(openOperatorWorld);
afterAll(closeOperatorWorld);

test('deposits and withdrawals return the new balance, and are rejected beyond their limits', async () => {
  const { address } = developmentWallet(40);
  const first = await accepted(admin('/admin/deposits', { address: inUpperCase(address), amount: '12.500001' }));
  expect(first).toEqual({ address, owner: address, amount: '12.500001', balance: '12.500001' });
  const second = await accepted(admin('/admin/withdrawals', { address, amount: '2.5' }));
  expect(second.balance).toBe('10.000001');
  const short = await admin('/admin/withdrawals', { address, amount: '10.000002' });
  expect([short.status, short.json.error]).toEqual([
    400,
    'not enough balance: 10.000002 requested, the balance is 10.000001 and open orders reserve 0',
  ]);
  expect((await admin('/admin/withdrawals', { address: developmentWallet(41).address, amount: '1' })).status).toBe(400);
  const full = await admin('/admin/deposits', { address, amount: '9007199254.740991' });
  const sentence =
    /^a deposit of 9007199254\.740991 would exceed the limit of 9007199254\.740991 on all deposits, withdrawn or not: they total [0-9.]+ so far/;
  expect([full.status, full.json.error]).toEqual([400, expect.stringMatching(sentence)]);
});

test('deposits can name the owner of an unused wallet, and a wrong owner is rejected', async () => {
  const { address: owner } = developmentWallet(42);
  const { safe, proxy } = server.services.wallets.derivedWallets(owner);
  expect((await accepted(admin('/admin/deposits', { address: safe, amount: '1', owner }))).owner).toBe(owner);
  const again = await accepted(admin('/admin/deposits', { address: safe, amount: '2', owner }));
  expect([again.owner, again.balance]).toEqual([owner, '3']);
  const stranger = developmentWallet(43).address;
  const wrong = await admin('/admin/deposits', { address: proxy, amount: '1', owner: stranger });
  expect(wrong.json.error).toBe(`invalid_field: owner: ${proxy} is not a wallet of ${stranger}`);
  const taken = await admin('/admin/deposits', { address: safe, amount: '1', owner: stranger });
  expect(taken.json.error).toBe(`invalid_field: owner: the wallet ${safe} belongs to ${owner}`);
});

test('the faucet credits nothing, not even collateral, if the market is resolved', async () => {
  const { address } = developmentWallet(45);
  const { tokens, condition_id } = await newMarket();
  await accepted(admin(`/admin/markets/${condition_id}/resolve`, { outcome: 'Yes' }));
  const asked = { address, collateral: '5', token_id: tokens[0].token_id, shares: '1' };
  const refused = await send(server.url, 'POST', '/dev/faucet', asked);
  expect([refused.status, refused.json.market_status]).toEqual([400, 'resolved']);
  expect(server.services.views.accounts.byWallet(address)).toBeUndefined();
});

test('if only the collateral is rejected, the faucet error states that the shares were credited', async () => {
  const { address } = developmentWallet(46);
  const { tokens } = await newMarket();
  const asked = { address, collateral: '9007199254.740991', token_id: tokens[0].token_id, shares: '1' };
  const refused = await send(server.url, 'POST', '/dev/faucet', asked);
  const sentence = /^the shares were credited, but the collateral was not: a deposit of /;
  expect([refused.status, refused.json.error]).toEqual([400, expect.stringMatching(sentence)]);
});

test('if commands are no longer accepted after the shares, the faucet error states that these were credited', async () => {
  const { address } = developmentWallet(47);
  const { exchange, services, url, close } = await startTestServer();
  const { json } = await send(url, 'POST', '/admin/markets', { question: 'Is it on?' }, ADMIN);
  const body = { address, collateral: '5', token_id: json.tokens[0].token_id, shares: '1' };
  const reply = callHandler('POST', '/dev/faucet', { json: () => body }, { services });
  const closed = exchange.close(); // makes durable what it has accepted: the shares
  const text =
    'the shares were credited, but the collateral was not: the exchange does not accept commands at present: the exchange is closing';
  await expect(reply).rejects.toMatchObject({ message: text, status: 503, headers: { 'Retry-After': '5' } });
  await closed;
  expect(services.views.accounts.byWallet(address)).toMatchObject({ collateralMicro: 0 });
  await close();
});

test('a faucet error does not deny collateral whose fate is unknown, and leaves a defect as it is', () => {
  const error = errorAfterShares(new StorageUnavailable('the disk hangs', true));
  const text =
    /^the shares were credited, but the collateral may not have been: it is not known whether this was accepted/;
  expect(error).toMatchObject({
    message: expect.stringMatching(text),
    status: 503,
    extra: { code: 'outcome_unknown' },
    headers: { 'Retry-After': '5' },
  });
  const defect = new TypeError('nobody expects this');
  expect(errorAfterShares(defect)).toBe(defect);
});

test('the faucet credits collateral and shares in development, and gives 404 in production', async () => {
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
  const noJson = await send(venue.url, 'POST', '/dev/faucet', 'no JSON', { 'content-type': 'text/plain' });
  expect(noJson.json).toEqual({ error: 'not found' });
  await venue.close();
});

test('the operator sees all wallets of an owner that has a key but no balance yet', async () => {
  const adminToken = 'x'.repeat(20);
  const engine = { ...server.services.config.engine, creditMicro: 0 };
  const venue = await startTestServer({ config: { mode: 'production', adminToken, engine } });
  const headers = { authorization: `Bearer ${adminToken}` };
  const owner = developmentWallet(41);
  const read = async (address: string) => send(venue.url, 'GET', `/admin/accounts/${address}`, undefined, headers);
  expect((await read(owner.address)).json.wallets).toEqual([]);
  await createKey(venue.url, owner);
  const { proxy, safe, depositBeacon, depositUups } = venue.services.wallets.derivedWallets(owner.address);
  const rows = [
    { wallet: safe, type: 2, balance: '3', tokens: [] },
    { wallet: owner.address, type: 0, balance: '0', tokens: [] },
    { wallet: proxy, type: 1, balance: '0', tokens: [] },
    { wallet: depositBeacon, type: 3, balance: '0', tokens: [] },
    { wallet: depositUups, type: 3, balance: '0', tokens: [] },
  ];
  const nothing = rows.map((row) => ({ ...row, balance: '0' }));
  expect(new Set((await read(owner.address)).json.wallets)).toEqual(new Set(nothing));
  const credit = { address: safe, amount: '3' };
  expect((await send(venue.url, 'POST', '/admin/deposits', credit, headers)).json.owner).toBe(owner.address);
  expect((await read(safe)).json.wallets).toEqual(rows);
  await venue.close();
});
