// Interface B.3 and B.3a from the thief's side: an order for a wallet that is not the caller's, or under a key that is not
// its owner's, is refused in every way that can be tried, and nothing comes to rest. Each kind of refusal is accompanied by
// the right order, which is accepted.
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { world } from './ownWorld.ts';
import {
  bodyOf,
  expectRefusal,
  expectToRest,
  market,
  orderFrom,
  post,
  SIGNATURE_REFUSED,
  SIGNER_REFUSED,
  type SignatureType,
  sign,
  thief,
  victim,
  WALLET_REFUSED,
  walletOfType,
  walletsOf,
} from './thiefAndVictim.ts';
import { admin, giveShares, newAccount, newTrader, Side, signatureTypes, signedRaw, take } from './world.ts';

const bind = (owner: string, wallet: string, type: SignatureType) =>
  admin(world.url, 'PATCH', `/admin/accounts/${owner}`, { bind: { wallet, type } });

test('each derived wallet trades only with its own signature type', async () => {
  for (const [wallet, ownType] of walletsOf(thief.owner)) {
    for (const type of signatureTypes) {
      const order = orderFrom(thief.owner, wallet, type);
      const reply = await post(thief, order, await sign(order, thief.account));
      if (type === ownType) await expectToRest(thief, reply, wallet);
      else expectRefusal(reply, WALLET_REFUSED, `${wallet} as type ${type}`);
    }
  }
});

test('a wallet that got money before its owner had a key still trades only with its own signature type', async () => {
  const key = generatePrivateKey();
  const wallets = walletsOf(privateKeyToAccount(key).address.toLowerCase());
  for (const [wallet] of wallets) {
    await admin(world.url, 'POST', '/admin/deposits', { address: wallet, amount: '100' });
  }
  const trader = await newTrader(world.url, 0, key);
  for (const [wallet, ownType] of wallets) {
    for (const type of signatureTypes) {
      const order = orderFrom(trader.owner, wallet, type);
      const reply = await post(trader, order, await sign(order, trader.account));
      if (type === ownType) await expectToRest(trader, reply, wallet);
      else expectRefusal(reply, WALLET_REFUSED, `${wallet} as type ${type}`);
    }
  }
});

test('wallets of types 1, 2 and 3 trade and receive the shares that they buy', async () => {
  for (const type of [1, 2, 3] as const) {
    const wallet = walletOfType(thief.owner, type);
    const order = orderFrom(thief.owner, wallet, type);
    expect((await post(thief, order, await sign(order, thief.account))).json.status).toBe('live');
    await giveShares(world.url, victim, market.yes, '10');
    const sold = await take(victim, market, Side.SELL, market.yes, 10, 0.3);
    expect(sold).toMatchObject({ status: 'matched', makingAmount: '10', takingAmount: '3' });
    const query = `?asset_type=CONDITIONAL&token_id=${market.yes}&signature_type=${type}`;
    const shares = await signedRaw(thief, 'GET', '/balance-allowance', undefined, query);
    expect(shares.json.balance).toBe('10000000');
  }
});

test('an order for a wallet of another owner is rejected with every signature type and signer', async () => {
  for (const [wallet] of walletsOf(victim.owner)) {
    for (const type of signatureTypes) {
      for (const signer of [thief.owner, victim.owner, wallet]) {
        const order = orderFrom(thief.owner, wallet, type, { signer });
        const reply = await post(thief, order, await sign(order, thief.account));
        expectRefusal(reply, /^(maker address not allowed|the order signer address)/, `${wallet} ${type} ${signer}`);
      }
    }
  }
});

test('a bound wallet trades only for its owner and only with the bound signature type', async () => {
  for (const type of [1, 2, 3] as const) {
    const wallet = newAccount().address.toLowerCase();
    const early = orderFrom(victim.owner, wallet, type);
    expectRefusal(await post(victim, early, await sign(early, victim.account)), WALLET_REFUSED, 'before it is bound');
    await bind(victim.owner, wallet, type);
    await admin(world.url, 'POST', '/admin/deposits', { address: wallet, amount: '100' });
    for (const claimed of signatureTypes) {
      const stolen = orderFrom(thief.owner, wallet, claimed);
      expectRefusal(await post(thief, stolen, await sign(stolen, thief.account)), /belongs to another owner/, claimed);
      const own = orderFrom(victim.owner, wallet, claimed);
      const reply = await post(victim, own, await sign(own, victim.account));
      if (claimed === type) await expectToRest(victim, reply, wallet);
      else expectRefusal(reply, WALLET_REFUSED, `bound as ${type}, claimed as ${claimed}`);
    }
    // The thief's signature on the victim's own order does not help either.
    const forged = orderFrom(victim.owner, wallet, type);
    expectRefusal(await post(victim, forged, await sign(forged, thief.account)), SIGNATURE_REFUSED);
  }
});

test('binding a wallet to another owner shuts out the former owner and removes its open orders', async () => {
  for (const type of [1, 2, 3] as const) {
    const wallet = walletOfType(thief.owner, type);
    const open = orderFrom(thief.owner, wallet, type);
    const resting = await post(thief, open, await sign(open, thief.account));
    expect(resting.json.status).toBe('live');
    await bind(victim.owner, wallet, type);
    expect((await thief.client.getOrder(resting.json.orderID)).status).toBe('CANCELED');
    const order = orderFrom(thief.owner, wallet, type);
    expectRefusal(await post(thief, order, await sign(order, thief.account)), /belongs to another owner/, type);
    const query = `?asset_type=COLLATERAL&signature_type=${type}`;
    expect((await signedRaw(thief, 'GET', '/balance-allowance', undefined, query)).json.balance).toBe('0');
    const taken = orderFrom(victim.owner, wallet, type);
    await expectToRest(victim, await post(victim, taken, await sign(taken, victim.account)), wallet);
  }
});

test('a derived wallet bound to another owner before its own key connects stays bound', async () => {
  const key = generatePrivateKey();
  const wallet = walletOfType(privateKeyToAccount(key).address.toLowerCase(), 2);
  await bind(victim.owner, wallet, 2);
  const late = await newTrader(world.url, 0, key);
  await admin(world.url, 'POST', '/admin/deposits', { address: wallet, amount: '100' });
  const order = orderFrom(victim.owner, wallet, 2);
  await expectToRest(victim, await post(victim, order, await sign(order, victim.account)), wallet);
  const stolen = orderFrom(late.owner, wallet, 2);
  expectRefusal(await post(late, stolen, await sign(stolen, late.account)), /belongs to another owner/);
});

test('an order with maker and signer swapped is rejected', async () => {
  for (const [wallet, type] of walletsOf(thief.owner).slice(1)) {
    const swapped = orderFrom(thief.owner, thief.owner, type, { signer: wallet });
    expectRefusal(await post(thief, swapped, await sign(swapped, thief.account)), SIGNER_REFUSED, `type ${type}`);
    if (type === 3) continue; // here one address is both
    const right = orderFrom(thief.owner, wallet, type);
    const signature = await sign(right, thief.account);
    const later = { ...right, maker: right.signer, signer: right.maker };
    expectRefusal(await post(thief, later, signature), SIGNER_REFUSED, `type ${type}, after signing`);
  }
});

test('a signed order is rejected under any other API key and for any other owner', async () => {
  for (const type of signatureTypes) {
    const order = orderFrom(victim.owner, walletOfType(victim.owner, type), type);
    const signature = await sign(order, victim.account);
    expectRefusal(await post(thief, order, signature, victim.apiKey), /^the order owner has to be/, type);
    expectRefusal(await post(thief, order, signature), type === 3 ? WALLET_REFUSED : SIGNER_REFUSED, type);
    expectRefusal(await post(victim, order, signature, thief.apiKey), /^the order owner has to be/, type);
    const body = bodyOf(order, signature, victim.apiKey);
    const unsigned = await send(world.url, 'POST', '/order', body, { POLY_ADDRESS: victim.owner });
    expect(unsigned.status).toBe(401);
    // An order that the victim has placed cannot be placed again, by anybody.
    const placed = await post(victim, order, signature);
    expect(placed.json.status).toBe('live');
    expectRefusal(await post(victim, order, signature), /Duplicated/, type);
    expectRefusal(await post(thief, order, signature), type === 3 ? WALLET_REFUSED : SIGNER_REFUSED, type);
    expect((await victim.client.cancelAll()).canceled).toEqual([placed.json.orderID]);
    expectRefusal(await post(victim, order, signature), /Duplicated/, type);
  }
});

test('a batch rejects each stolen order and accepts the order of the caller', async () => {
  const own = orderFrom(thief.owner, thief.owner, 0);
  const bodies = [bodyOf(own, await sign(own, thief.account), thief.apiKey)];
  for (const [wallet, type] of walletsOf(victim.owner)) {
    const signed = orderFrom(victim.owner, wallet, type);
    bodies.push(bodyOf(signed, await sign(signed, victim.account), thief.apiKey));
    const forged = orderFrom(thief.owner, wallet, type);
    bodies.push(bodyOf(forged, await sign(forged, thief.account), thief.apiKey));
  }
  const { status, json } = await signedRaw(thief, 'POST', '/orders', bodies);
  expect([status, json.length, json[0].status]).toEqual([200, bodies.length, 'live']);
  for (const { orderID, errorMsg } of json.slice(1)) {
    expect([orderID, errorMsg]).toEqual(['', expect.stringMatching(/^(maker address not allowed|the order signer)/)]);
  }
  expect((await thief.client.cancelAll()).canceled).toEqual([json[0].orderID]);
});
