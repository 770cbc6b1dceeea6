// Sets of shares over HTTP: split, merge and redeem, from each wallet of an owner, and the refusal of each wrong request.
// Everything goes through the public interface; conservation is checked at the end.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { developmentWallet } from '../../server/auth/mnemonic.ts';
import { createKey, send, sendSigned } from '../support/client.ts';
import { inUpperCase } from '../support/hex.ts';
import { accepted, admin, closeOperatorWorld, newMarket, openOperatorWorld, server } from './operatorWorld.ts';

beforeAll(openOperatorWorld);
afterAll(closeOperatorWorld);

let nonce = 1;

test('split, merge and redeem act on the wallet of the signature type', async () => {
  const wallet = developmentWallet(50);
  const credentials = await createKey(server.url, wallet);
  const call = (path: string, body: unknown) => sendSigned(server.url, wallet.address, credentials, 'POST', path, body);
  const { condition_id } = await newMarket();
  const { proxy, safe, depositBeacon } = server.services.wallets.derivedWallets(wallet.address);
  const wallets = [wallet.address, proxy, safe, depositBeacon];
  for (const [signature_type, address] of wallets.entries()) {
    const split = await accepted(call('/split', { condition_id, amount: '100.5', signature_type }));
    expect(split).toMatchObject({ wallet: address, amount: '100.5', collateral: '9899.5' });
    expect(split.tokens.map((row: { balance: string }) => row.balance)).toEqual(['100.5', '100.5']);
  }
  const merged = await accepted(call('/merge', { condition_id, amount: '0.5' }));
  expect(merged).toMatchObject({ wallet: wallet.address, collateral: '9900' });
  const ofProxy = await accepted(call('/merge', { condition_id, amount: '100.5', signature_type: 1 }));
  expect(ofProxy).toMatchObject({ wallet: proxy, collateral: '10000' });
  const short = await call('/merge', { condition_id, amount: '100.000001' });
  expect(short.json.error).toBe(
    `not enough shares: 100.000001 of each token requested, 100 of each available in the wallet ${wallet.address}`,
  );
  expect((await call('/split', { condition_id, amount: '9900.000001' })).json.error).toMatch(/^not enough balance/);
  expect((await call('/redeem', { condition_id })).json).toEqual({
    error: 'this is not allowed while the market is active',
    market_status: 'active',
  });
  await accepted(admin(`/admin/markets/${condition_id}/resolve`, { outcome: 'Yes' }));
  const redeemed = await accepted(call('/redeem', { condition_id }));
  expect(redeemed).toMatchObject({ payout: '100', collateral: '10000' });
  const ofSafe = await accepted(call('/redeem', { condition_id, signature_type: 2 }));
  expect(ofSafe).toMatchObject({ wallet: safe, payout: '100.5', collateral: '10000' });
  for (const signature_type of [0, 1, 2]) {
    expect((await call('/redeem', { condition_id, signature_type })).json.error).toMatch(/nothing to redeem/);
  }
  expect((await call('/split', { condition_id, amount: '1' })).json.market_status).toBe('resolved');
});

/** An owner with a key, and requests of its own. */
async function newOwner(index: number) {
  const wallet = developmentWallet(index);
  const credentials = await createKey(server.url, wallet);
  const { address } = wallet;
  const call = (path: string, body: unknown) => sendSigned(server.url, address, credentials, 'POST', path, body);
  const bind = (bound: string, type: number) =>
    accepted(admin(`/admin/accounts/${address}`, { bind: { wallet: bound, type } }, 'PATCH'));
  return { address, derived: server.services.wallets.derivedWallets(address), call, bind };
}

test('a request that names a wallet acts on it, whichever one its signature type selects', async () => {
  const { derived, call, bind } = await newOwner(52);
  const { condition_id } = await newMarket();
  const [earlier, latest] = [`0x${'b1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
  for (const bound of [earlier, latest]) {
    await bind(bound, 2);
    await accepted(admin('/admin/deposits', { address: bound, amount: '10000' }));
  }
  const wallets = [derived.safe, derived.depositUups, earlier];
  for (const wallet of wallets) {
    const split = await accepted(call('/split', { condition_id, amount: '50', wallet: inUpperCase(wallet) }));
    expect(split).toMatchObject({ wallet, amount: '50', collateral: '9950' });
    const merged = await accepted(call('/merge', { condition_id, amount: '0.5', wallet }));
    expect(merged).toMatchObject({ wallet, collateral: '9950.5' });
  }
  await accepted(admin(`/admin/markets/${condition_id}/resolve`, { outcome: 'Yes' }));
  for (const [signature_type, selected] of [
    [2, latest],
    [3, derived.depositBeacon],
  ]) {
    expect((await call('/redeem', { condition_id, signature_type })).json.error).toBe(
      `there is nothing to redeem: the wallet ${selected} holds no shares of this market`,
    );
  }
  for (const wallet of wallets) {
    expect(await accepted(call('/redeem', { condition_id, wallet }))).toMatchObject({
      wallet,
      payout: '49.5',
      collateral: '10000',
    });
  }
});

test('a wallet that is named must be of the caller, and of the signature type if one is given', async () => {
  const other = await newOwner(54);
  const { proxy } = server.services.wallets.derivedWallets(developmentWallet(53).address);
  await other.bind(proxy, 2);
  const { address, derived, call, bind } = await newOwner(53);
  const { condition_id } = await newMarket();
  const [own, foreign] = [`0x${'b3'.repeat(20)}`, `0x${'b4'.repeat(20)}`];
  await bind(own, 1);
  await other.bind(foreign, 1);
  const split = (wallet: string, signature_type?: number) =>
    call('/split', { condition_id, amount: '1', wallet, signature_type });
  const refused: readonly (readonly [string, number | undefined, string])[] = [
    [other.address, undefined, `${other.address} is not a wallet of ${address}`],
    [foreign, undefined, `${foreign} is not a wallet of ${address}`],
    [foreign, 1, `the wallet ${foreign} belongs to another owner`],
    [proxy, undefined, `the wallet ${proxy} belongs to another owner`],
    [own, 2, `${own} is not a wallet of ${address} for signature type 2`],
    [derived.safe, 1, `${derived.safe} is not a wallet of ${address} for signature type 1`],
    [derived.safe, 0, `${derived.safe} is not a wallet of ${address} for signature type 0`],
  ];
  for (const [wallet, type, reason] of refused) {
    const { status, json } = await split(wallet, type);
    expect([status, json]).toEqual([400, { error: `invalid_field: wallet: ${reason}` }]);
  }
  expect(await accepted(split(derived.safe, 2))).toMatchObject({ wallet: derived.safe });
  expect(await accepted(split(address))).toMatchObject({ wallet: address });
  expect((await split(own, 1)).json.error).toMatch(/^not enough balance/);
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
  [
    { condition_id: `0x${'9'.repeat(64)}`, amount: '1', wallet: 'x' },
    400,
    'invalid_field: wallet: it must be 0x and 40 hex digits',
  ],
  [{ condition_id: `0x${'9'.repeat(64)}`, amount: '1', maker: 'x' }, 400, 'unknown_field: maker'],
])('POST /split with %j is rejected', async (body, status, sentence) => {
  const wallet = developmentWallet(51);
  const made = await createKey(server.url, wallet, String(nonce++));
  const reply = await sendSigned(server.url, wallet.address, made, 'POST', '/split', body);
  expect([reply.status, reply.json.error]).toEqual([
    status,
    typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
  ]);
});

test('POST /split without credentials is answered with 401', async () => {
  expect((await send(server.url, 'POST', '/split', {})).status).toBe(401);
});
