// The traders of a simulation: each profile draws commands that one kind of participant would send. A seed mixes several of
// them with those of operators.ts and forger.ts. Used by profiles.ts. They read only the views and do not judge what is right.
import {
  amountStepMicro,
  type Command,
  type CommandOf,
  MarketStatus,
  notificationItem,
  OrderFlag,
  OrderType,
  Side,
} from '../../engine/index.ts';
import type { Market } from '../../server/views/index.ts';
import { guestNames, keyOf, orderIdOf, ownerNames, walletOf } from '../model/names.ts';
import type { Actor } from '../model/profile.ts';
import type { Sight } from './sight.ts';

export type Profile = (sight: Sight) => Command | readonly Command[];

/** Flags of a command on a wallet's holdings: whether the wallet must be bound, which is mostly asked of those that are. */
export function holderFlags({ random, views }: Sight, { owner, wallet }: Omit<Actor, 'keys'>): number {
  const isBound = views.accounts.ownerOfBound(wallet) === owner;
  return random.chance(isBound ? 70 : 4) ? OrderFlag.BOUND_WALLET : 0;
}

/** Most lots that an actor can pay or deliver at a price. */
function affordable(sight: Sight, actor: Actor, market: number, outcome: number, side: number, pips: number): number {
  if (side === Side.BUY) return Math.floor(sight.money(actor) / pips);
  return Math.floor(sight.shares(actor, market, outcome) / 10_000);
}

const isOpen = ({ status }: Market): boolean => status === MarketStatus.OPEN;

function ownPips(outcome: number, ladderPips: number): number {
  return outcome === 0 ? ladderPips : 10_000 - ladderPips;
}

/** Quotes on both sides of the centre, in either token, and cancels some of its orders again. */
export const maker: Profile = (sight) => {
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
export const sweeper: Profile = (sight) => {
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
  const plan = { actor, marketIndex, outcome, side, lots, pips, orderType };
  if (orderType === OrderType.GTC) return sight.order(plan);
  const order = sight.order(side === Side.SELL ? plan : { ...plan, budgetMicro: lots * pips + random.int(0, pips) });
  return random.chance(30) ? signedByClient(sight, order) : order;
};

/** An order as a client signs it: with amounts that are mostly as coarse as production demands. */
function signedByClient(sight: Sight, order: CommandOf<'PlaceOrder'>): Command {
  const { makerAmountMicro: maker, takerAmountMicro: taker, marketIndex } = order;
  const signed = { ...order, flags: OrderFlag.CLIENT_ACCURACY };
  if (sight.random.chance(15)) return signed;
  const step = amountStepMicro(sight.tick(marketIndex));
  const makerAmountMicro = Math.max(10_000, maker - (maker % 10_000));
  return { ...signed, makerAmountMicro, takerAmountMicro: Math.max(step, taker - (taker % step)) };
}

/** Cancels: own orders, those of others, orders that never existed, many at once, all. Drops notifications too. */
export const spammer: Profile = (sight) => {
  const { random } = sight;
  const order = sight.recent();
  const { owner, keys } = sight.actor();
  if (random.chance(2)) {
    const items = Array.from({ length: random.int(1, 6) }, () => notificationItem(random.int(1, 60)));
    return { type: 'DropNotifications', owner, keyId: keys[0], items };
  }
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
export const duster: Profile = (sight) => {
  const { random } = sight;
  const actor = sight.actor();
  const marketIndex = sight.market();
  const tick = sight.tick(marketIndex);
  const outcome = random.int(0, 1);
  const pips = random.pick([tick, 10_000 - tick, sight.price(marketIndex, random.int(-2, 2))]);
  const side = random.pick([Side.BUY, Side.BUY, Side.SELL]);
  const orderType = random.pick([OrderType.GTC, OrderType.FAK]);
  const command = sight.order({ actor, marketIndex, outcome, side, lots: random.int(1, 3), pips, orderType });
  if (random.chance(60)) return command;
  const makerAmountMicro = command.makerAmountMicro + random.int(0, 20_000);
  return { ...command, makerAmountMicro, takerAmountMicro: command.takerAmountMicro + random.int(0, 3) };
};

/** An owner that meets its own orders, from the same wallet and from others. */
export const selfCrosser: Profile = (sight) => {
  const { random } = sight;
  const { owner } = sight.actors[0];
  const mine = sight.actors.filter((actor) => actor.owner === owner);
  const marketIndex = sight.market();
  const orders: Command[] = [];
  for (const outcome of [random.int(0, 1), random.int(0, 1)]) {
    const actor = random.pick(mine);
    const pips = ownPips(outcome, sight.price(marketIndex, random.int(-1, 1)));
    const side = sight.shares(actor, marketIndex, outcome) > 500_000 && random.chance(60) ? Side.SELL : Side.BUY;
    const orderType = random.pick([OrderType.GTC, OrderType.GTC, OrderType.FAK]);
    orders.push(sight.order({ actor, marketIndex, outcome, side, lots: random.int(1, 60), pips, orderType }));
  }
  return orders;
};

/** Many orders that expire in the same second. */
export const expirer: Profile = (sight) => {
  const { random } = sight;
  const endS = Math.ceil(sight.nowMs / 10_000) * 10 + 70;
  const marketIndex = sight.market();
  const outcome = random.int(0, 1);
  const orders: Command[] = [];
  for (let left = random.int(1, 5); left > 0; left -= 1) {
    const actor = sight.actor();
    const pips = ownPips(outcome, sight.price(marketIndex, outcome === 0 ? -random.int(1, 8) : random.int(1, 8)));
    const plan = { actor, marketIndex, outcome, side: Side.BUY, lots: random.int(1, 50), pips };
    orders.push(sight.order({ ...plan, orderType: OrderType.GTD, expirationS: endS }));
  }
  return orders;
};

/** Commits all its money in every market at once, then spends it somewhere. */
export const overcommitter: Profile = (sight) => {
  const { random } = sight;
  const actor = sight.actor();
  const money = sight.money(actor);
  const markets = sight.views.markets.list().filter(isOpen);
  if (random.chance(35)) {
    const share = random.pick([1, 2, 3, 10]);
    return { type: 'Withdraw', wallet: actor.wallet, owner: actor.owner, amountMicro: Math.floor(money / share) };
  }
  const orders: Command[] = [];
  for (const { index } of markets.slice(-5)) {
    const outcome = random.int(0, 1);
    const pips = ownPips(outcome, sight.price(index, outcome === 0 ? -random.int(2, 9) : random.int(2, 9)));
    const lots = Math.max(1, Math.min(1_000_000, Math.floor(money / pips) - random.int(0, 1)));
    orders.push(sight.order({ actor, marketIndex: index, outcome, side: Side.BUY, lots, pips }));
  }
  return orders;
};

/** Money and shares in and out: in full, in part, and one micro too many. */
export const banker: Profile = (sight) => {
  const { random } = sight;
  const { owner, wallet, keys } = sight.actor();
  const marketIndex = sight.market();
  const by = { wallet, owner, keyId: keys[0], marketIndex, flags: holderFlags(sight, { owner, wallet }) };
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
export const beater: Profile = (sight) => {
  const { random, views } = sight;
  const { owner, keys } = sight.actor();
  const keyId = keys[0];
  const expected = views.keys.expectedHeartbeat(keyId);
  const given = expected !== undefined && random.chance(85) ? expected : sight.newBeat();
  return { type: 'Heartbeat', owner, keyId, given, next: sight.newBeat(), refresh: random.chance(20) ? 1 : 0 };
};

/** Dozens of strangers who deposit, leave an order and sometimes cancel it: tables grow while everything goes on. */
export const crowd: Profile = (sight) => {
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
