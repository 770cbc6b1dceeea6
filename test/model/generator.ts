// Random command sequences with an adversarial bent: few owners with several wallets, prices so close together that many
// orders cross, amounts that are exactly affordable or just not, and bad values of every kind. Used by the model test. It
// reads the reference's state to choose what is likely to matter, and returns a plain command with its time.
import type { Command, CommandOf } from '../../engine/protocol/index.ts';
import { ExchangeMode, MarketField, MarketStatus, RulesVersion } from '../../engine/protocol/index.ts';
import { randomOrder } from './generatorOrders.ts';
import { beatOf, marketIds, orderIdOf, TIME_ZERO_MS, walletOf } from './names.ts';
import { type Actor, actorNow, drawProfile, type Profile } from './profile.ts';
import { Random } from './random.ts';
import { largestReservation, type State } from './referenceState.ts';

/** A command and the time at which it is applied. */
export interface TimedCommand {
  readonly tMs: number;
  readonly command: Command;
}

const windows = [0, 5_000, 3_600_000, 5_400_000, 86_400_000] as const;
const HOUR_MS = 3_600_000;

export class Generator {
  readonly profile: Profile;
  private readonly random: Random;
  private tMs = TIME_ZERO_MS;
  private labelCount = 0;
  private readonly timestampOfId = new Map<string, number>();
  private beatCount = 0;
  /** The commands with which the sequence begins. */
  private readonly opening: Command[] = [];

  constructor(seed: number) {
    this.random = new Random(seed);
    this.profile = drawProfile(this.random);
    this.opening.push(this.started());
    for (let i = 0; i < this.profile.marketsMax; i += 1) this.opening.push(this.market(i, true));
    for (const actor of this.profile.actors) {
      if (this.random.chance(85)) this.opening.push(this.deposit(actor, this.profile.depositMicro));
    }
    for (const actor of this.profile.actors) {
      for (let i = 0; i < this.profile.marketsMax; i += 1) {
        if (this.random.chance(60)) this.opening.push(this.split(actor, i, this.profile.depositMicro / 8));
      }
    }
  }

  /** The next command, given the state after all previous ones. */
  next(state: State): TimedCommand {
    const command = this.opening.shift();
    if (command !== undefined) return { tMs: this.tMs, command };
    const { clockStepMs } = this.profile;
    this.tMs = Math.ceil(this.nextTime(state) / clockStepMs) * clockStepMs;
    return { tMs: this.tMs, command: this.choose(state) };
  }

  private nextTime(state: State): number {
    const { random, tMs } = this;
    return random.weighted<() => number>([
      [700, () => tMs],
      [200, () => tMs + random.int(1, 300)],
      [25, () => tMs + random.int(300, 3_000)],
      [50, () => Math.max(tMs, Math.min(nextDueOf(state) + random.int(-1, 1), tMs + 3_000))],
      [4, () => Math.max(tMs, Math.min(nextDueOf(state) + random.int(-1, 1), tMs + 100_000))],
      [3, () => tMs + random.int(3_000, 40_000)],
      [1, () => tMs + random.int(HOUR_MS / 2, random.pick([HOUR_MS, 26 * HOUR_MS]))],
    ])();
  }

  private choose(state: State): Command {
    const { random } = this;
    const isFull = state.orders.length > 90;
    if (state.mode !== ExchangeMode.NORMAL && random.chance(12)) return { type: 'SetExchangeMode', mode: 0 };
    const flagged = [...state.flagsOfOwner].find(([, flags]) => flags !== 0);
    if (flagged !== undefined && random.chance(10)) {
      return { type: 'SetAccountFlags', owner: flagged[0], mask: random.int(0, 3), flags: 0 };
    }
    return random.weighted<() => Command>([
      [isFull ? 400 : 620, () => this.order(state)],
      [isFull ? 160 : 30, () => this.cancel(state)],
      [isFull ? 30 : 8, () => this.cancelMany(state)],
      [10, () => this.heartbeat(state)],
      [60, () => this.money(state)],
      [90, () => this.position(state)],
      [25, () => this.updateMarket(state)],
      [4, () => this.resolve(state)],
      [this.wantsMarket(state) ? 20 : 0, () => this.market(state.markets.length, false)],
      [4, () => ({ type: 'SetExchangeMode', mode: random.int(0, 4) })],
      [3, () => this.setFlags()],
      [8, () => this.keysAndBindings()],
      [2, () => this.started()],
      [25, () => ({ type: 'Tick' })],
    ])();
  }

  private order(state: State): CommandOf<'PlaceOrder'> {
    this.labelCount += 1;
    return randomOrder(this.random, this.profile, state, this.tMs, this.labelCount, this.timestampOfId);
  }

  private started(): Command {
    const { random } = this;
    return {
      type: 'Started',
      rulesVersion: random.pick(Object.values(RulesVersion)),
      orderWindowMs: random.pick(windows),
      heartbeatWindowMs: random.weighted([
        [1, 0],
        [3, 1_000],
        [20, 10_000],
      ]),
      minedDelayMs: random.pick([0, 0, 700, 5_000]),
      confirmedDelayMs: random.pick([0, 0, 300, 5_000]),
      creditMicro: random.pick([0, 100_000, this.profile.depositMicro]),
    };
  }

  private terms(isGood: boolean) {
    const { random, profile } = this;
    const [minOrderLots, minMarketableBuyMicro] = random.pick(profile.minimums);
    const terms = {
      status: MarketStatus.OPEN as number,
      negRisk: random.int(0, 1),
      autoTick: random.int(0, 1),
      feeExponent: random.int(1, 4),
      tickPips: random.pick(profile.ticks),
      feeRate: profile.hasFees ? random.pick([0, 1, 200, 625, 1000]) : 0,
      minOrderLots,
      delaySeconds: profile.hasDelays ? random.pick([0, 1, 3]) : 0,
      minMarketableBuyMicro,
    };
    if (isGood || random.chance(70)) return terms;
    return {
      ...terms,
      ...random.pick([
        { tickPips: random.pick([0, 2, 20, 500, 10_000]) },
        { minOrderLots: random.pick([0, 1_000_000_001]) },
        { feeRate: 1_001 },
        { feeExponent: random.pick([0, 5]) },
        { delaySeconds: 3_601 },
      ]),
    };
  }

  private market(index: number, isGood: boolean): Command {
    const status = isGood ? MarketStatus.OPEN : this.random.int(0, 2);
    return { type: 'CreateMarket', eventNumber: 0, ...marketIds(index), ...this.terms(true), status };
  }

  private wantsMarket(state: State): boolean {
    const alive = state.markets.filter(({ status }) => status < MarketStatus.CLOSED);
    return alive.length < this.profile.marketsMax + 1;
  }

  private updateMarket(state: State): Command {
    const { random } = this;
    const inactive = state.markets.find(
      ({ status }) => status === MarketStatus.PAUSED || status === MarketStatus.DRAFT,
    );
    if (inactive !== undefined && random.chance(60)) {
      return { type: 'UpdateMarket', marketIndex: inactive.index, mask: MarketField.STATUS, ...this.terms(true) };
    }
    const isClosing = random.chance(6);
    const mask = random.weighted([
      [3, MarketField.TICK],
      [2, MarketField.AUTO_TICK],
      [2, MarketField.FEE],
      [2, MarketField.DELAY],
      [1, MarketField.MIN_ORDER],
      [1, MarketField.MIN_MARKETABLE_BUY],
      [1, random.int(0, 127) & ~MarketField.STATUS],
      [1, 0],
      [2, MarketField.STATUS],
    ]);
    const terms = this.terms(random.chance(80));
    const status = isClosing ? MarketStatus.CLOSED : random.pick([0, 1, 2, 2, 2, 4]);
    return { type: 'UpdateMarket', marketIndex: this.anyMarket(state), mask, ...terms, status };
  }

  private resolve(state: State): Command {
    const marketIndex = this.anyMarket(state);
    // An open market stays unresolved in 85 % of cases, so that a sequence does not run out of open markets.
    const isOpen = state.markets[marketIndex]?.status === MarketStatus.OPEN;
    if (isOpen && this.random.chance(85)) return { type: 'Tick' };
    return { type: 'ResolveMarket', marketIndex, resolution: this.random.int(0, 2) };
  }

  private anyMarket(state: State): number {
    return this.random.chance(2) ? state.markets.length : this.random.int(0, Math.max(0, state.markets.length - 1));
  }

  private cancel(state: State): Command {
    const { random } = this;
    const actor = random.pick(this.profile.actors);
    const items: string[] = [];
    for (let count = random.pick([1, 1, 1, 2, 5]); count > 0; count -= 1) {
      if (state.orders.length > 0 && random.chance(90)) items.push(random.pick(state.orders).id);
      else items.push(orderIdOf(random.int(1, this.labelCount + 3)));
    }
    if (random.chance(10)) items.push(items[0]);
    const target = state.orders.find((order) => order.id === items[0]);
    const owner = target !== undefined && random.chance(85) ? target.account.owner : actor.owner;
    return { type: 'CancelOrders', owner, keyId: actor.keys[0], items };
  }

  private cancelMany(state: State): Command {
    const { random } = this;
    const { owner, keys } = random.pick(this.profile.actors);
    if (random.chance(30)) return { type: 'CancelAll', owner, keyId: keys[0] };
    const marketIndex = this.anyMarket(state);
    return { type: 'CancelMarket', owner, keyId: keys[0], marketIndex, outcome: random.int(0, 2) };
  }

  private heartbeat(state: State): Command {
    const { random } = this;
    const actor = random.pick(this.profile.actors);
    const keyId = random.pick(actor.keys);
    this.beatCount += 1;
    const expected = state.heartbeats.get(keyId)?.expected;
    const given = expected !== undefined && random.chance(85) ? expected : beatOf(random.int(0, this.beatCount));
    const refresh = random.chance(20) ? 1 : 0;
    return { type: 'Heartbeat', owner: actor.owner, keyId, given, next: beatOf(this.beatCount), refresh };
  }

  private deposit({ owner, wallet }: Actor, amountMicro: number): Command {
    return { type: 'Deposit', wallet, owner, amountMicro, isFaucet: this.random.int(0, 1) };
  }

  private split({ owner, wallet, keys }: Actor, marketIndex: number, amountMicro: number): Command {
    return { type: 'Split', wallet, owner, keyId: keys[0], marketIndex, amountMicro, flags: 0 };
  }

  /** The actor as it is; now and then under another owner's name. */
  private someone(state: State): Actor {
    const { random, profile } = this;
    const actor = actorNow(state, random.pick(profile.actors));
    return random.chance(2) ? { ...actor, owner: random.pick(profile.actors).owner } : actor;
  }

  private money(state: State): Command {
    const { random, profile } = this;
    const delayed = state.orders.find((order) => order.isDelayed && order.market.feeRate > 0);
    if (delayed !== undefined && random.chance(25)) {
      // Takes away all that the delayed order does not reserve: the fee may be missing at its release.
      const { owner, wallet, collateral } = delayed.account;
      const amountMicro = Number(collateral - largestReservation(state, delayed.account));
      return { type: 'Withdraw', wallet, owner, amountMicro };
    }
    const actor = this.someone(state);
    const { owner, wallet } = actor;
    const balance = Number(state.accountOfWallet.get(wallet)?.collateral ?? 0n);
    if (random.chance(50)) {
      const free = Number.MAX_SAFE_INTEGER - Number(state.deposited);
      const amount = random.weighted([
        [20, random.int(1, profile.depositMicro)],
        [1, 0],
        [1, Math.min(free + 1, Number.MAX_SAFE_INTEGER)],
        [profile.isHuge ? 1 : 0, free],
      ]);
      return this.deposit(actor, amount);
    }
    const amountMicro = random.weighted([
      [8, random.int(0, balance)],
      [2, balance],
      [1, balance + 1],
      [1, Number.MAX_SAFE_INTEGER],
      [2, random.int(0, 10)],
    ]);
    return { type: 'Withdraw', wallet, owner, amountMicro };
  }

  private position(state: State): Command {
    const { random, profile } = this;
    const { owner, wallet, keys } = this.someone(state);
    const marketIndex = this.anyMarket(state);
    const by = { wallet, owner, keyId: keys[0], marketIndex, flags: 0 };
    const account = state.accountOfWallet.get(wallet);
    const held = account?.shares.get(marketIndex) ?? [0n, 0n];
    const sets = Number(held[0] < held[1] ? held[0] : held[1]);
    const balance = Number(account?.collateral ?? 0n);
    const status = state.markets[marketIndex]?.status;
    const redeemWeight = status === MarketStatus.RESOLVED ? 60 : 1;
    return random.weighted<() => Command>([
      [10, () => ({ type: 'Split', ...by, amountMicro: this.amount(balance) })],
      [6, () => ({ type: 'Merge', ...by, amountMicro: this.amount(sets) })],
      [redeemWeight, () => ({ type: 'Redeem', ...by })],
      [
        4,
        () => ({
          type: 'FaucetShares',
          ...{ wallet, owner, marketIndex },
          outcome: random.int(0, 1),
          amountMicro: random.chance(5) ? Number.MAX_SAFE_INTEGER : this.amount(profile.lotsMax * 10_000),
        }),
      ],
    ])();
  }

  private amount(most: number): number {
    const { random } = this;
    return random.weighted([
      [6, random.int(0, most)],
      [6, random.int(0, Math.floor(most / 20))],
      [2, most],
      [1, most + 1],
      [1, 0],
      [2, random.int(1, 3)],
    ]);
  }

  private setFlags(): Command {
    const { owner } = this.random.pick(this.profile.actors);
    return { type: 'SetAccountFlags', owner, mask: this.random.int(1, 3), flags: this.random.int(0, 3) };
  }

  private keysAndBindings(): Command {
    const { random, profile } = this;
    const { owner, keys, wallet } = random.pick(profile.actors);
    const wallets = [wallet, random.pick(profile.actors).wallet, walletOf(random.int(0, 7), 7)];
    const keyId = random.pick(keys);
    const create = { type: 'CreateApiKey', owner, keyId, nonce: 0, generation: 0, items: wallets } as const;
    return random.weighted<() => Command>([
      [6, () => ({ ...create, kind: random.pick([0, 0, 0, 1, 2]) })],
      [2, () => ({ type: 'CreditOwner', owner, items: wallets })],
      [1, () => ({ type: 'DeleteApiKey', owner, keyId })],
      [1, () => ({ type: 'CreateEvent', negRisk: 0 })],
      [3, () => ({ type: 'BindWallet', owner, wallet: random.pick(wallets), signatureType: 0 })],
    ])();
  }
}

/** When the next item of the reference's state falls due (ms), or Infinity. */
function nextDueOf(state: State): number {
  let next = Number.POSITIVE_INFINITY;
  for (const order of state.orders) {
    if (order.isDelayed) next = Math.min(next, order.releaseAtMs);
    else if (order.expirationS > 0) next = Math.min(next, (order.expirationS - 60) * 1000);
  }
  for (const { isActive, deadlineMs } of state.heartbeats.values()) if (isActive) next = Math.min(next, deadlineMs);
  for (const { dueMs } of state.pendingStatuses) next = Math.min(next, dueMs);
  return next;
}
