// A small random world played on a real exchange: trades of all three kinds over several levels, fees, splits, merges, test
// shares, redemptions of winners and of halves, positions closed and opened again. Used by the tests of the historian and
// by the process that they kill. A seed always gives the same log; this file does not depend on the historian.
import {
  type Clock,
  type Command,
  type EngineSettings,
  encodeCommand,
  type Follower,
  type LogRecord,
  MarketStatus,
  MICRO_PER_LOT,
  OrderType,
  type RunningExchange,
  Side,
  VirtualClock,
} from '../../engine/index.ts';
import type { Market, Views } from '../../server/views/index.ts';
import { Random } from '../model/random.ts';
import { digest, tailOf } from '../support/commandParts.ts';
import { type Actor, actorCommands, drawActors, marketCommands, marketTexts, START_MS } from './actors.ts';

export const settings: EngineSettings = {
  orderWindowMs: 86_400_000,
  heartbeatWindowMs: 10_000,
  minedDelayMs: 50,
  confirmedDelayMs: 100,
  creditMicro: 0,
};

const DEPOSIT_MICRO = 20_000_000_000;
/** Some worlds trade this many times more, so that products of their figures exceed 2^53. */
const HUGE = 1_000;

/** The exchange's time, moved by the player. */
export const newClock = (): VirtualClock => new VirtualClock(START_MS);

/** Keeps every record of the log, the only source of what tests compare with. */
export class Keeper implements Follower {
  readonly name = 'keeper';
  readonly records: LogRecord[] = [];

  apply(record: LogRecord): void {
    this.records.push(record);
  }
}

/** The parts of an exchange that a player needs. */
interface Stage {
  readonly exchange: RunningExchange;
  readonly clock: Clock & { advance(ms: number): void };
  readonly views: Views;
}

/** Draws commands for a stage by its views: sells what is held, redeems what resolved. */
export class Player {
  readonly actors: readonly Actor[];
  private readonly random: Random;
  private readonly seed: number;
  private stage: Stage;
  private readonly placed: string[] = [];
  private readonly centres: number[] = [];
  private readonly scale: number;
  private orderCount = 0;
  /** The first of this player's markets; earlier ones belong to earlier players. */
  private firstMarket = 0;

  constructor(seed: number, stage: Stage) {
    this.random = new Random(seed);
    this.seed = seed;
    this.stage = stage;
    this.actors = drawActors(this.random, seed);
    this.scale = this.random.chance(20) ? HUGE : 1;
  }

  /** Creates the world, then plays this many steps. Refused commands are part of the log too. */
  async play(steps: number): Promise<void> {
    const { random } = this;
    const marketCount = random.int(1, 4);
    const { markets } = this.stage.views;
    this.firstMarket = markets.list().length;
    const eventsBefore = markets.eventList().length;
    for (const command of [
      ...actorCommands(this.actors, DEPOSIT_MICRO * this.scale),
      ...marketCommands(random, this.seed, marketCount, eventsBefore),
    ]) {
      await this.submit(command);
    }
    await this.continue(steps);
  }

  /** Goes on at a stage that holds this player's world already: its exchange was restarted. */
  moveTo(stage: Stage): void {
    this.stage = stage;
  }

  /** Plays this many further steps. */
  async continue(steps: number): Promise<void> {
    const { random, stage } = this;
    for (let step = 0; step < steps; step += 1) {
      if (random.chance(25)) stage.clock.advance(random.pick([0, 1, 250, 1_000, 1_000, 61_000]));
      await this.submit(this.draw());
    }
  }

  private async submit(command: Command): Promise<void> {
    await this.stage.exchange.submit(encodeCommand(command));
  }

  private draw(): Command {
    const { random } = this;
    const actor = random.pick(this.actors);
    const market = this.market();
    if (market.status === MarketStatus.RESOLVED && random.chance(85)) return this.redeem(this.holder(market), market);
    const kind = random.weighted<() => Command>([
      [52, () => this.order(actor, market)],
      [10, () => this.sellAll(actor, market)],
      [7, () => this.split(actor, market)],
      [7, () => this.merge(actor, market)],
      [5, () => this.faucet(actor, market)],
      [4, () => this.redeem(actor, market)],
      [4, () => this.cancel(actor)],
      [3, () => this.retext(market)],
      [3, () => this.resolve(market)],
      [2, () => this.cash(actor)],
      [1, () => this.operate(market)],
    ]);
    return kind();
  }

  private ownMarkets(): readonly Market[] {
    return this.stage.views.markets.list().slice(this.firstMarket);
  }

  /** Mostly a market that is not resolved. */
  private market(): Market {
    const { random } = this;
    const markets = this.ownMarkets();
    const going = markets.filter(({ status }) => status !== MarketStatus.RESOLVED);
    return random.pick(going.length === 0 || random.chance(15) ? markets : going);
  }

  /** Mostly an actor who holds shares of the market, if there is one. */
  private holder(market: Market): Actor {
    const { random, actors } = this;
    const holders = actors.filter((actor) => this.held(actor, market, 0) + this.held(actor, market, 1) > 0);
    return random.pick(holders.length === 0 || random.chance(10) ? actors : holders);
  }

  private held(actor: Actor, market: Market, outcome: number): number {
    const { accounts } = this.stage.views;
    const account = accounts.byWallet(actor.wallet);
    return account === undefined ? 0 : accounts.sharesMicro(account.accountId, market.index, outcome);
  }

  /** A price of the first token, `ticks` ticks above a centre that walks. */
  private firstPips(market: Market, ticks: number): number {
    const { random, centres } = this;
    const { tickPips } = market.terms;
    const centre = centres[market.index] ?? random.pick([5_000, 5_000, 3_000, 9_000, 1_000]);
    centres[market.index] = Math.min(9_900, Math.max(100, centre + random.int(-1, 1) * tickPips));
    const pips = Math.round(centre / tickPips + ticks) * tickPips;
    return Math.min(10_000 - tickPips, Math.max(tickPips, pips));
  }

  private order(actor: Actor, market: Market): Command {
    const { random } = this;
    const outcome = random.int(0, 1);
    const held = Math.floor(this.held(actor, market, outcome) / MICRO_PER_LOT);
    const side = held > 0 && random.chance(50) ? Side.SELL : Side.BUY;
    const orderType = random.weighted([
      [60, OrderType.GTC],
      [8, OrderType.GTD],
      [10, OrderType.FOK],
      [22, OrderType.FAK],
    ]);
    const isTaker = orderType === OrderType.FOK || orderType === OrderType.FAK || random.chance(15);
    // A taker reaches through several levels, a maker stands a little off.
    const ticks = isTaker ? 5 : -random.int(0, 3);
    const first = this.firstPips(market, (side === Side.BUY) === (outcome === 0) ? ticks : -ticks);
    const pips = outcome === 0 ? first : 10_000 - first;
    const most = isTaker ? random.pick([1, 100, 1_000, 2_000]) : random.pick([1, 50, 400]);
    const wanted = this.scale * (random.chance(50) ? most : random.int(1, most)) - random.int(0, this.scale - 1);
    const lots = side === Side.SELL ? Math.min(held, wanted) : wanted;
    return this.place(actor, market, { outcome, side, lots, pips, orderType });
  }

  /** Sells the whole holding into the bids at any price, which often closes the position. */
  private sellAll(actor: Actor, market: Market): Command {
    const outcome = this.random.int(0, 1);
    const lots = Math.floor(this.held(actor, market, outcome) / MICRO_PER_LOT);
    if (lots === 0) return this.order(actor, market);
    return this.place(actor, market, {
      ...{ outcome, side: Side.SELL, lots, pips: market.terms.tickPips, orderType: OrderType.FAK },
    });
  }

  private place(
    actor: Actor,
    market: Market,
    wish: { outcome: number; side: Side; lots: number; pips: number; orderType: OrderType },
  ): Command {
    const { outcome, side, lots, pips, orderType } = wish;
    const nowMs = this.stage.exchange.now();
    this.orderCount += 1;
    const orderId = digest(`order ${this.seed}/${this.orderCount}`, 32);
    this.placed.push(orderId);
    const [shares, money] = [lots * MICRO_PER_LOT, lots * pips];
    return {
      ...{ type: 'PlaceOrder', orderId, keyId: actor.keyId, maker: actor.wallet, owner: actor.owner },
      ...{ marketIndex: market.index, outcome, side, orderType, flags: 0 },
      makerAmountMicro: side === Side.BUY ? money : shares,
      takerAmountMicro: side === Side.BUY ? shares : money,
      timestampMs: nowMs,
      expirationS: orderType === OrderType.GTD ? Math.ceil(nowMs / 1000) + 61 + this.random.int(0, 5) : 0,
      tail: tailOf({ salt: String(this.orderCount), signature: '0x'.padEnd(132, 'ab') }),
    };
  }

  /** Mostly whole shares; now and then odd micro, so that halves and quotients leave remainders. */
  private amountMicro(): number {
    const { random } = this;
    return random.chance(60) ? random.int(1, 20) * 1_000_000 * this.scale : random.int(1, 3_000_001 * this.scale);
  }

  private split(actor: Actor, market: Market): Command {
    const { wallet, owner, keyId } = actor;
    const amountMicro = this.amountMicro();
    return { type: 'Split', wallet, owner, keyId, marketIndex: market.index, amountMicro, flags: 0 };
  }

  private merge(actor: Actor, market: Market): Command {
    const { wallet, owner, keyId } = actor;
    const most = Math.min(this.held(actor, market, 0), this.held(actor, market, 1));
    const amountMicro = most === 0 || this.random.chance(50) ? Math.max(1, most) : this.random.int(1, most);
    return { type: 'Merge', wallet, owner, keyId, marketIndex: market.index, amountMicro, flags: 0 };
  }

  private faucet({ wallet, owner }: Actor, market: Market): Command {
    const outcome = this.random.int(0, 1);
    const amountMicro = this.amountMicro();
    return { type: 'FaucetShares', wallet, owner, marketIndex: market.index, outcome, amountMicro };
  }

  private redeem({ wallet, owner, keyId }: Actor, market: Market): Command {
    return { type: 'Redeem', wallet, owner, keyId, marketIndex: market.index, flags: 0 };
  }

  private cancel({ owner, keyId }: Actor): Command {
    const { random, placed } = this;
    if (placed.length === 0 || random.chance(30)) return { type: 'CancelAll', owner, keyId };
    return { type: 'CancelOrders', owner, keyId, items: [random.pick(placed)] };
  }

  /** Other texts and terms: rows show a market by its current name. */
  private retext(market: Market): Command {
    const { random } = this;
    const texts = marketTexts(random, market.slug);
    const { tickPips, minOrderLots, minMarketableBuyMicro, feeRate, feeExponent, delaySeconds } = market.terms;
    return {
      ...{ type: 'UpdateMarket', marketIndex: market.index, mask: 0, status: market.status, negRisk: 0, autoTick: 0 },
      ...{ tickPips, minOrderLots, minMarketableBuyMicro, feeRate, feeExponent, delaySeconds },
      tail: tailOf(texts),
    };
  }

  private resolve(market: Market): Command {
    const going = this.ownMarkets().filter(({ status }) => status !== MarketStatus.RESOLVED);
    if (going.length === 1 && this.random.chance(80)) return this.retext(market);
    return { type: 'ResolveMarket', marketIndex: market.index, resolution: this.random.int(0, 2) };
  }

  private cash({ wallet, owner }: Actor): Command {
    const amountMicro = this.random.int(1, 40_000_000);
    if (this.random.chance(50)) return { type: 'Withdraw', wallet, owner, amountMicro };
    return { type: 'Deposit', wallet, owner, amountMicro, isFaucet: 0 };
  }

  /** Pauses or opens a market, or moves a wallet to another owner. */
  private operate(market: Market): Command {
    const { random } = this;
    if (random.chance(20)) {
      const { wallet } = random.pick(this.actors);
      return { type: 'BindWallet', owner: random.pick(this.actors).owner, wallet, signatureType: 1 };
    }
    const update = this.retext(market);
    if (update.type !== 'UpdateMarket') return update;
    return { ...update, mask: 1, status: market.status === MarketStatus.OPEN ? 2 : 1 };
  }
}
