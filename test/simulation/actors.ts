// The adversarial profiles of a simulation: each draws commands that one kind of participant, or of trouble, would send. A
// seed mixes several of them. Used by flow.ts. They read only the views and do not judge what is right.
import { type Command, MarketField, MarketStatus, MICRO_MAX, OrderFlag, OrderType, Side } from '../../engine/index.ts';
import { guestNames, keyOf, marketIds, orderIdOf, ownerNames, walletOf } from '../model/names.ts';
import type { Actor } from '../model/profile.ts';
import type { Sight } from './sight.ts';

type Profile = (sight: Sight) => Command | readonly Command[];

/** Most lots that an actor can pay or deliver at a price. */
function affordable(sight: Sight, actor: Actor, market: number, outcome: number, side: number, pips: number): number {
  if (side === Side.BUY) return Math.floor(sight.money(actor) / pips);
  return Math.floor(sight.shares(actor, market, outcome) / 10_000);
}

function ownPips(outcome: number, ladderPips: number): number {
  return outcome === 0 ? ladderPips : 10_000 - ladderPips;
}

/** Quotes on both sides of the centre, in either token, and cancels some of its orders again. */
const maker: Profile = (sight) => {
  const { random } = sight;
  if (random.chance(30)) {
    const order = sight.recent();
    if (order !== undefined) return sight.cancel(order);
  }
  const actor = sight.actor();
  const marketIndex = sight.market();
  const outcome = random.int(0, 1);
  const isUp = random.chance(50);
  let side: number = isUp === (outcome === 0) ? Side.BUY : Side.SELL;
  let token = outcome;
  // An actor that cannot sell a token can buy the other one.
  if (side === Side.SELL && sight.shares(actor, marketIndex, outcome) < 1_000_000) {
    side = Side.BUY;
    token = 1 - outcome;
  }
  const ladder = sight.price(marketIndex, (isUp ? -1 : 1) * random.int(0, 6));
  const pips = ownPips(token, ladder);
  const most = affordable(sight, actor, marketIndex, token, side, pips);
  const lots = Math.max(1, Math.min(most, random.int(1, 400)));
  const flags = random.chance(10) ? OrderFlag.POST_ONLY : 0;
  return sight.order({ actor, marketIndex, outcome: token, side, lots, pips, flags });
};

/** Takes through many levels, by budget or by size. */
const sweeper: Profile = (sight) => {
  const { random } = sight;
  const actor = sight.actor();
  const marketIndex = sight.market();
  const outcome = random.int(0, 1);
  const side = sight.shares(actor, marketIndex, outcome) > 100_000 && random.chance(50) ? Side.SELL : Side.BUY;
  const isUp = (side === Side.BUY) === (outcome === 0);
  const ladder = sight.price(marketIndex, (isUp ? 1 : -1) * random.int(0, 20));
  const pips = ownPips(outcome, ladder);
  const most = affordable(sight, actor, marketIndex, outcome, side, pips);
  const lots = Math.max(1, random.chance(20) ? most : Math.min(most, random.int(1, 3_000)));
  const orderType = random.pick([OrderType.FOK, OrderType.FAK, OrderType.FAK, OrderType.GTC]);
  if (side === Side.SELL || orderType === OrderType.GTC) {
    return sight.order({ actor, marketIndex, outcome, side, lots, pips, orderType });
  }
  const budgetMicro = lots * pips + random.int(0, pips);
  return sight.order({ actor, marketIndex, outcome, side, lots, pips, orderType, budgetMicro });
};

/** Cancels: own orders, those of others, orders that never existed, many at once, all. */
const spammer: Profile = (sight) => {
  const { random } = sight;
  const order = sight.recent();
  const { owner, keys } = sight.actor();
  if (order === undefined || random.chance(4)) return { type: 'CancelAll', owner, keyId: keys[0] };
  if (random.chance(6)) {
    return { type: 'CancelMarket', owner, keyId: keys[0], marketIndex: order.marketIndex, outcome: random.int(0, 2) };
  }
  const items = [order.id];
  while (random.chance(45) && items.length < 12) items.push(sight.recent()?.id ?? order.id);
  if (random.chance(20)) items.push(orderIdOf(random.int(900_000, 900_009)), order.id);
  const by = random.chance(90) ? order.actor : sight.actor();
  return { type: 'CancelOrders', owner: by.owner, keyId: by.keys[0], items };
};

/** The smallest sizes at the outermost prices, and amounts that fit no lot or tick. */
const duster: Profile = (sight) => {
  const { random } = sight;
  const actor = sight.actor();
  const marketIndex = sight.market();
  const tick = sight.tick(marketIndex);
  const outcome = random.int(0, 1);
  const pips = random.pick([tick, 10_000 - tick, sight.price(marketIndex, random.int(-2, 2))]);
  const side = random.pick([Side.BUY, Side.BUY, Side.SELL]);
  const orderType = random.pick([OrderType.GTC, OrderType.FAK]);
  const command = sight.order({ actor, marketIndex, outcome, side, lots: random.int(1, 3), pips, orderType });
  if (command.type !== 'PlaceOrder' || random.chance(60)) return command;
  const makerAmountMicro = command.makerAmountMicro + random.int(0, 20_000);
  return { ...command, makerAmountMicro, takerAmountMicro: command.takerAmountMicro + random.int(0, 3) };
};

/** Changes a market's tick and other terms while orders rest. */
const tickChanger: Profile = (sight) => {
  const { random } = sight;
  const marketIndex = sight.market();
  if (random.chance(70)) return maker(sight);
  const mask = random.pick([
    MarketField.TICK,
    MarketField.TICK,
    MarketField.FEE,
    MarketField.DELAY,
    MarketField.AUTO_TICK,
    MarketField.MIN_ORDER,
    MarketField.MIN_MARKETABLE_BUY,
    MarketField.TICK | MarketField.FEE | MarketField.MIN_ORDER,
  ]);
  return { type: 'UpdateMarket', marketIndex, mask, ...drawTerms(sight) };
};

function drawTerms(sight: Sight) {
  const { random } = sight;
  return {
    status: MarketStatus.OPEN as number,
    negRisk: 0,
    autoTick: random.int(0, 1),
    feeExponent: random.int(1, 4),
    tickPips: random.pick([100, 100, 10, 50, 25, 1]),
    feeRate: random.pick([0, 0, 200, 1_000]),
    minOrderLots: random.pick([1, 1, 1, 5]),
    delaySeconds: random.pick([0, 0, 0, 0, 1, 3]),
    minMarketableBuyMicro: random.pick([0, 0, 50_000]),
  };
}

/** A new market, opened at once; its prices lie around a centre of its own. */
export function newMarket(sight: Sight, index: number): Command {
  const { random } = sight;
  sight.centres[index] = random.pick([5_000, 5_000, 3_300, 9_500, 450, 9_900]);
  return { type: 'CreateMarket', eventNumber: 0, ...marketIds(index), ...drawTerms(sight) };
}

/** Resolves a market while trading goes on, opens another, and redeems. */
const resolver: Profile = (sight) => {
  const { random } = sight;
  const markets = sight.views.markets.list();
  const open = markets.filter(({ status }) => status === MarketStatus.OPEN).length;
  if (open <= 1 || random.chance(20)) {
    return markets.length < 60 ? newMarket(sight, markets.length) : { type: 'Tick' };
  }
  if (random.chance(6)) return { type: 'ResolveMarket', marketIndex: sight.market(), resolution: random.int(0, 2) };
  if (random.chance(4)) {
    const terms = { ...drawTerms(sight), status: MarketStatus.CLOSED };
    return { type: 'UpdateMarket', marketIndex: sight.market(), mask: MarketField.STATUS, ...terms };
  }
  const { owner, wallet, keys } = sight.actor();
  return { type: 'Redeem', wallet, owner, keyId: keys[0], marketIndex: random.int(0, markets.length - 1), flags: 0 };
};

/** An owner that meets its own orders, from the same wallet and from others. */
const selfCrosser: Profile = (sight) => {
  const { random } = sight;
  const { owner } = sight.actors[0];
  const mine = sight.actors.filter((actor) => actor.owner === owner);
  const marketIndex = sight.market();
  return [random.int(0, 1), random.int(0, 1)].map((outcome) => {
    const actor = random.pick(mine);
    const pips = ownPips(outcome, sight.price(marketIndex, random.int(-1, 1)));
    const side = sight.shares(actor, marketIndex, outcome) > 500_000 && random.chance(60) ? Side.SELL : Side.BUY;
    const orderType = random.pick([OrderType.GTC, OrderType.GTC, OrderType.FAK]);
    return sight.order({ actor, marketIndex, outcome, side, lots: random.int(1, 60), pips, orderType });
  });
};

/** Many orders that expire in the same second. */
const expirer: Profile = (sight) => {
  const { random } = sight;
  const endS = Math.ceil(sight.nowMs / 10_000) * 10 + 70;
  const marketIndex = sight.market();
  const outcome = random.int(0, 1);
  return Array.from({ length: random.int(1, 5) }, () => {
    const actor = sight.actor();
    const pips = ownPips(outcome, sight.price(marketIndex, outcome === 0 ? -random.int(1, 8) : random.int(1, 8)));
    const plan = { actor, marketIndex, outcome, side: Side.BUY, lots: random.int(1, 50), pips };
    return sight.order({ ...plan, orderType: OrderType.GTD, expirationS: endS });
  });
};

/** Pauses, modes and flags, soon reverted. */
const pauser: Profile = (sight) => {
  const { random, views } = sight;
  if (views.accounts.mode !== 0) return { type: 'SetExchangeMode', mode: 0 };
  const paused = views.markets.list().find(({ status }) => status === MarketStatus.PAUSED);
  if (paused !== undefined) {
    const terms = { ...drawTerms(sight), status: MarketStatus.OPEN };
    return { type: 'UpdateMarket', marketIndex: paused.index, mask: MarketField.STATUS, ...terms };
  }
  const flagged = sight.actors.find(({ owner }) => views.accounts.flags(owner) !== 0);
  if (flagged !== undefined) return { type: 'SetAccountFlags', owner: flagged.owner, mask: 3, flags: 0 };
  if (random.chance(80)) return maker(sight);
  if (random.chance(50)) {
    const terms = { ...drawTerms(sight), status: MarketStatus.PAUSED };
    return { type: 'UpdateMarket', marketIndex: sight.market(), mask: MarketField.STATUS, ...terms };
  }
  if (random.chance(50)) return { type: 'SetExchangeMode', mode: random.int(1, 4) };
  return { type: 'SetAccountFlags', owner: sight.actor().owner, mask: random.int(1, 3), flags: random.int(1, 3) };
};

/** Commits all its money in every market at once, then spends it somewhere. */
const overcommitter: Profile = (sight) => {
  const { random } = sight;
  const actor = sight.actor();
  const money = sight.money(actor);
  const markets = sight.views.markets.list().filter(({ status }) => status === MarketStatus.OPEN);
  if (random.chance(35)) {
    const share = random.pick([1, 2, 3, 10]);
    return { type: 'Withdraw', wallet: actor.wallet, owner: actor.owner, amountMicro: Math.floor(money / share) };
  }
  return markets.slice(-5).map(({ index }) => {
    const outcome = random.int(0, 1);
    const pips = ownPips(outcome, sight.price(index, outcome === 0 ? -random.int(2, 9) : random.int(2, 9)));
    const lots = Math.max(1, Math.min(1_000_000, Math.floor(money / pips) - random.int(0, 1)));
    return sight.order({ actor, marketIndex: index, outcome, side: Side.BUY, lots, pips });
  });
};

/** Money and shares in and out: in full, in part, and one micro too many. */
const banker: Profile = (sight) => {
  const { random } = sight;
  const { owner, wallet, keys } = sight.actor();
  const marketIndex = sight.market();
  const by = { wallet, owner, keyId: keys[0], marketIndex, flags: 0 };
  const money = sight.money({ owner, wallet, keys });
  const sets = Math.min(
    sight.shares({ owner, wallet, keys }, marketIndex, 0),
    sight.shares({ owner, wallet, keys }, marketIndex, 1),
  );
  const part = (all: number): number => random.pick([Math.floor(all / 3), all, all + 1, random.int(0, all), 1]);
  switch (random.int(0, 5)) {
    case 0:
      return { type: 'Deposit', wallet, owner, amountMicro: random.int(1, 50_000_000), isFaucet: random.int(0, 1) };
    case 1:
      return { type: 'Split', ...by, amountMicro: Math.floor(money / random.int(2, 8)) };
    case 2:
      return { type: 'Merge', ...by, amountMicro: part(sets) };
    case 3:
      return {
        type: 'FaucetShares',
        wallet,
        owner,
        marketIndex,
        outcome: random.int(0, 1),
        amountMicro: random.int(1, 9_000_000),
      };
    case 4:
      return { type: 'Withdraw', wallet, owner, amountMicro: part(money) };
    default:
      return { type: 'Deposit', wallet, owner, amountMicro: 20_000_000, isFaucet: 0 };
  }
};

/** Heartbeats: right ones, wrong ones, and none for a long time. */
const beater: Profile = (sight) => {
  const { random, views } = sight;
  const { owner, keys } = sight.actor();
  const keyId = keys[0];
  const expected = views.keys.expectedHeartbeat(keyId);
  const given = expected !== undefined && random.chance(85) ? expected : sight.newBeat();
  return { type: 'Heartbeat', owner, keyId, given, next: sight.newBeat(), refresh: random.chance(20) ? 1 : 0 };
};

/** Wrong keys, wallets of others, old ids and times, keys and wallets that change hands. */
const forger: Profile = (sight) => {
  const { random } = sight;
  const draft = maker(sight);
  const command = Array.isArray(draft) ? draft[0] : draft;
  if (random.chance(15)) {
    const { owner, keys } = sight.actor();
    const items = [owner, walletOf(random.int(0, 7), 1)];
    if (random.chance(50))
      return { type: 'CreateApiKey', owner, keyId: keys[1], nonce: 1, generation: 0, kind: random.int(0, 2), items };
    if (random.chance(40)) return { type: 'DeleteApiKey', owner, keyId: keys[1] };
    if (random.chance(50))
      return { type: 'BindWallet', owner, wallet: walletOf(random.int(0, 3), random.int(1, 4)), signatureType: 1 };
    return { type: 'CreateEvent', negRisk: 0 };
  }
  if (command.type !== 'PlaceOrder') return command;
  const old = sight.recent();
  const other = sight.actor();
  const spoils: readonly (() => Command)[] = [
    () => ({ ...command, keyId: other.keys[1] }),
    () => ({ ...command, owner: other.owner, keyId: other.keys[0] }),
    () => ({ ...command, flags: command.flags | OrderFlag.BOUND_WALLET }),
    () => ({ ...command, orderId: old?.id ?? command.orderId, timestampMs: old?.timestampMs ?? command.timestampMs }),
    () => sight.signedAt(command, Math.max(0, command.timestampMs - random.pick([1, 100_000_000, 3_600_000]))),
    () => ({ ...command, expirationS: Math.floor(sight.nowMs / 1000) + random.int(55, 65), orderType: OrderType.GTD }),
    () => ({ ...command, makerAmountMicro: random.pick([0, 1, MICRO_MAX]) }),
    () => ({ ...command, marketIndex: sight.views.markets.list().length + random.int(0, 1) }),
    () => ({ ...command, orderType: OrderType.FAK, flags: OrderFlag.POST_ONLY }),
    () => ({ ...command, expirationS: Math.floor(sight.nowMs / 1000) + 3_600 }),
    () => withAmounts(command, (micro) => micro * 1_000_000),
    () => withAmounts(command, (micro) => Math.floor(micro / 1_000_000)),
  ];
  return random.pick(spoils)();
};

const withAmounts = (order: Command & { readonly type: 'PlaceOrder' }, scaled: (micro: number) => number): Command => ({
  ...order,
  makerAmountMicro: scaled(order.makerAmountMicro),
  takerAmountMicro: scaled(order.takerAmountMicro),
});

/** Impossible requests: amounts of nothing or of the maximum, unknown markets, invalid terms. */
const bungler: Profile = (sight) => {
  const { random, views } = sight;
  const { owner, wallet, keys } = sight.actor();
  const marketIndex = random.chance(60) ? views.markets.list().length + random.int(0, 1) : sight.market();
  const by = { wallet, owner, keyId: keys[0], marketIndex, flags: 0 };
  const amountMicro = random.pick([0, 1, MICRO_MAX]);
  const terms = { ...drawTerms(sight), tickPips: random.pick([0, 7, 100]), minOrderLots: random.int(0, 1) };
  return random.pick<Command>([
    { type: 'Deposit', wallet, owner, amountMicro, isFaucet: 0 },
    { type: 'Withdraw', wallet, owner, amountMicro },
    { type: 'FaucetShares', wallet, owner, marketIndex, outcome: random.int(0, 1), amountMicro },
    { type: 'Split', ...by, amountMicro },
    { type: 'Merge', ...by, amountMicro },
    { type: 'Redeem', ...by },
    { type: 'CancelMarket', owner, keyId: keys[0], marketIndex, outcome: random.int(0, 2) },
    { type: 'UpdateMarket', marketIndex, mask: random.pick([MarketField.TICK, MarketField.MIN_ORDER]), ...terms },
    { type: 'ResolveMarket', marketIndex: views.markets.list().length, resolution: random.int(0, 2) },
  ]);
};

/** Dozens of strangers who deposit, leave an order and sometimes cancel it: tables grow while everything goes on. */
const crowd: Profile = (sight) => {
  const { random, views } = sight;
  const guest = ownerNames.length + random.int(0, guestNames.length - 1);
  const [owner, keyId] = [walletOf(guest, 0), keyOf(guest, 0)];
  const marketIndex = sight.market();
  const outcome = random.int(0, 1);
  const pips = ownPips(outcome, sight.price(marketIndex, (outcome === 0 ? -1 : 1) * random.int(0, 9)));
  const plan = { marketIndex, outcome, side: Side.BUY, lots: random.int(1, 100), pips };
  const order = sight.order({ actor: { owner, wallet: owner, keys: [keyId] }, ...plan });
  if (views.accounts.byWallet(owner) !== undefined) {
    return random.chance(50) ? order : { type: 'CancelAll', owner, keyId };
  }
  return [
    { type: 'CreateApiKey', owner, keyId, nonce: 0, generation: 0, kind: 0, items: [owner] },
    { type: 'Deposit', wallet: owner, owner, amountMicro: random.int(1, 100_000_000), isFaucet: 0 },
    order,
  ];
};

/** By name, as the report of a seed prints them. */
export const profiles = {
  ...{ maker, sweeper, spammer, duster, tickChanger, resolver, selfCrosser, expirer },
  ...{ pauser, overcommitter, banker, beater, forger, bungler, crowd },
} as const satisfies Readonly<Record<string, Profile>>;
export type ProfileName = keyof typeof profiles;
