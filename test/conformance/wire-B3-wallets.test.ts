// Interface B.3 through the official client: orders of every signature type trade from the wallet that belongs to the
// signing key, on ordinary and on neg-risk markets, and from no other wallet. Every balance is read with its own type.
import { AssetType } from '@polymarket/clob-client-v2';
import { generatePrivateKey } from 'viem/accounts';
import { expect, test } from 'vitest';
import { world } from './ownWorld.ts';
import {
  admin,
  balancesOf,
  CREDIT_MICRO,
  clientOf,
  createMarket,
  deriver,
  developmentKey,
  giveShares,
  limit,
  moved,
  newAccount,
  newTrader,
  orderIdOf,
  PUBLISHED_WALLETS,
  refusalOf,
  Side,
  signatureTypes,
  signLimit,
  type Trader,
  take,
} from './world.ts';

test.each([0, 1])('orders of development key %i trade from its published wallets', async (index) => {
  const [proxy, safe, deposit] = PUBLISHED_WALLETS[index];
  const market = await createMarket(world.url);
  const counterparty = await newTrader(world.url);
  for (const [signatureType, wallet] of [
    [1, proxy],
    [2, safe],
    [3, deposit],
  ] as const) {
    const trader = await newTrader(world.url, signatureType, developmentKey(index));
    expect(trader.wallet).toBe(wallet.toLowerCase());
    const before = await balancesOf(trader, market);
    const order = await limit(trader, market, Side.BUY, market.yes, 0.3, 10);
    expect(order.status).toBe('live');
    expect((await trader.client.getOrder(order.orderID)).maker_address.toLowerCase()).toBe(wallet.toLowerCase());
    await giveShares(world.url, counterparty, market.yes, '10');
    await take(counterparty, market, Side.SELL, market.yes, 10, 0.3);
    expect(await balancesOf(trader, market)).toEqual(moved(before, { collateral: '-3', yes: '10' }));
  }
});

for (const negRisk of [false, true]) {
  const kind = negRisk ? 'a neg-risk' : 'an ordinary';
  test.each(signatureTypes)(`signature type %i buys and sells on ${kind} market`, async (signatureType) => {
    const market = await createMarket(world.url, { negRisk });
    const [trader, counterparty] = await Promise.all([newTrader(world.url, signatureType), newTrader(world.url)]);
    expect(await trader.client.getNegRisk(market.yes)).toBe(negRisk);
    const [before, eoaBefore] = await Promise.all([balancesOf(trader, market), balancesOf(counterparty, market)]);

    const order = await signLimit(trader, market, Side.BUY, market.yes, 0.35, 20);
    const reply = await trader.client.postOrder(order);
    expect(reply).toMatchObject({ success: true, status: 'live', orderID: orderIdOf(order, negRisk) });
    const met = await limit(counterparty, market, Side.BUY, market.no, 0.65, 20);
    expect(met).toMatchObject({ status: 'matched', makingAmount: '13', takingAmount: '20' });
    const bought = moved(before, { collateral: '-7', yes: '20' });
    expect(await balancesOf(trader, market)).toEqual(bought);

    await limit(counterparty, market, Side.SELL, market.no, 0.6, 20);
    const sold = await take(trader, market, Side.SELL, market.yes, 20, 0.4);
    expect(sold).toMatchObject({ status: 'matched', makingAmount: '20', takingAmount: '8' });
    expect(await balancesOf(trader, market)).toEqual(moved(bought, { collateral: '8', yes: '-20' }));
    expect((await balancesOf(counterparty, market)).collateral).toBe(eoaBefore.collateral - 1_000_000n);
    const trades = await trader.client.getTrades({ market: market.conditionId });
    expect(trades.map((trade) => [trade.trader_side, trade.maker_address.toLowerCase()])).toEqual([
      ['TAKER', trader.wallet],
      ['MAKER', counterparty.wallet],
    ]);
  });
}

test('the wallets of one key have separate balances, and one list has all orders of the owner', async () => {
  const key = generatePrivateKey();
  const market = await createMarket(world.url);
  const traders: Trader[] = [];
  for (const signatureType of signatureTypes) traders.push(await newTrader(world.url, signatureType, key));
  const sizes = [10, 20, 30, 40];
  const ids: string[] = [];
  for (const [index, trader] of traders.entries()) {
    ids.push((await limit(trader, market, Side.BUY, market.yes, 0.2, sizes[index])).orderID);
  }
  for (const trader of traders) {
    const open = await trader.client.getOpenOrders({ market: market.conditionId });
    expect(open.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(new Set(open.map(({ maker_address }) => maker_address.toLowerCase())).size).toBe(4);
  }
  await giveShares(world.url, traders[3], market.yes, '5');
  const counterparty = await newTrader(world.url);
  await giveShares(world.url, counterparty, market.yes, '25');
  await take(counterparty, market, Side.SELL, market.yes, 25, 0.2);
  const spent = await Promise.all(traders.map((trader) => balancesOf(trader, market)));
  expect(spent.map(({ collateral }) => CREDIT_MICRO - collateral)).toEqual([2_000_000n, 3_000_000n, 0n, 0n]);
  expect(spent.map(({ yes }) => yes)).toEqual([10_000_000n, 15_000_000n, 0n, 5_000_000n]);
  const { canceled } = await traders[2].client.cancelAll();
  expect([...canceled].sort()).toEqual(ids.slice(1).sort());
});

test('the older deposit wallet trades as type 3, and its balance is shown after its first order', async () => {
  const account = newAccount();
  const creds = await clientOf(world.url, account).createApiKey();
  const { depositUups } = deriver.derivedWallets(account.address);
  const options = { creds, signatureType: 3, funderAddress: depositUups, throwOnError: true };
  const client = clientOf(world.url, account, options);
  const uups: Trader = { client, account, owner: account.address, wallet: depositUups, apiKey: creds.key };
  const market = await createMarket(world.url);
  await admin(world.url, 'POST', '/admin/deposits', { address: depositUups, amount: '123.45' });

  const balanceOf = async () => (await client.getBalanceAllowance({ asset_type: AssetType.COLLATERAL })).balance;
  expect(await balanceOf()).toBe('10000000000');
  const order = await limit(uups, market, Side.BUY, market.yes, 0.3, 10);
  expect((await client.getOrder(order.orderID)).maker_address.toLowerCase()).toBe(depositUups);
  expect(await balanceOf()).toBe('10123450000');
});

test('a key cannot trade from the wallet of another owner', async () => {
  const [victim, thief] = [await newTrader(world.url, 2), await newTrader(world.url)];
  const market = await createMarket(world.url);
  const before = await balancesOf(victim, market);
  const { creds } = thief.client;
  if (creds === undefined) throw new Error('The trader has no credentials.');
  for (const signatureType of signatureTypes) {
    const options = { creds, signatureType, funderAddress: victim.wallet, throwOnError: true };
    const client = clientOf(world.url, thief.account, options);
    const refusal = await refusalOf(limit({ ...thief, client }, market, Side.BUY, market.yes, 0.3, 10));
    expect(refusal.status).toBe(400);
    expect(refusal.message).toMatch(/^maker address not allowed/);
  }
  expect(await victim.client.getOpenOrders()).toEqual([]);
  expect(await balancesOf(victim, market)).toEqual(before);
  // The same thief with its own wallet is accepted.
  expect((await limit(thief, market, Side.BUY, market.yes, 0.3, 10)).status).toBe('live');
});

test('an order signed for the other exchange contract is rejected', async () => {
  const trader = await newTrader(world.url);
  const [ordinary, negRisk] = [await createMarket(world.url), await createMarket(world.url, { negRisk: true })];
  for (const market of [ordinary, negRisk]) {
    const asOther = { ...market, negRisk: !market.negRisk };
    const order = await signLimit(trader, asOther, Side.BUY, market.yes, 0.3, 10);
    await expect(trader.client.postOrder(order)).rejects.toThrow('invalid signature');
  }
  expect(await trader.client.getOpenOrders()).toEqual([]);
  expect((await limit(trader, negRisk, Side.BUY, negRisk.yes, 0.3, 10)).status).toBe('live');
});
