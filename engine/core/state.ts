// Everything the core remembers, in one object that its functions pass along, and the two scratch objects of the order at
// hand. Only the core's own files touch it; nothing outside ever reads it.
import { EventWriter } from '../protocol/eventWriter.ts';
import { limits } from '../protocol/limits.ts';
import type { MarketTermsMessage } from '../protocol/marketTerms.ts';
import { ExchangeMode, RULES_VERSION } from '../protocol/terms.ts';
import { Accounts } from './accounts.ts';
import { type Alarm, DueHeap } from './dueHeap.ts';
import { Heartbeats } from './heartbeatTable.ts';
import { IdWindow } from './idWindow.ts';
import { LadderSpace } from './ladderSpace.ts';
import { Ledger } from './ledger.ts';
import { Market } from './market.ts';
import { NONE, OrderPool } from './orderPool.ts';

/** What is kept of a delayed order besides its record in the pool. It is in no ladder. */
export interface DelayedOrder {
  readonly releaseAtMs: number;
  readonly orderType: number;
  readonly limitPips: number;
  /** FOK and FAK BUY: collateral to spend, micro; else 0. */
  readonly budgetMicro: number;
  readonly lots: number;
  readonly expirationS: number;
  /** What it reserves: micro of collateral (BUY) or of its token (SELL). */
  readonly reservedMicro: number;
}

/** The order being entered or released: one object, reused each time. */
export class TakerOrder {
  /** Its slot when it is already in the pool (a release), else NONE. */
  slot = NONE;
  number = 0;
  account = NONE;
  owner = NONE;
  position = NONE;
  outcome = 0;
  side = 0;
  orderType = 0;
  flags = 0;
  /** Limit in its own token and in the first token's terms, pips. */
  limitPips = 0;
  ladderPips = 0;
  /** BID or ASK. */
  ladderSide = 0;
  lots = 0;
  isBuy = false;
  /** Whether a remainder rests: GTC and GTD. */
  canRest = false;
  // As signed. Fields, as are the figures below, because a number beyond 32 bits is boxed each time it is passed from function
  // to function; a field is updated in place. NaN makes them floats from the start, see engine/compiler.ts.
  timestampMs = Number.NaN;
  makerMicro = Number.NaN;
  takerMicro = Number.NaN;
  expirationS = Number.NaN;
  /** FOK and FAK BUY: collateral to spend, micro; else 0. */
  budgetMicro = Number.NaN;
  /** What fundsShort found, micro: collateral for a BUY, shares of its token for a SELL. */
  balanceMicro = Number.NaN;
  reservedMicro = Number.NaN;
  neededMicro = Number.NaN;
}

/** Commands of a batch that are prefetched together: the lines of more of them would not fit into the nearest cache. */
export const AHEAD_MAX = 64;

/** The result of the dry run: one object, reused each time. */
export class DryRun {
  foundLots = 0;
  costMicro = Number.NaN;
  feeMicro = Number.NaN;
  /** The unspent part of a budget. */
  budgetLeftMicro = Number.NaN;
  /** Collateral that self-trade cancels give back to a BUY's own position. */
  releasedCollateralMicro = Number.NaN;
  /** Slots of own orders in the way, in the order of the walk: the first `ownCount`. */
  ownSlots = new Int32Array(64);
  ownCount = 0;
}

export class CoreState {
  /** The command's time, and where its events go. */
  tMs = Number.NaN;
  out = new EventWriter(1024);
  readonly pool = new OrderPool();
  readonly accounts = new Accounts();
  readonly ledger = new Ledger();
  readonly ids = new IdWindow();
  readonly alarm: Alarm = { ms: Infinity };
  readonly heartbeats = new Heartbeats(this.alarm);
  readonly markets: Market[] = [];
  readonly ladderSpace = new LadderSpace();
  readonly delayed = new Map<number, DelayedOrder>();
  readonly expiries = new DueHeap(this.alarm, this.pool);
  readonly releases = new DueHeap(this.alarm, this.pool);
  readonly statuses = new DueHeap(this.alarm);
  /** Trades of all markets so far. */
  tradeCount = 0;
  /** Number of this command's trades whose statuses change at once, as no delay is set: the latest ones of `freshMarket`. */
  freshTrades = 0;
  freshMarket = NONE;
  mode: number = ExchangeMode.NORMAL;
  lastOrderNumber = 0;
  depositsMicro = Number.NaN;
  withdrawalsMicro = Number.NaN;
  dustMicro = Number.NaN;
  // Settings of the latest start.
  rulesVersion: number = RULES_VERSION;
  orderWindowMs: number = limits.orderWindowDefaultMs;
  heartbeatWindowMs: number = limits.heartbeatWindowDefaultMs;
  minedDelayMs = 0;
  confirmedDelayMs = 0;
  creditMicro = 0;
  /** Accounts whose balance fell below the bound of their reservations in this command: the first `suspectCount`. */
  suspects = new Int32Array(64);
  suspectCount = 0;
  /**
   * The market in which this command, or the due item being settled, has rested an order that outlives it or changed the terms;
   * NONE if none. It is examined for auto tick at the end.
   */
  touchedMarket = NONE;
  /** Takes the words that are read only to prefetch their cache lines; its value means nothing. */
  prefetched = 0;
  /**
   * What looking ahead found for the orders of a batch that are still to be applied, those from `aheadAt` on: their accounts
   * (final once opened, NONE before) and guesses of their positions. Consumed by entry.
   */
  readonly aheadAccounts = new Int32Array(AHEAD_MAX);
  readonly aheadPositions = new Int32Array(AHEAD_MAX);
  aheadAt = 0;
  aheadCount = 0;
  readonly taker = new TakerOrder();
  readonly dry = new DryRun();

  constructor() {
    // NaN first, then 0: floats from the start, see engine/compiler.ts.
    this.tMs = 0;
    this.depositsMicro = 0;
    this.withdrawalsMicro = 0;
    this.dustMicro = 0;
  }

  /** When the next due item must be settled, ms; Infinity when nothing is due. */
  nextDueMs(): number {
    const { expiries, releases, heartbeats, statuses } = this;
    return Math.min(expiries.nextMs, releases.nextMs, heartbeats.due.nextMs, statuses.nextMs);
  }

  addMarket(terms: MarketTermsMessage): Market {
    if (this.markets.length >= limits.marketsMax) throw new Error(`markets: more than ${limits.marketsMax}`);
    const market = new Market(this.markets.length, terms, this.ladderSpace);
    this.markets.push(market);
    return market;
  }

  /** Called when an account's collateral fell: if it may no longer cover the account's orders, the coverage pass will check. */
  noteFall(account: number): void {
    const { ledger } = this;
    if (ledger.collateral[account] >= ledger.bound[account]) return;
    if (this.suspectCount === this.suspects.length) {
      const larger = new Int32Array(this.suspects.length * 2);
      larger.set(this.suspects);
      this.suspects = larger;
    }
    this.suspects[this.suspectCount] = account;
    this.suspectCount += 1;
  }
}
