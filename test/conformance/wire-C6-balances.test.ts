// Interface C.6 through the official client: balances of collateral and of each token are exact after every kind of fill,
// at every fee, for both parties, and money is neither created nor lost. A ledger beside the test adds everything up.
import { AssetType, Chain, getContractConfig } from '@polymarket/clob-client-v2';
import { getAddress } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { generator } from './generator.ts';
import { world } from './ownWorld.ts';
import { flowOf } from './snapshot.ts';
import {
  type Balances,
  balancesOf,
  CREDIT_MICRO,
  createMarket,
  feeMicro,
  giveShares,
  limit,
  newTrader,
  Side,
  type Trader,
  take,
} from './world.ts';

let maker: Trader;
let taker: Trader;
beforeAll(async () => {
  [maker, taker] = await Promise.all([newTrader(world.url), newTrader(world.url, 1)]);
});

interface Fill {
  readonly name: string;
  readonly takerSide: Side;
  readonly takerToken: 'yes' | 'no';
  readonly makerSide: Side;
  readonly makerToken: 'yes' | 'no';
}
const fills: readonly Fill[] = (['yes', 'no'] as const).flatMap((token) => {
  const other = token === 'yes' ? 'no' : 'yes';
  const own = { takerToken: token, makerToken: token } as const;
  const across = { takerToken: token, makerToken: other } as const;
  return [
    { name: `BUY ${token} from a seller`, takerSide: Side.BUY, makerSide: Side.SELL, ...own },
    { name: `SELL ${token} to a buyer`, takerSide: Side.SELL, makerSide: Side.BUY, ...own },
    { name: `BUY ${token} with a buyer of ${other}`, takerSide: Side.BUY, makerSide: Side.BUY, ...across },
    { name: `SELL ${token} with a seller of ${other}`, takerSide: Side.SELL, makerSide: Side.SELL, ...across },
  ];
});

/** Balances of a party after `lots` at `pips` of its own token. */
function settled(before: Balances, side: Side, token: 'yes' | 'no', lots: bigint, pips: bigint, fee: bigint): Balances {
  const sign = side === Side.BUY ? 1n : -1n;
  return {
    ...before,
    collateral: before.collateral - sign * lots * pips - fee,
    [token]: before[token] + sign * lots * 10_000n,
  };
}

const fees = [
  { feeRate: 0, feeExponent: 1 },
  { feeRate: 0.07, feeExponent: 1 },
  { feeRate: 0.0432, feeExponent: 2 },
] as const;
const cases = fills.flatMap((fill) => fees.map((fee) => ({ ...fill, ...fee })));

test.each(cases)('$name at a fee of $feeRate, exponent $feeExponent, is exact to the micro', async (row) => {
  const { feeRate, feeExponent } = row;
  const market = await createMarket(world.url, { tickSize: '0.0001', feeRate, feeExponent, minOrderSize: 1 });
  // Odd figures, so that nothing is exact by accident: 33.33 shares at 0.3337 in the taker's token.
  const takerPips = 3_337;
  const isAcross = row.makerToken !== row.takerToken;
  const makerPips = isAcross ? 10_000 - takerPips : takerPips;
  if (row.makerSide === Side.SELL) await giveShares(world.url, maker, market[row.makerToken], '40');
  if (row.takerSide === Side.SELL) await giveShares(world.url, taker, market[row.takerToken], '40');
  const [makerBefore, takerBefore] = await Promise.all([balancesOf(maker, market), balancesOf(taker, market)]);
  await limit(maker, market, row.makerSide, market[row.makerToken], makerPips / 10_000, 40);
  const reply = await limit(taker, market, row.takerSide, market[row.takerToken], takerPips / 10_000, 33.33);
  expect(reply.status).toBe('matched');
  const fee = feeMicro(3_333, takerPips, Math.round(feeRate * 10_000), feeExponent);
  expect(await balancesOf(taker, market)).toEqual(
    settled(takerBefore, row.takerSide, row.takerToken, 3_333n, BigInt(takerPips), fee),
  );
  expect(await balancesOf(maker, market)).toEqual(
    settled(makerBefore, row.makerSide, row.makerToken, 3_333n, BigInt(makerPips), 0n),
  );
  expect(fee > 0n).toBe(feeRate > 0);
  await maker.client.cancelAll();
});

test('balances follow deposits exactly, the update call changes none, and allowances exceed 2^53', async () => {
  const market = await createMarket(world.url);
  const { client } = taker;
  const before = await balancesOf(taker, market);
  await client.updateBalanceAllowance({ asset_type: AssetType.COLLATERAL });
  await client.updateBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id: market.yes });
  expect(await balancesOf(taker, market)).toEqual(before);
  await giveShares(world.url, taker, market.yes, '0.000001');
  expect(await balancesOf(taker, market)).toEqual({ ...before, yes: 1n });
  const reply = await client.getBalanceAllowance({ asset_type: AssetType.CONDITIONAL, token_id: market.yes });
  expect(reply.balance).toBe('1');
  // Allowances never limit an order: every exchange contract is allowed more than any balance.
  const entries = Object.entries(reply.allowances);
  const { exchangeV2, negRiskExchangeV2, negRiskAdapter } = getContractConfig(Chain.POLYGON);
  expect(Object.keys(reply.allowances)).toEqual(
    expect.arrayContaining([exchangeV2, negRiskExchangeV2, negRiskAdapter].map((spender) => getAddress(spender))),
  );
  for (const [spender, allowance] of entries) {
    expect(spender).toBe(getAddress(spender));
    expect(BigInt(allowance) > 2n ** 53n).toBe(true);
  }
  const funded = await send(world.url, 'POST', '/dev/faucet', { address: taker.wallet, collateral: '0.5' });
  expect(funded.status).toBe(200);
  expect((await balancesOf(taker, market)).collateral).toBe(before.collateral + 500_000n);
});

test('shares that were just bought can be sold in the next request', async () => {
  const market = await createMarket(world.url);
  await giveShares(world.url, maker, market.yes, '50');
  const before = await balancesOf(taker, market);
  for (let round = 0; round < 10; round += 1) {
    await limit(maker, market, Side.SELL, market.yes, 0.5, 5);
    await take(taker, market, Side.BUY, market.yes, 2.5, 0.5);
    await limit(maker, market, Side.BUY, market.yes, 0.4, 5);
    await take(taker, market, Side.SELL, market.yes, 5, 0.4);
  }
  expect(await balancesOf(taker, market)).toEqual({ ...before, collateral: before.collateral - 5_000_000n });
});

test('after 200 random orders every balance equals the sum of its trades', async () => {
  const market = await createMarket(world.url, { tickSize: '0.001', feeRate: 0.05, minOrderSize: 1 });
  const traders = await Promise.all([0, 1, 2, 3].map((type) => newTrader(world.url, type)));
  const random = generator(20_261_121);
  for (const trader of traders) {
    await giveShares(world.url, trader, market.yes, '200');
    await giveShares(world.url, trader, market.no, '200');
  }
  let matchedCount = 0;
  for (let step = 0; step < 200; step += 1) {
    const trader = traders[Math.floor(random() * traders.length)];
    const side = random() < 0.5 ? Side.BUY : Side.SELL;
    const token = random() < 0.5 ? market.yes : market.no;
    const price = Math.round(400 + random() * 200) / 1000;
    const size = Math.round(100 + random() * 1_900) / 100;
    const reply = await limit(trader, market, side, token, price, size).catch((error: Error) => {
      // Small crossing buys and sales of shares no longer held are refused; everything else must be accepted.
      expect(error.message).toMatch(/marketable BUY|not enough balance/);
      return undefined;
    });
    if (reply?.status === 'matched') matchedCount += 1;
  }
  expect(matchedCount).toBeGreaterThan(50);
  for (const trader of traders) {
    const trades = await trader.client.getTrades({ market: market.conditionId });
    const { collateral, shares } = flowOf(trades, trader, [{ ...market, ratePer10k: 500, feeExponent: 1 }]);
    expect(await balancesOf(trader, market)).toEqual({
      collateral: CREDIT_MICRO + collateral,
      yes: 200_000_000n + (shares.get(market.yes) ?? 0n),
      no: 200_000_000n + (shares.get(market.no) ?? 0n),
    });
  }
});
