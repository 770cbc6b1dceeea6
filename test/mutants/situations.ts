// The situations of a crowd besides its many orders, each with the commands that bring it about: reservations that are
// covered exactly, ids that collide, dust, extreme orders. Used by crowd.ts.
import { SLICE_MS } from '../../engine/core/idWindow.ts';
import { MarketField, OrderFlag, OrderType, Side } from '../../engine/protocol/index.ts';
import { hex, orderIdOf } from '../model/names.ts';
import {
  addressOf,
  createMarket,
  deposit,
  HOUR_MS,
  keyOf,
  MARKETS,
  ORDERS,
  OWNERS,
  placeOrder,
  type Take,
  terms,
} from './offers.ts';

/** One owner puts hundreds of orders on both sides of a market and then crosses its own. */
export function sweepOwn(take: Take, tMs: number): void {
  const wallet = addressOf(3);
  const by = { keyId: keyOf(3), maker: wallet, marketIndex: 2 };
  deposit(take, tMs, wallet, 90_000_000_000);
  for (let at = 0; at < 300; at += 1) {
    const amounts = { makerAmountMicro: 5 * (4_000 - (at % 60) * 10), takerAmountMicro: 50_000 };
    placeOrder(take, tMs, { ...by, orderId: orderIdOf(ORDERS + 100 + at), ...amounts });
  }
  const amounts = { makerAmountMicro: 9_000 * 6_800, takerAmountMicro: 90_000_000 };
  placeOrder(take, tMs, { ...by, orderId: orderIdOf(ORDERS + 900), outcome: 1, ...amounts });
}

/** An owner who trades in a market places orders that are ordinary except for one value, which is just beyond a limit. */
export function placeJustBeyondLimits(take: Take, tMs: number): void {
  const by = { keyId: keyOf(3), maker: addressOf(3), marketIndex: 3 };
  let label = ORDERS + 8_000;
  const offer = (outcome: number, side: number, moneyMicro: number, sharesMicro: number, expirationS = 0): void => {
    const [makerAmountMicro, takerAmountMicro] = side === 0 ? [moneyMicro, sharesMicro] : [sharesMicro, moneyMicro];
    const order = { outcome, side, makerAmountMicro, takerAmountMicro, expirationS };
    placeOrder(take, tMs, { orderId: orderIdOf(label), ...by, ...order });
    label += 1;
  };
  for (const outcome of [0, 1]) {
    // A bid far below all others, and an ask far above them: as they are, at a price between two ticks, at 0 and at 1.
    for (const [side, pips] of [0, 1].map((at) => [at, at === 0 ? 100 : 9_900])) {
      offer(outcome, side, 4 * pips, 40_000);
      offer(outcome, side, 4 * (pips - 50), 40_000);
      offer(outcome, side, 0, 40_000);
      offer(outcome, side, 40_000, 40_000);
      offer(outcome, side, 2.5 * pips, 25_000);
      offer(outcome, side, 4 * pips, 40_000, Math.ceil(tMs / 1_000) + 600);
    }
  }
}

/** A balance falls to exactly what one of two orders reserves: that one stays. */
export function coverExactly(take: Take, tMs: number): void {
  const [wallet, seller] = [addressOf(OWNERS + 1), addressOf(OWNERS + 2)];
  const keyId = keyOf(OWNERS + 1);
  const order = (label: number, maker: string, marketIndex: number, side: number, lots: number): void =>
    placeOrder(take, tMs, {
      ...{ orderId: orderIdOf(ORDERS + 2_000 + label), keyId, maker, marketIndex, side },
      makerAmountMicro: side === Side.BUY ? lots * 1_000 : lots * 10_000,
      takerAmountMicro: side === Side.BUY ? lots * 10_000 : lots * 1_000,
    });
  const [reserving, paying] = [MARKETS + 3, MARKETS + 4];
  for (const marketIndex of [reserving, paying]) createMarket(take, tMs, marketIndex);
  deposit(take, tMs, wallet, 100_000);
  deposit(take, tMs, seller, 5_000_000);
  const by = { wallet: seller, owner: seller, keyId, marketIndex: paying, flags: 0 };
  take(tMs, { type: 'Split', ...by, amountMicro: 4_000_000 });
  order(1, wallet, reserving, Side.BUY, 60);
  order(2, wallet, reserving, Side.BUY, 40);
  order(3, wallet, paying, Side.BUY, 40);
  order(4, seller, paying, Side.SELL, 40);
}

/** Odd shares of a market that resolves 50/50: the last redemption leaves a micro as dust. */
export function leaveDust(take: Take, tMs: number): void {
  const wallets = [addressOf(OWNERS + 3), `0x${hex(2, 40)}`];
  createMarket(take, tMs, MARKETS);
  const who = { wallet: wallets[0], owner: wallets[0] };
  take(tMs, { type: 'FaucetShares', ...who, marketIndex: MARKETS, outcome: 0, amountMicro: 3 });
  take(tMs, { type: 'ResolveMarket', marketIndex: MARKETS, resolution: 2 });
  for (const wallet of wallets) {
    take(tMs, { type: 'Redeem', wallet, owner: wallet, keyId: keyOf(OWNERS + 3), marketIndex: MARKETS, flags: 0 });
  }
}

/**
 * Delayed orders of two markets are released at once, and each meets an order of its own owner, whose reservation pays the
 * fee: that money was withdrawn.
 */
export function releaseIntoOwn(take: Take, tMs: number): void {
  for (const marketIndex of [MARKETS + 1, MARKETS + 2]) {
    const [buyer, seller] = [addressOf(OWNERS + 2 * marketIndex), addressOf(OWNERS + 2 * marketIndex + 1)];
    const keyId = keyOf(OWNERS + 4);
    /** 100 lots at 0.50. */
    const order = (label: number, maker: string, outcome: number, side: number) =>
      placeOrder(take, tMs, {
        ...{ orderId: orderIdOf(ORDERS + 100 * marketIndex + label), keyId, maker, marketIndex, outcome, side },
        makerAmountMicro: side === Side.BUY ? 500_000 : 1_000_000,
        takerAmountMicro: side === Side.BUY ? 1_000_000 : 500_000,
      });
    createMarket(take, tMs, marketIndex, { tickPips: 100, delaySeconds: 3 });
    deposit(take, tMs, buyer, 1_010_000);
    deposit(take, tMs, seller, 4_000_000);
    take(tMs, { type: 'Split', wallet: seller, owner: seller, keyId, marketIndex, amountMicro: 1_000_000, flags: 0 });
    order(1, buyer, 1, Side.BUY);
    order(2, seller, 0, Side.SELL);
    order(3, buyer, 0, Side.BUY);
    take(tMs, { type: 'Withdraw', wallet: buyer, owner: buyer, amountMicro: 10_000 });
  }
  take(tMs + 4_000, { type: 'Tick' });
}

/** Three orders whose ids differ, but hash to the same entry of the pool: each is canceled by its own id. */
export function collideIds(take: Take, tMs: number): void {
  const owner = addressOf(0);
  const by = { keyId: keyOf(0), owner };
  const idOf = (first: string, rest: number): string => `0x${first}${hex(rest, 48)}`;
  const [first, second, third] = [
    idOf('5555555500000000', 1),
    idOf('5455555580000000', 1),
    idOf('66666666000012ae', 1),
  ];
  const order = { ...by, maker: owner, marketIndex: 0, makerAmountMicro: 10_000, takerAmountMicro: 100_000 };
  const place = (orderId: string): void => placeOrder(take, tMs, { ...order, orderId });
  const cancel = (orderId: string): void => take(tMs, { type: 'CancelOrders', ...by, items: [orderId] });
  place(first);
  place(second);
  cancel(first);
  // The third order gets the first one's slot, and comes after the second in the probe sequence.
  place(third);
  cancel(second);
  cancel(third);
}

/** Ids repeated after others of earlier and later seconds, and after a table of ids has grown: each is remembered. */
export function repeatIdsLater(take: Take, tMs: number): void {
  const by = { maker: addressOf(0), keyId: keyOf(0), marketIndex: 0 };
  const order = { ...by, makerAmountMicro: 10_000, takerAmountMicro: 100_000 };
  const place = (orderId: string, timestampMs: number, atMs: number): void =>
    placeOrder(take, atMs, { ...order, orderId, timestampMs });
  const idOf = (first: string, label: number): string => `0x${first}${hex(label, 64 - first.length)}`;
  const early = idOf('77777777', 1);
  place(idOf('77777777', 2), tMs, tMs);
  place(early, tMs - 9_000, tMs);
  place(idOf('77777777', 3), tMs + 9_000, tMs + 9_000);
  place(early, tMs - 9_000, tMs + 9_000);
  // The first word of one id is 0, which marks a free entry.
  for (let label = 0; label < 60; label += 1) {
    place(idOf(label === 0 ? '00000000' : hex(0x1111_1111 + label * 0x0123_4567, 8), label), tMs, tMs + 9_000);
  }
  place(idOf('00000000', 0), tMs, tMs + 9_000);
}

/**
 * An order waits out its delay while its market gets a coarser tick and
 * its maker leaves: it rests off the tick, and trades at its price.
 */
export function coarsenMeanwhile(take: Take, tMs: number): void {
  const marketIndex = MARKETS + 7;
  // All words of its address differ: each of them counts when it cancels.
  const buyer = `0x${[1, 2, 3, 4, 5].map((word) => hex(word * 0x1111_1111, 8)).join('')}`;
  const seller = addressOf(OWNERS + 11);
  const keyId = keyOf(OWNERS + 10);
  const market = { ...terms, delaySeconds: 3 };
  createMarket(take, tMs, marketIndex, market);
  for (const owner of [buyer, seller]) deposit(take, tMs, owner, 9_000_000);
  take(tMs, { type: 'Split', wallet: seller, owner: seller, keyId, marketIndex, amountMicro: 1_000_000, flags: 0 });
  const sale = { keyId, maker: seller, marketIndex, side: Side.SELL, timestampMs: tMs };
  const [shares, money] = [1_000_000, 501_000];
  const [asked, bid, sold] = [orderIdOf(ORDERS + 7_300), orderIdOf(ORDERS + 7_301), orderIdOf(ORDERS + 7_310)];
  placeOrder(take, tMs, { ...sale, orderId: asked, makerAmountMicro: shares, takerAmountMicro: money });
  take(tMs + 4_000, { type: 'Tick' });
  placeOrder(take, tMs + 4_000, {
    ...{ orderId: bid, keyId, maker: buyer, marketIndex, timestampMs: tMs },
    ...{ makerAmountMicro: money, takerAmountMicro: shares },
  });
  take(tMs + 4_000, { type: 'CancelAll', owner: seller, keyId });
  take(tMs + 4_000, { type: 'UpdateMarket', marketIndex, mask: MarketField.TICK, ...market, tickPips: 100 });
  take(tMs + 9_000, { type: 'Tick' });
  placeOrder(take, tMs + 9_000, { ...sale, orderId: sold, makerAmountMicro: 500_000, takerAmountMicro: 250_000 });
  take(tMs + 13_000, { type: 'Tick' });
  take(tMs + 13_000, { type: 'CancelOrders', owner: buyer, keyId, items: [bid] });
}

/**
 * The automatic tick is turned on for a market whose best bid is already near the end of the range; then a market that
 * does not exist is resolved.
 */
export function refineByUpdate(take: Take, tMs: number): void {
  const marketIndex = MARKETS + 8;
  const buyer = addressOf(OWNERS + 12);
  const market = { ...terms, tickPips: 100 };
  createMarket(take, tMs, marketIndex, market);
  deposit(take, tMs, buyer, 9_000_000);
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(ORDERS + 7_400), keyId: keyOf(OWNERS + 12), maker: buyer, marketIndex },
    ...{ makerAmountMicro: 970_000, takerAmountMicro: 1_000_000 },
  });
  take(tMs, { type: 'UpdateMarket', marketIndex, mask: MarketField.AUTO_TICK, ...market, autoTick: 1 });
  take(tMs, { type: 'ResolveMarket', marketIndex: 60_000, resolution: 0 });
}

/** Orders signed at the very end of a slice of ids and on either side of it; then the same one again. */
export function repeatAtSliceEnd(take: Take, tMs: number): void {
  const endMs = Math.ceil(tMs / SLICE_MS) * SLICE_MS;
  const wallet = addressOf(OWNERS + 44);
  deposit(take, endMs, wallet, 9_000_000);
  for (const offMs of [-2, -1, 0, 1_000, 0]) {
    placeOrder(take, endMs, {
      ...{ orderId: orderIdOf(ORDERS + 9_000 + offMs), keyId: keyOf(OWNERS + 44), maker: wallet, marketIndex: 2 },
      ...{ timestampMs: endMs + offMs, makerAmountMicro: 10_000, takerAmountMicro: 1_000_000 },
    });
  }
}

/** A tick becomes coarser than a resting price: a new order at such a price is refused. */
export function offerBetweenTicks(take: Take, tMs: number): void {
  const marketIndex = MARKETS + 10;
  const buyer = addressOf(OWNERS + 43);
  const by = { keyId: keyOf(OWNERS + 43), maker: buyer, marketIndex };
  createMarket(take, tMs, marketIndex);
  deposit(take, tMs, buyer, 9_000_000);
  for (const [at, pips] of [4_050, 3_050].entries()) {
    const amounts = { makerAmountMicro: 100 * pips, takerAmountMicro: 1_000_000 };
    placeOrder(take, tMs, { ...by, orderId: orderIdOf(ORDERS + 7_480 + at), ...amounts });
    take(tMs, { type: 'UpdateMarket', marketIndex, mask: MarketField.TICK, ...terms, tickPips: 100 });
  }
}

/**
 * A delayed order rests at so high a price that its market's tick
 * becomes finer, before the command of that time has any effect.
 */
export function refineAtRelease(take: Take, tMs: number): void {
  const marketIndex = MARKETS + 9;
  const [seller, buyer] = [addressOf(OWNERS + 40), addressOf(OWNERS + 41)];
  const by = { keyId: keyOf(OWNERS + 40), marketIndex };
  createMarket(take, tMs, marketIndex, { tickPips: 100, autoTick: 1, delaySeconds: 3 });
  for (const wallet of [seller, buyer]) deposit(take, tMs, wallet, 9_000_000);
  take(tMs, { type: 'Split', wallet: seller, owner: seller, ...by, amountMicro: 1_000_000, flags: 0 });
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(ORDERS + 7_450), maker: seller, ...by, side: Side.SELL },
    ...{ makerAmountMicro: 1_000_000, takerAmountMicro: 970_000 },
  });
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(ORDERS + 7_451), maker: buyer, ...by },
    ...{ makerAmountMicro: 1_940_000, takerAmountMicro: 2_000_000 },
  });
  deposit(take, tMs + 3_000, seller, 1);
}

/** Orders of later and later hours: with each of them the ids of more hours are forgotten. */
export function forgetIdsByHour(take: Take, tMs: number, hours: readonly number[]): void {
  const wallet = addressOf(OWNERS + 42);
  deposit(take, tMs, wallet, 9_000_000);
  for (const [at, hour] of hours.entries()) {
    placeOrder(take, tMs + hour * HOUR_MS, {
      ...{ orderId: orderIdOf(ORDERS + 7_460 + at), keyId: keyOf(OWNERS + 42), maker: wallet, marketIndex: 2 },
      ...{ makerAmountMicro: 10_000, takerAmountMicro: 100_000 },
    });
  }
}

/** Half of all shares is paid in a market that resolves 50/50, for an odd number of each token too. */
export function redeemOddShares(take: Take, tMs: number): void {
  const wallet = addressOf(OWNERS + 8);
  const marketIndex = MARKETS + 6;
  const by = { wallet, owner: wallet, keyId: keyOf(OWNERS + 8), marketIndex, flags: 0 };
  createMarket(take, tMs, marketIndex);
  deposit(take, tMs, wallet, 5_000_001);
  take(tMs, { type: 'Split', ...by, amountMicro: 1_000_001 });
  take(tMs, { type: 'ResolveMarket', marketIndex, resolution: 2 });
  take(tMs, { type: 'Redeem', ...by });
}

/** Keys that differ in one word each, in turns: the silent one loses its orders, the others keep theirs. */
export function lapseOneKey(take: Take, tMs: number): void {
  const owner = addressOf(OWNERS + 6);
  const marketIndex = MARKETS + 5;
  const keyWith = (odd: number): string => `0x${[0, 1, 2, 3].map((word) => hex(word === odd ? 5 : 9, 8)).join('')}`;
  const silent = keyWith(-1);
  createMarket(take, tMs, marketIndex);
  deposit(take, tMs, owner, 10_000_000);
  const ids = { given: `0x${hex(0, 32)}`, next: `0x${hex(1, 32)}` };
  take(tMs, { type: 'Heartbeat', owner, keyId: silent, ...ids, refresh: 0 });
  take(tMs, { type: 'Heartbeat', owner, keyId: silent, ...ids, refresh: 0 }); // refused: it gives another id than the next
  for (const [at, keyId] of [0, 1, 2, 3].flatMap((odd) => [silent, keyWith(odd)]).entries()) {
    placeOrder(take, tMs, {
      ...{ orderId: orderIdOf(ORDERS + 7_100 + at), keyId, maker: owner, marketIndex },
      ...{ makerAmountMicro: 10_000, takerAmountMicro: 100_000 },
    });
  }
}

/** Extreme orders: a micro on one side, the maximum of lots, and one lot more. */
export function placeExtremeOrders(take: Take, tMs: number): void {
  const by = { keyId: keyOf(3), maker: addressOf(3), marketIndex: 2 };
  const amounts: readonly (readonly [side: number, orderType: number, maker: number, taker: number, flags?: number])[] =
    [
      [0, 2, 1, 10_000],
      [0, 2, 50, 100],
      [1, 2, 10_000, 1],
      [1, 0, 1, 10_000],
      [0, 0, 10_000_000_000, 10_000_000_000_000],
      // The fast path and the general path have separate checks of these limits.
      [0, 0, 10_000_000_000, 10_000_000_000_000, OrderFlag.POST_ONLY],
      [0, 0, 10_000_000_010, 10_000_000_010_000],
    ];
  for (const [at, [side, orderType, makerAmountMicro, takerAmountMicro, flags = 0]] of amounts.entries()) {
    const orderId = orderIdOf(ORDERS + 6_000 + at);
    placeOrder(take, tMs, { ...by, orderId, side, orderType, makerAmountMicro, takerAmountMicro, flags });
  }
}

/**
 * An owner's newest wallet moves to another owner, and the owner cancels the orders of its older wallet: the only order in
 * a market, at the lowest price. In between its tick is made coarser and fine again, which the order survives: somebody
 * sells to it.
 */
export function moveNewestWallet(take: Take, tMs: number): void {
  const [owner, newest, other] = [addressOf(OWNERS + 50), addressOf(OWNERS + 51), addressOf(OWNERS + 52)];
  const marketIndex = MARKETS + 21;
  const keyId = keyOf(OWNERS + 50);
  createMarket(take, tMs, marketIndex);
  deposit(take, tMs, owner, 1_000_000);
  take(tMs, { type: 'Deposit', wallet: newest, owner, amountMicro: 1_000_000, isFaucet: 0 });
  deposit(take, tMs, other, 1_000_000);
  take(tMs, { type: 'Split', wallet: other, owner: other, keyId, marketIndex, flags: 0, amountMicro: 1_000_000 });
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(ORDERS + 8_700), keyId, maker: owner, marketIndex },
    ...{ makerAmountMicro: 1_000, takerAmountMicro: 1_000_000 },
  });
  for (const tickPips of [100, 10]) {
    take(tMs, { type: 'UpdateMarket', marketIndex, mask: MarketField.TICK, ...terms, tickPips });
  }
  placeOrder(take, tMs, {
    ...{ orderId: orderIdOf(ORDERS + 8_701), keyId, maker: other, marketIndex },
    ...{ side: Side.SELL, orderType: OrderType.FAK, makerAmountMicro: 10_000, takerAmountMicro: 10 },
  });
  take(tMs, { type: 'BindWallet', owner: other, wallet: newest, signatureType: 2 });
  take(tMs, { type: 'CancelAll', owner, keyId });
}
