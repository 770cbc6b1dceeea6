// A long sequence with much of everything, for what small sequences never reach: tables that grow, levels with many orders,
// hundreds of own orders in the way, markets by the hundred, ids of many hours, heartbeats and ends that all fall due at
// once. Used by traces.ts; the core's own answers on it are the measure.
import { AccountFlag, type Command, MarketField } from '../../engine/protocol/index.ts';
import { marketIds, orderIdOf, TIME_ZERO_MS } from '../model/names.ts';
import { Random } from '../model/random.ts';

const OWNERS = 1_200;
const MARKETS = 90;
const ORDERS = 5_000;
const HOUR_MS = 3_600_000;
const CLOSED_ONLY = { mask: AccountFlag.CLOSED_ONLY, flags: AccountFlag.CLOSED_ONLY } as const;
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
const addressOf = (owner: number): string => `0x${hex(Math.imul(owner + 7, 0x9e3779b1) >>> 0, 8)}${hex(owner, 32)}`;
const keyOf = (owner: number): string => `0x${hex(Math.imul(owner + 9, 0x85ebca6b) >>> 0, 8)}${hex(owner, 24)}`;

const terms = {
  ...{ status: 1, negRisk: 0, autoTick: 0, feeExponent: 2, tickPips: 10, feeRate: 300, minOrderLots: 1 },
  ...{ delaySeconds: 0, minMarketableBuyMicro: 0 },
};

/** Hands every command with its time to `take`. */
export function crowd(take: (tMs: number, command: Command) => void): void {
  const random = new Random(77);
  let tMs = TIME_ZERO_MS;
  const settings = { orderWindowMs: 30 * HOUR_MS, heartbeatWindowMs: 60_000, minedDelayMs: 0, confirmedDelayMs: 0 };
  take(tMs, { type: 'Started', rulesVersion: 1, creditMicro: 0, ...settings });
  for (let index = 0; index < MARKETS; index += 1) {
    take(tMs, {
      type: 'CreateMarket',
      eventNumber: 0,
      ...marketIds(index),
      ...terms,
      autoTick: index % 2,
      tickPips: index % 3 === 0 ? 100 : 10,
    });
  }
  for (let owner = 0; owner < OWNERS; owner += 1) {
    const wallet = addressOf(owner);
    take(tMs, { type: 'Deposit', wallet, owner: wallet, amountMicro: 400_000_000, isFaucet: 0 });
    const marketIndex = owner % MARKETS;
    take(tMs, {
      type: 'Split',
      wallet,
      owner: wallet,
      keyId: keyOf(owner),
      marketIndex,
      amountMicro: 50_000_000,
      flags: 0,
    });
    // What is said of the first owners must outlive the growth of their table.
    if (owner === 20) take(tMs, { type: 'SetAccountFlags', owner: addressOf(1), ...CLOSED_ONLY });
    if (owner % 4 === 0) {
      take(tMs, {
        type: 'Heartbeat',
        owner: wallet,
        keyId: keyOf(owner),
        given: `0x${hex(0, 32)}`,
        next: `0x${hex(owner + 1, 32)}`,
        refresh: 0,
      });
    }
  }
  const orderOf = (label: number): Command => {
    const owner = random.chance(10) ? 0 : random.int(0, OWNERS - 1);
    const marketIndex = random.chance(40) ? 0 : random.int(0, MARKETS - 1);
    const outcome = random.int(0, 1);
    const side = owner % MARKETS === marketIndex ? random.int(0, 1) : 0;
    const isUp = (side === 0) === (outcome === 0);
    const ladder = 5_000 + (isUp ? -100 : 100) * random.int(random.chance(12) ? -3 : 1, 30);
    const pips = outcome === 0 ? ladder : 10_000 - ladder;
    const lots = random.int(1, 900);
    const [money, shares] = [lots * pips, lots * 10_000];
    const isGtd = random.chance(25);
    return {
      ...{ type: 'PlaceOrder', orderId: orderIdOf(label), keyId: keyOf(owner) },
      ...{ maker: addressOf(owner), owner: addressOf(owner), marketIndex, outcome, side },
      ...{ orderType: isGtd ? 1 : 0, flags: 0, timestampMs: tMs },
      makerAmountMicro: side === 0 ? money : shares,
      takerAmountMicro: side === 0 ? shares : money,
      expirationS: isGtd ? Math.ceil(tMs / 1000) + 120 + random.int(0, 600) : 0,
    };
  };
  collide(take, tMs);
  repeatLate(take, tMs + 20_000);
  tMs += 40_000;
  let recent: Command[] = [];
  for (let label = 1; label <= ORDERS; label += 1) {
    if (label % 500 === 0) {
      // Every id of the last hours once more: each is remembered.
      for (const order of recent) take(tMs, order);
      recent = [];
    }
    if (label % 500 === 0) tMs += random.int(1, 3) * HOUR_MS;
    else if (random.chance(20)) tMs += random.int(1, 400);
    const order = orderOf(label);
    recent.push(order);
    take(tMs, order);
    if (label % 7 === 0) {
      const owner = random.int(0, OWNERS - 1);
      const items = [orderIdOf(random.int(1, label)), orderIdOf(random.int(1, label))];
      take(tMs, { type: 'CancelOrders', owner: addressOf(owner), keyId: keyOf(owner), items });
    }
  }
  sweepOwn(take, tMs);
  leaveDust(take, tMs);
  askExtremes(take, tMs);
  // The rich owner takes all that is asked in the first market: many makers' other orders are no longer covered.
  const by = { timestampMs: tMs, expirationS: 0, flags: 0, keyId: keyOf(3), maker: addressOf(3), owner: addressOf(3) };
  const sweep = { type: 'PlaceOrder', marketIndex: 0, outcome: 0, side: 0, orderType: 3, ...by } as const;
  take(tMs, { ...sweep, orderId: orderIdOf(ORDERS + 5_000), makerAmountMicro: 9e9, takerAmountMicro: 1e10 });
  for (let index = 1; index < MARKETS; index += 9)
    take(tMs, { type: 'ResolveMarket', marketIndex: index, resolution: index % 3 });
  for (let owner = 0; owner < OWNERS; owner += 11) {
    const wallet = addressOf(owner);
    take(tMs, { type: 'CancelAll', owner: wallet, keyId: keyOf(owner) });
    take(tMs, {
      type: 'Redeem',
      wallet,
      owner: wallet,
      keyId: keyOf(owner),
      marketIndex: 1 + 9 * (owner % 9),
      flags: 0,
    });
  }
  // More owners than there is room for at first have had their credit: it is given once.
  take(tMs, { type: 'Started', rulesVersion: 1, ...settings, creditMicro: 7_000_000 });
  for (const owner of [0, OWNERS - 1, 0, OWNERS - 1]) {
    take(tMs, { type: 'CreditOwner', owner: addressOf(owner), items: [addressOf(owner)] });
  }
  releaseIntoOwn(take, tMs);
  coverExactly(take, tMs);
  lapseOne(take, tMs);
  halveOdd(take, tMs + 600_000);
  coarsenMeanwhile(take, tMs + 600_000);
  take(tMs + 40 * HOUR_MS, { type: 'Tick' });
}

/** One owner puts hundreds of orders on both sides of a market and then walks through its own. */
function sweepOwn(take: (tMs: number, command: Command) => void, tMs: number): void {
  const wallet = addressOf(3);
  const by = {
    keyId: keyOf(3),
    maker: wallet,
    owner: wallet,
    marketIndex: 2,
    flags: 0,
    timestampMs: tMs,
    expirationS: 0,
  };
  take(tMs, { type: 'Deposit', wallet, owner: wallet, amountMicro: 90_000_000_000, isFaucet: 0 });
  for (let at = 0; at < 300; at += 1) {
    const pips = 4_000 - (at % 60) * 10;
    const order = {
      type: 'PlaceOrder',
      orderId: orderIdOf(ORDERS + 100 + at),
      outcome: 0,
      side: 0,
      orderType: 0,
      ...by,
    } as const;
    take(tMs, { ...order, makerAmountMicro: 5 * pips, takerAmountMicro: 50_000 });
  }
  const through = {
    type: 'PlaceOrder',
    orderId: orderIdOf(ORDERS + 900),
    outcome: 1,
    side: 0,
    orderType: 0,
    ...by,
  } as const;
  take(tMs, { ...through, makerAmountMicro: 9_000 * 6_800, takerAmountMicro: 90_000_000 });
}

/** A balance falls to exactly what one of two orders reserves: that one stays. */
function coverExactly(take: (tMs: number, command: Command) => void, tMs: number): void {
  const [wallet, seller] = [addressOf(OWNERS + 1), addressOf(OWNERS + 2)];
  const order = (label: number, owner: string, marketIndex: number, side: number, lots: number): Command => ({
    ...{
      type: 'PlaceOrder',
      orderId: orderIdOf(ORDERS + 2_000 + label),
      keyId: keyOf(OWNERS + 1),
      maker: owner,
      owner,
    },
    ...{ marketIndex, outcome: 0, side, orderType: 0, flags: 0, timestampMs: tMs, expirationS: 0 },
    makerAmountMicro: side === 0 ? lots * 1_000 : lots * 10_000,
    takerAmountMicro: side === 0 ? lots * 10_000 : lots * 1_000,
  });
  const [reserving, paying] = [MARKETS + 3, MARKETS + 4];
  for (const marketIndex of [reserving, paying]) {
    take(tMs, { type: 'CreateMarket', eventNumber: 0, ...marketIds(marketIndex), ...terms });
  }
  take(tMs, { type: 'Deposit', wallet, owner: wallet, amountMicro: 100_000, isFaucet: 0 });
  take(tMs, { type: 'Deposit', wallet: seller, owner: seller, amountMicro: 5_000_000, isFaucet: 0 });
  const sets = { type: 'Split', wallet: seller, owner: seller, keyId: keyOf(OWNERS + 1), flags: 0 } as const;
  take(tMs, { ...sets, marketIndex: paying, amountMicro: 4_000_000 });
  take(tMs, order(1, wallet, reserving, 0, 60));
  take(tMs, order(2, wallet, reserving, 0, 40));
  take(tMs, order(3, wallet, paying, 0, 40));
  take(tMs, order(4, seller, paying, 1, 40));
}

/** Odd shares of a market that ends half and half: the last redemption leaves a micro to the dust. */
function leaveDust(take: (tMs: number, command: Command) => void, tMs: number): void {
  const wallets = [addressOf(OWNERS + 3), `0x${hex(2, 40)}`];
  take(tMs, { type: 'CreateMarket', eventNumber: 0, ...marketIds(MARKETS), ...terms });
  take(tMs, {
    type: 'FaucetShares',
    wallet: wallets[0],
    owner: wallets[0],
    marketIndex: MARKETS,
    outcome: 0,
    amountMicro: 3,
  });
  take(tMs, { type: 'ResolveMarket', marketIndex: MARKETS, resolution: 2 });
  for (const wallet of wallets) {
    take(tMs, { type: 'Redeem', wallet, owner: wallet, keyId: keyOf(OWNERS + 3), marketIndex: MARKETS, flags: 0 });
  }
}

/**
 * Delayed orders of two markets meet one of their own each when they are released, at once: what that one reserves pays the
 * fee, which was withdrawn.
 */
function releaseIntoOwn(take: (tMs: number, command: Command) => void, tMs: number): void {
  for (const marketIndex of [MARKETS + 1, MARKETS + 2]) {
    const [buyer, seller] = [addressOf(OWNERS + 2 * marketIndex), addressOf(OWNERS + 2 * marketIndex + 1)];
    const by = (owner: string) => ({ keyId: keyOf(OWNERS + 4), owner, marketIndex, flags: 0 });
    /** 100 lots at 0.50. */
    const order = (label: number, maker: string, outcome: number, side: number) =>
      take(tMs, {
        ...{
          type: 'PlaceOrder',
          orderId: orderIdOf(ORDERS + 100 * marketIndex + label),
          maker,
          ...by(maker),
          outcome,
          side,
        },
        ...{ orderType: 0, timestampMs: tMs, expirationS: 0 },
        ...{ makerAmountMicro: side === 0 ? 500_000 : 1_000_000, takerAmountMicro: side === 0 ? 1_000_000 : 500_000 },
      });
    const delaying = { ...terms, tickPips: 100, delaySeconds: 3 };
    take(tMs, { type: 'CreateMarket', eventNumber: 0, ...marketIds(marketIndex), ...delaying });
    take(tMs, { type: 'Deposit', wallet: buyer, owner: buyer, amountMicro: 1_010_000, isFaucet: 0 });
    take(tMs, { type: 'Deposit', wallet: seller, owner: seller, amountMicro: 4_000_000, isFaucet: 0 });
    take(tMs, { type: 'Split', wallet: seller, ...by(seller), amountMicro: 1_000_000 });
    order(1, buyer, 1, 0);
    order(2, seller, 0, 1);
    order(3, buyer, 0, 0);
    take(tMs, { type: 'Withdraw', wallet: buyer, owner: buyer, amountMicro: 10_000 });
  }
  take(tMs + 4_000, { type: 'Tick' });
}

/** The ids of the first two orders differ, and are looked up at the same place of the pool: each is canceled by its own. */
function collide(take: (tMs: number, command: Command) => void, tMs: number): void {
  const owner = addressOf(0);
  const by = { keyId: keyOf(0), owner };
  const ids = ['5555555500000000', '5455555580000000'].map((first) => `0x${first}${hex(1, 48)}`);
  for (const orderId of ids) {
    take(tMs, {
      ...{
        type: 'PlaceOrder',
        orderId,
        maker: owner,
        ...by,
        marketIndex: 0,
        outcome: 0,
        side: 0,
        orderType: 0,
        flags: 0,
      },
      ...{ timestampMs: tMs, expirationS: 0, makerAmountMicro: 10_000, takerAmountMicro: 100_000 },
    });
  }
  for (const orderId of ids) take(tMs, { type: 'CancelOrders', ...by, items: [orderId] });
}

/** Ids that come again after others of earlier and later seconds, and after a table of ids has grown: each is remembered. */
function repeatLate(take: (tMs: number, command: Command) => void, tMs: number): void {
  const owner = addressOf(0);
  const by = { maker: owner, owner, keyId: keyOf(0), marketIndex: 0, outcome: 0, side: 0, orderType: 0, flags: 0 };
  const place = (orderId: string, timestampMs: number, atMs: number): void =>
    take(atMs, {
      ...{ type: 'PlaceOrder', ...by, orderId, timestampMs },
      ...{ expirationS: 0, makerAmountMicro: 10_000, takerAmountMicro: 100_000 },
    });
  const idOf = (first: string, label: number): string => `0x${first}${hex(label, 64 - first.length)}`;
  const early = idOf('77777777', 1);
  place(idOf('77777777', 2), tMs, tMs);
  place(early, tMs - 9_000, tMs);
  place(idOf('77777777', 3), tMs + 9_000, tMs + 9_000);
  place(early, tMs - 9_000, tMs + 9_000);
  // The first word of one is 0, which marks a free place.
  for (let label = 0; label < 60; label += 1) {
    place(idOf(label === 0 ? '00000000' : hex(0x1111_1111 + label * 0x0123_4567, 8), label), tMs, tMs + 9_000);
  }
  place(idOf('00000000', 0), tMs, tMs + 9_000);
}

/**
 * An order waits out a delay while its market gets a coarser tick and its maker leaves: it comes to rest off the tick, and
 * trades at its price.
 */
function coarsenMeanwhile(take: (tMs: number, command: Command) => void, tMs: number): void {
  const marketIndex = MARKETS + 7;
  // Every word of its address is another: all of them count when it cancels.
  const buyer = `0x${[1, 2, 3, 4, 5].map((word) => hex(word * 0x1111_1111, 8)).join('')}`;
  const seller = addressOf(OWNERS + 11);
  const by = (owner: string) => ({ keyId: keyOf(OWNERS + 10), owner, marketIndex, flags: 0 });
  const market = { ...terms, tickPips: 10, delaySeconds: 3 };
  take(tMs, { type: 'CreateMarket', eventNumber: 0, ...marketIds(marketIndex), ...market });
  for (const owner of [buyer, seller]) {
    take(tMs, { type: 'Deposit', wallet: owner, owner, amountMicro: 9_000_000, isFaucet: 0 });
  }
  take(tMs, { type: 'Split', wallet: seller, ...by(seller), amountMicro: 1_000_000 });
  for (const [side, owner] of [seller, buyer].entries()) {
    take(tMs + 4_000 * side, {
      ...{ type: 'PlaceOrder', orderId: orderIdOf(ORDERS + 7_300 + side), maker: owner, ...by(owner) },
      ...{ outcome: 0, side: 1 - side, orderType: 0, timestampMs: tMs, expirationS: 0 },
      ...(side === 0
        ? { makerAmountMicro: 1_000_000, takerAmountMicro: 501_000 }
        : { makerAmountMicro: 501_000, takerAmountMicro: 1_000_000 }),
    });
    if (side === 0) take(tMs + 4_000, { type: 'Tick' });
  }
  take(tMs + 4_000, { type: 'CancelAll', owner: seller, keyId: keyOf(OWNERS + 10) });
  take(tMs + 4_000, { type: 'UpdateMarket', marketIndex, mask: MarketField.TICK, ...market, tickPips: 100 });
  take(tMs + 9_000, { type: 'Tick' });
  take(tMs + 9_000, {
    ...{ type: 'PlaceOrder', orderId: orderIdOf(ORDERS + 7_310), maker: seller, ...by(seller), outcome: 0, side: 1 },
    ...{ orderType: 0, timestampMs: tMs, expirationS: 0, makerAmountMicro: 500_000, takerAmountMicro: 250_000 },
  });
  take(tMs + 13_000, { type: 'Tick' });
  const items = [orderIdOf(ORDERS + 7_301)];
  take(tMs + 13_000, { type: 'CancelOrders', owner: buyer, keyId: keyOf(OWNERS + 10), items });
}

/** Half of all shares of a market that ends even is paid: of an odd number of each token, too. */
function halveOdd(take: (tMs: number, command: Command) => void, tMs: number): void {
  const wallet = addressOf(OWNERS + 8);
  const marketIndex = MARKETS + 6;
  const by = { wallet, owner: wallet, keyId: keyOf(OWNERS + 8), marketIndex, flags: 0 };
  take(tMs, { type: 'CreateMarket', eventNumber: 0, ...marketIds(marketIndex), ...terms });
  take(tMs, { type: 'Deposit', wallet, owner: wallet, amountMicro: 5_000_001, isFaucet: 0 });
  take(tMs, { type: 'Split', ...by, amountMicro: 1_000_001 });
  take(tMs, { type: 'ResolveMarket', marketIndex, resolution: 2 });
  take(tMs, { type: 'Redeem', ...by });
}

/** Keys that differ in one word each, by turns: the one that falls silent loses its orders, the others keep theirs. */
function lapseOne(take: (tMs: number, command: Command) => void, tMs: number): void {
  const owner = addressOf(OWNERS + 6);
  const marketIndex = MARKETS + 5;
  const keyWith = (odd: number): string => `0x${[0, 1, 2, 3].map((word) => hex(word === odd ? 5 : 9, 8)).join('')}`;
  const silent = keyWith(-1);
  take(tMs, { type: 'CreateMarket', eventNumber: 0, ...marketIds(marketIndex), ...terms });
  take(tMs, { type: 'Deposit', wallet: owner, owner, amountMicro: 10_000_000, isFaucet: 0 });
  const ids = { given: `0x${hex(0, 32)}`, next: `0x${hex(1, 32)}` };
  take(tMs, { type: 'Heartbeat', owner, keyId: silent, ...ids, refresh: 0 });
  for (const [at, keyId] of [0, 1, 2, 3].flatMap((odd) => [silent, keyWith(odd)]).entries()) {
    take(tMs, {
      ...{ type: 'PlaceOrder', orderId: orderIdOf(ORDERS + 7_100 + at), keyId, maker: owner, owner, marketIndex },
      ...{ outcome: 0, side: 0, orderType: 0, flags: 0, timestampMs: tMs, expirationS: 0 },
      ...{ makerAmountMicro: 10_000, takerAmountMicro: 100_000 },
    });
  }
}

/** Orders at the ends of what an order may be: a micro on one of its sides, and the most lots there are, and one more. */
function askExtremes(take: (tMs: number, command: Command) => void, tMs: number): void {
  const by = { keyId: keyOf(3), maker: addressOf(3), owner: addressOf(3), marketIndex: 2, outcome: 0, flags: 0 };
  const order = { type: 'PlaceOrder', ...by, timestampMs: tMs, expirationS: 0 } as const;
  const amounts: readonly (readonly [side: number, orderType: number, maker: number, taker: number])[] = [
    [0, 2, 1, 10_000],
    [0, 2, 50, 100],
    [1, 2, 10_000, 1],
    [1, 0, 1, 10_000],
    [0, 0, 10_000_000_000, 10_000_000_000_000],
    [0, 0, 10_000_000_010, 10_000_000_010_000],
  ];
  for (const [at, [side, orderType, makerAmountMicro, takerAmountMicro]] of amounts.entries()) {
    const orderId = orderIdOf(ORDERS + 6_000 + at);
    take(tMs, { ...order, orderId, side, orderType, makerAmountMicro, takerAmountMicro });
  }
}
