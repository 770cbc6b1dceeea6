// The operators of a simulation: they create markets and events, change terms, pause and resolve, and get much of it wrong.
// Used by profiles.ts; flow.ts opens a seed's first markets here. They read only the views and do not judge what is right.
import { type Command, type CommandOf, MarketField, MarketStatus, MICRO_MAX } from '../../engine/index.ts';
import { marketIds } from '../model/names.ts';
import { tailOf } from '../support/commandParts.ts';
import { holderFlags, maker, type Profile } from './actors.ts';
import { marketTexts } from './encoding.ts';
import type { Sight } from './sight.ts';

/** Changes a market's tick and other terms while orders rest. */
export const tickChanger: Profile = (sight) => {
  const { random } = sight;
  const marketIndex = sight.market();
  if (random.chance(70)) return maker(sight);
  if (random.chance(15)) return changedTexts(sight, marketIndex);
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

/** Changes a market's texts, with or without a term. Its slug may be a new one, its own, or that of another market. */
function changedTexts(sight: Sight, marketIndex: number): Command {
  const { random } = sight;
  const other = sight.anyMarket();
  const texts = random.pick([
    { question: `Changed at ${sight.nowMs}?` },
    marketTexts(marketIndex),
    marketTexts(other),
    { slug: `renamed-${random.int(0, 3)}` },
  ]);
  const mask = random.pick([0, MarketField.TICK, MarketField.FEE]);
  return { type: 'UpdateMarket', marketIndex, mask, ...drawTerms(sight), tail: tailOf(texts) };
}

function drawTerms(sight: Sight) {
  const { random } = sight;
  return {
    status: MarketStatus.OPEN as number,
    negRisk: 0,
    autoTick: random.int(0, 1),
    feeExponent: random.int(1, 4),
    tickPips: random.pick([100, 100, 10, 50, 25, 1, 1_000]),
    feeRate: random.pick([0, 0, 200, 1_000]),
    minOrderLots: random.pick([1, 1, 1, 5]),
    delaySeconds: random.pick([0, 0, 0, 0, 1, 3]),
    minMarketableBuyMicro: random.pick([0, 0, 50_000]),
  };
}

/** A new market, open for trading, of one of the first `eventCount` events or of none; its prices lie around a centre. */
export function newMarket(sight: Sight, index: number, eventCount: number): CommandOf<'CreateMarket'> {
  const { random } = sight;
  sight.centres[index] = random.pick([5_000, 5_000, 3_300, 9_500, 450, 9_900]);
  const [eventNumber, negRisk] = [random.int(0, eventCount), random.int(0, 1)];
  return { type: 'CreateMarket', eventNumber, ...marketIds(index), ...drawTerms(sight), negRisk };
}

/** A new event; some share a slug, which only the first of them gets. */
export function newEvent({ random }: Sight): Command {
  const event = { type: 'CreateEvent', negRisk: random.int(0, 1) } as const;
  return random.chance(70) ? event : { ...event, tail: tailOf({ slug: `recurring-${random.int(0, 1)}` }) };
}

/** A new market while others trade: mostly open, now and then a draft or paused, now and then one that must be refused. */
function furtherMarket(sight: Sight, index: number): Command {
  const { random } = sight;
  const market = newMarket(sight, index, 3);
  if (random.chance(70)) return market;
  const other = marketIds(random.int(0, index));
  return {
    ...market,
    ...random.pick<Partial<CommandOf<'CreateMarket'>>>([
      { status: MarketStatus.DRAFT },
      { status: MarketStatus.PAUSED },
      { status: MarketStatus.CLOSED },
      { conditionId: other.conditionId },
      { firstToken: other.secondToken },
      { secondToken: other.firstToken },
      { secondToken: market.firstToken },
      { tail: tailOf(marketTexts(random.int(0, index))) },
      { eventNumber: 1_000 },
      { feeExponent: random.pick([0, 5]) },
    ]),
  };
}

/** Sets a market's status, at times with other terms: mostly of an open one, or else of any. */
function statusChange(sight: Sight): Command {
  const { random } = sight;
  const isOpen = random.chance(50);
  const marketIndex = isOpen ? sight.market() : sight.anyMarket();
  const { DRAFT, OPEN, PAUSED, CLOSED, RESOLVED } = MarketStatus;
  const status = isOpen
    ? random.pick([PAUSED, CLOSED])
    : random.pick([OPEN, OPEN, OPEN, PAUSED, CLOSED, DRAFT, RESOLVED]);
  const mask = MarketField.STATUS | (random.chance(40) ? random.int(0, 127) : 0);
  return { type: 'UpdateMarket', marketIndex, mask, ...drawTerms(sight), status };
}

/** Resolves a market while trading goes on, opens another, and redeems. */
export const resolver: Profile = (sight) => {
  const { random } = sight;
  const markets = sight.views.markets.list();
  const open = markets.filter(({ status }) => status === MarketStatus.OPEN).length;
  if (open <= 1 || random.chance(20)) {
    return markets.length < 60 ? furtherMarket(sight, markets.length) : { type: 'Tick' };
  }
  if (random.chance(6)) {
    const marketIndex = random.chance(60) ? sight.market() : sight.anyMarket();
    return { type: 'ResolveMarket', marketIndex, resolution: random.int(0, 2) };
  }
  if (random.chance(8)) return statusChange(sight);
  if (random.chance(4)) return newEvent(sight);
  const { owner, wallet, keys } = sight.actor();
  const marketIndex = sight.anyMarket();
  return { type: 'Redeem', wallet, owner, keyId: keys[0], marketIndex, flags: holderFlags(sight, { owner, wallet }) };
};

/** Pauses, modes and flags, soon reverted. */
export const pauser: Profile = (sight) => {
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

/** Impossible requests: amounts of nothing or of the maximum, unknown markets, invalid terms. */
export const bungler: Profile = (sight) => {
  const { random, views } = sight;
  const { owner, wallet, keys } = sight.actor();
  const marketIndex = random.chance(60) ? views.markets.list().length + random.int(0, 1) : sight.market();
  const by = { wallet, owner, keyId: keys[0], marketIndex, flags: holderFlags(sight, { owner, wallet }) };
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
