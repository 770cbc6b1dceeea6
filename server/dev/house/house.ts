// The house: market makers and takers that keep the seed's markets moving in development. Started by start.ts once the
// catalog is planted, and by tests. One step does everything that is due: moves fair prices, replaces quotes, takes. It is
// a bot inside the process: it reads the views and submits commands like any request, and no refusal may end it.
import { ExchangeMode, encodeCommand, MarketStatus, MICRO_PER_LOT, reasonOf } from '../../../engine/index.ts';
import type { HouseMode } from '../../config/settings.ts';
import type { Services } from '../../services.ts';
import { isOver, type Market, type Views } from '../../views/index.ts';
import { parsePips } from '../../wire/numbers.ts';
import { readSeed } from '../seed.ts';
import { fundAccount, type HouseAccount, openAccounts } from './accounts.ts';
import { HouseCommands, type Outcome } from './commands.ts';
import {
  type Desk,
  type FreeLots,
  freeLotsOf,
  marketStateOf,
  netLotsOf,
  quoteOrder,
  restingOf,
  takeOrder,
} from './desk.ts';
import { FairPrice } from './fairPrice.ts';
import { planQuotes, type Quote, type RestingQuote } from './maker.ts';
import { choices, drawActivity, drawFrom, type Pace, paces, recorded } from './model.ts';
import { HouseRandom } from './random.ts';
import type { Schedule } from './schedule.ts';
import { planTake } from './taker.ts';

interface HouseOptions {
  readonly services: Services;
  readonly mode: Exclude<HouseMode, 'none'>;
  readonly seed: number;
  readonly schedule: Schedule;
}

export interface House {
  /** Number of the house's refused commands, by the name of the rejection. */
  readonly refusals: ReadonlyMap<string, number>;
  /** Stops acting. Resolves when the commands in flight are answered; the house's orders stay in the books. */
  stop(): Promise<void>;
}

/** Starts the house. Its first step opens its accounts, and the seed's open markets have quotes seconds later. */
export function startHouse({ services, mode, seed, schedule }: HouseOptions): House {
  const house = new HouseRun(services, paces[mode], seed, schedule);
  schedule.run(() => house.step());
  return {
    refusals: house.commands.refusals,
    stop: () => {
      house.isStopping = true;
      return schedule.stop();
    },
  };
}

class HouseRun {
  readonly commands: HouseCommands;
  /** From then on failures are no longer reported as warnings. */
  isStopping = false;
  private readonly services: Services;
  private readonly pace: Pace;
  private readonly seed: number;
  private random = new HouseRandom('');
  private accounts: readonly HouseAccount[] = [];
  private desks: readonly Desk[] = [];
  private isOpen = false;
  private nextFundMs = 0;
  /** Consecutive steps that failed as a whole. */
  private failures = 0;

  constructor(services: Services, pace: Pace, seed: number, schedule: Schedule) {
    this.services = services;
    this.pace = pace;
    this.seed = seed;
    this.commands = new HouseCommands(services, schedule);
  }

  /** Does what is due. Never rejects. @returns the time of its next call (ms) */
  async step(): Promise<number> {
    const { exchange, log } = this.services;
    try {
      if (!this.isOpen) await this.open();
      else await this.trade(exchange.now());
      this.failures = 0;
      return this.nextStepMs(exchange.now());
    } catch (error) {
      this.failures += 1;
      log[this.failures === 1 && !this.isStopping ? 'warn' : 'debug'](
        { reason: reasonOf(error) },
        'The house waits: its commands are not accepted.',
      );
      return exchange.now() + backoffMs(this.failures);
    }
  }

  /** Opens the accounts and adopts the seed's markets. The stream of random numbers starts here. */
  private async open(): Promise<void> {
    const { exchange } = this.services;
    this.accounts = await openAccounts(this.services);
    const nowMs = exchange.now();
    this.random = new HouseRandom(`outcry house, seed ${this.seed}, start ${nowMs}`);
    this.nextFundMs = nowMs + choices.restMs;
    this.desks = seedMarkets(this.services, this.accounts).map(({ market, anchorPips }) =>
      this.deskOf(market, anchorPips, nowMs),
    );
    this.isOpen = true;
  }

  private deskOf(market: Market, anchorPips: number, nowMs: number): Desk {
    const { random } = this;
    const makers = this.accounts.slice(0, choices.makerCount);
    const chosen = Array.from(
      { length: choices.makersOfMarket },
      () => makers.splice(random.below(makers.length), 1)[0],
    );
    return {
      marketIndex: market.index,
      activity: drawActivity(random),
      fair: new FairPrice(anchorPips, market.lastTrade?.pricePips ?? anchorPips),
      makers: chosen,
      spreadUnits: drawFrom(recorded.spreadTicks, random),
      hasEntered: false,
      isRedeemed: false,
      nextUpdateMs: nowMs + random.between(0, choices.firstQuoteMsMax),
      nextTakeMs: nowMs + random.between(choices.firstTakeMs[0], choices.firstTakeMs[1]),
      refusals: 0,
    };
  }

  /** The next time at which something is due, rounded up so that things due at nearly the same time are done together. */
  private nextStepMs(nowMs: number): number {
    const { stepMs } = this.pace;
    const dueMs = this.desks.reduce(
      (least, { nextUpdateMs, nextTakeMs }) => Math.min(least, nextUpdateMs, nextTakeMs),
      this.nextFundMs,
    );
    return Math.ceil(Math.max(dueMs, nowMs + 1) / stepMs) * stepMs;
  }

  private async trade(nowMs: number): Promise<void> {
    const { mode } = this.services.views.accounts;
    const mayQuote = mode === ExchangeMode.NORMAL || mode === ExchangeMode.POST_ONLY;
    let servedCount = 0;
    for (const desk of this.desks) {
      this.bringForward(desk, nowMs);
      if (desk.nextUpdateMs > nowMs && desk.nextTakeMs > nowMs) continue;
      if (servedCount >= choices.marketsOfStepMax) break;
      servedCount += 1;
      if (!mayQuote) this.postpone(desk, nowMs + choices.backoffMs);
      else this.serve(desk, nowMs, mode === ExchangeMode.NORMAL);
      await this.commands.submitPlanned();
    }
    await this.commands.settle((desk, outcome) => this.planNext(desk, outcome, nowMs));
    if (this.nextFundMs > nowMs) return;
    this.nextFundMs = nowMs + choices.restMs;
    for (const { address } of this.accounts) await fundAccount(this.services, address);
  }

  /** Brings forward the next update of a market whose book lacks a side. */
  private bringForward(desk: Desk, nowMs: number): void {
    if (!desk.hasEntered || desk.refusals > 0 || desk.nextUpdateMs <= nowMs + choices.oneSidedMsMax) return;
    const { books, markets } = this.services.views;
    const { bids, asks } = books.book(desk.marketIndex, 0);
    if (bids.pips.length > 0 && asks.pips.length > 0) return;
    if (markets.byIndex(desk.marketIndex)?.status !== MarketStatus.OPEN) return;
    desk.nextUpdateMs = nowMs + choices.oneSidedMsMax * this.random.fraction();
  }

  /** Does what is due in a market: moves its quotes, and takes from its book if the exchange's mode allows taking. */
  private serve(desk: Desk, nowMs: number, mayTake: boolean): void {
    const market = this.services.views.markets.byIndex(desk.marketIndex);
    if (market?.status !== MarketStatus.OPEN) {
      this.postpone(desk, nowMs + (market?.status === MarketStatus.PAUSED ? choices.backoffMs : choices.restMs));
      if (market?.status === MarketStatus.RESOLVED && !desk.isRedeemed) this.redeem(desk);
      return;
    }
    this.commands.watch(desk);
    if (desk.nextUpdateMs <= nowMs) {
      this.update(desk, market);
      const wait = this.random.exponential(this.pace.updateMsMean / desk.activity);
      desk.nextUpdateMs = nowMs + Math.min(this.pace.updateMsMax, wait);
    }
    if (desk.nextTakeMs > nowMs) return;
    desk.nextTakeMs = nowMs + choices.retryTakeMs * this.random.between(0.8, 1.2);
    if (mayTake) this.take(desk, market);
  }

  private postpone(desk: Desk, untilMs: number): void {
    desk.nextUpdateMs = Math.max(desk.nextUpdateMs, untilMs);
    desk.nextTakeMs = Math.max(desk.nextTakeMs, untilMs);
  }

  private isTrading({ address }: HouseAccount): boolean {
    return this.services.views.accounts.flags(address) === 0;
  }

  /** Moves the fair price and adjusts the makers' quotes to it. */
  private update(desk: Desk, market: Market): void {
    const { services, random } = this;
    const { views } = services;
    desk.fair.move(random);
    if (random.chance(choices.spreadChangeChance)) desk.spreadUnits = drawFrom(recorded.spreadTicks, random);
    if (!desk.hasEntered) this.enter(desk);
    const makerNetLots = desk.makers.map((maker) => netLotsOf(maker, desk.marketIndex, views));
    const netLots = makerNetLots.reduce((sum, net) => sum + net, 0);
    const resting = restingOf(desk, views);
    const state = marketStateOf(market, desk, views.books.book(desk.marketIndex, 0), resting, netLots);
    const { cancels, quotes } = planQuotes(state, random);
    for (const maker of desk.makers) this.cancel(desk, maker, cancels);
    const freeLots = desk.makers.map((maker) => this.mergeSets(desk, maker));
    for (const quote of quotes) {
      const eligible = desk.makers.flatMap((maker, index) =>
        this.isTrading(maker) && isWithinBound(quote, makerNetLots[index]) ? [index] : [],
      );
      if (eligible.length === 0) continue;
      const index = eligible[random.below(eligible.length)];
      this.commands.place(desk, desk.makers[index], quoteOrder(market, quote, freeLots[index], random), 'quote');
    }
  }

  /** On the first visit to a market: each maker without shares of it splits some sets, so that it can sell both tokens. */
  private enter(desk: Desk): void {
    const { marketIndex } = desk;
    desk.hasEntered = true;
    for (const maker of desk.makers) {
      const [first, second] = freeLotsOf(maker, marketIndex, this.services.views);
      if (first > 0 || second > 0 || !this.isTrading(maker)) continue;
      this.changeSets(desk, maker, 'Split', choices.setLots);
    }
  }

  /** Merges surplus sets of an account back into collateral. @returns the lots it may sell afterwards */
  private mergeSets(desk: Desk, account: HouseAccount): FreeLots {
    const free = freeLotsOf(account, desk.marketIndex, this.services.views);
    const sets = Math.min(free[0], free[1]);
    if (sets < choices.setLotsMax) return free;
    const lots = sets - choices.setLots;
    this.changeSets(desk, account, 'Merge', lots);
    return [free[0] - lots, free[1] - lots];
  }

  private changeSets(desk: Desk, account: HouseAccount, type: 'Split' | 'Merge', lots: number): void {
    const { marketIndex } = desk;
    const { address, caller } = account;
    const amountMicro = lots * MICRO_PER_LOT;
    const who = { wallet: address, owner: address, keyId: caller.keyId };
    this.commands.submit(desk, account, encodeCommand({ type, ...who, marketIndex, amountMicro, flags: 0 }));
  }

  private cancel(desk: Desk, account: HouseAccount, quotes: readonly RestingQuote[]): void {
    const { address, caller } = account;
    const items = quotes.filter(({ owner }) => owner === address).map(({ orderId }) => orderId);
    if (items.length === 0) return;
    const command = encodeCommand({ type: 'CancelOrders', owner: address, keyId: caller.keyId, items });
    this.commands.submit(desk, account, command);
  }

  private take(desk: Desk, market: Market): void {
    const { services, random } = this;
    const { views } = services;
    const takers = this.accounts.slice(choices.makerCount).filter((account) => this.isTrading(account));
    if (takers.length === 0) return;
    const taker = takers[random.below(takers.length)];
    const state = marketStateOf(market, desk, views.books.book(desk.marketIndex, 0), [], 0);
    const take = planTake(state, netLotsOf(taker, desk.marketIndex, views), random);
    if (take === undefined) return;
    this.commands.place(desk, taker, takeOrder(market, take, this.mergeSets(desk, taker), random), 'take');
  }

  private redeem(desk: Desk): void {
    const { marketIndex } = desk;
    desk.isRedeemed = true;
    const { accounts } = this.services.views;
    for (const account of this.accounts) {
      const { address, caller } = account;
      if (!holds(accounts, address, marketIndex)) continue;
      const who = { wallet: address, owner: address, keyId: caller.keyId };
      this.commands.submit(desk, account, encodeCommand({ type: 'Redeem', ...who, marketIndex, flags: 0 }));
    }
  }

  /** Schedules a market's next visit according to the outcome of its commands. */
  private planNext(desk: Desk, { isRefused, hasTraded, isDelayed }: Outcome, nowMs: number): void {
    // A delayed order may find nothing at its release, so the next take comes early enough to make up for it.
    if (isDelayed) desk.nextTakeMs = nowMs + this.nextTakeWaitMs(desk) / 2;
    else if (hasTraded) desk.nextTakeMs = nowMs + this.nextTakeWaitMs(desk);
    desk.refusals = isRefused ? desk.refusals + 1 : 0;
    if (isRefused) this.postpone(desk, nowMs + backoffMs(desk.refusals));
  }

  private nextTakeWaitMs({ activity }: Desk): number {
    return (this.pace.takeMsMax / Math.max(1, activity)) * this.random.between(0.7, 1);
  }
}

/** The wait after consecutive refusals, doubled with each. */
function backoffMs(refusals: number): number {
  return Math.min(choices.backoffMsMax, choices.backoffMs * 2 ** (refusals - 1));
}

/** Whether a maker with this position may add to it by this quote. */
function isWithinBound({ isBid }: Quote, netLots: number): boolean {
  return isBid ? netLots < choices.makerNetLotsMax : netLots > -choices.makerNetLotsMax;
}

/** Whether an account has shares of a market. */
function holds(accounts: Views['accounts'], address: string, marketIndex: number): boolean {
  const accountId = accounts.byWallet(address)?.accountId ?? -1;
  return [0, 1].some((outcome) => accounts.sharesMicro(accountId, marketIndex, outcome) > 0);
}

/**
 * The existing markets of the seed catalog that are not over, with their prices in the catalog; also those that are over
 * and of which the house still holds shares, to redeem them.
 */
function seedMarkets(
  { views }: Services,
  accounts: readonly HouseAccount[],
): readonly { readonly market: Market; readonly anchorPips: number }[] {
  const rows = readSeed().events.flatMap(({ markets }) => markets);
  return rows
    .flatMap(({ conditionId, lastPrice }) => {
      const market = views.markets.byCondition(conditionId);
      const anchorPips = parsePips(lastPrice);
      if (market === undefined || anchorPips === undefined) return [];
      if (isOver(market) && !accounts.some(({ address }) => holds(views.accounts, address, market.index))) return [];
      return [{ market, anchorPips }];
    })
    .sort((left, right) => left.market.index - right.market.index);
}
