// The exchange rebuilt from its events alone, in plain numbers and fast enough for every record of a simulation: balances
// move by the traded amounts, the first order of the best level is filled first, nothing is created or lost. Its state
// after a record is what books, orders and balances must show. It never looks into an exchange.
import {
  CancelReason,
  CashKind,
  type Command,
  type EngineEvent,
  type EventOf,
  FillKind,
  MarketStatus,
  MICRO_PER_LOT,
  PIPS_PER_UNIT,
  Resolution,
  Side,
} from '../../engine/index.ts';
import { FEES_WALLET, HOUSE_WALLET } from '../model/names.ts';
import { feeOf } from '../model/referenceBook.ts';
import { SimulationFailure } from './failure.ts';

interface AuditedAccount {
  readonly wallet: string;
  owner: string;
  collateral: number;
  /** Micro-shares by market × 2 + outcome. */
  readonly shares: Map<number, number>;
}

export interface AuditedOrder {
  readonly number: number;
  readonly id: string;
  readonly keyId: string;
  readonly account: AuditedAccount;
  readonly market: AuditedMarket;
  readonly outcome: number;
  readonly side: number;
  readonly pips: number;
  remaining: number;
  /** The most it may still give, in micro of money or shares. */
  mayGive: number;
  isResting: boolean;
}

export interface AuditedSide {
  /** Prices in the first token's terms, the best last; the orders at each price in time order. */
  readonly pips: number[];
  readonly levels: Map<number, AuditedOrder[]>;
}

export interface AuditedMarket {
  readonly index: number;
  readonly bids: AuditedSide;
  readonly asks: AuditedSide;
  feeRate: number;
  feeExponent: number;
  vault: number;
  trades: number;
  status: number;
  resolution: number;
}

export function fail(what: string, figures: Readonly<Record<string, unknown>> = {}): never {
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${String(value)}`);
  throw new SimulationFailure(`audit: ${what}`, shown.join(', '));
}

export class Audit {
  readonly accounts: AuditedAccount[] = [];
  readonly markets: AuditedMarket[] = [];
  readonly orders = new Map<number, AuditedOrder>();
  private readonly byWallet = new Map<string, AuditedAccount>();
  private fills: EventOf<'Fill'>[] = [];
  private paidIn = 0;
  private held = 0;
  private dust = 0;
  private lastNumber = 0;

  constructor() {
    this.openAccount(FEES_WALLET, FEES_WALLET);
    this.openAccount(HOUSE_WALLET, HOUSE_WALLET);
  }

  accountOf(wallet: string): AuditedAccount | undefined {
    return this.byWallet.get(wallet);
  }

  /** Checks the events of one record, and updates the audited state with them. */
  observe(command: Command, events: readonly EngineEvent[]): void {
    if (command.type === 'BindWallet' && events[0]?.type !== 'Rejected') {
      const account = this.byWallet.get(command.wallet);
      if (account !== undefined) account.owner = command.owner;
    }
    for (let i = 0; i < events.length; i += 1) this.take(command, events[i]);
    if (this.fills.length > 0) fail('fills are followed by their trade');
    if (this.held !== this.paidIn) fail('nothing is created or lost', { held: this.held, paidIn: this.paidIn });
  }

  private openAccount(wallet: string, owner: string): void {
    const account = { wallet, owner, collateral: 0, shares: new Map<number, number>() };
    this.accounts.push(account);
    this.byWallet.set(wallet, account);
  }

  private take(command: Command, event: EngineEvent): void {
    switch (event.type) {
      case 'OrderAccepted':
        this.accept(command, event);
        return;
      case 'OrderKilled':
        this.takeNumber(event.orderNumber);
        return;
      case 'OrderRested':
        this.rest(this.orderOf(event.orderNumber), event.lots);
        return;
      case 'OrderFilled':
        this.end(this.orderOf(event.orderNumber));
        return;
      case 'OrderCanceled':
        this.cancel(event);
        return;
      case 'Fill':
        this.fills.push(event);
        return;
      case 'Trade':
        this.settle(event);
        return;
      case 'TradeStatusChanged':
      case 'CancelRefused':
        return;
      default:
        this.takeMoney(event);
    }
  }

  private takeMoney(event: EngineEvent): void {
    switch (event.type) {
      case 'AccountOpened':
        if (event.accountId !== this.accounts.length) fail('accounts are numbered in turn', { id: event.accountId });
        this.openAccount(event.wallet, event.owner);
        return;
      case 'CollateralChanged': {
        const amount = event.kind === CashKind.WITHDRAWAL ? -event.amountMicro : event.amountMicro;
        this.paidIn += amount;
        this.moveMoney(this.accounts[event.accountId], amount, event.collateralMicro);
        return;
      }
      case 'SharesCredited': {
        const { marketIndex, outcome, amountMicro } = event;
        this.paidIn += amountMicro;
        this.moveShares(this.accounts[event.accountId], marketIndex, outcome, amountMicro, event.sharesMicro);
        this.moveShares(this.accounts[1], marketIndex, 1 - outcome, amountMicro, event.houseSharesMicro);
        this.moveVault(this.markets[marketIndex], amountMicro, event.vaultMicro);
        return;
      }
      case 'PositionSplit':
      case 'PositionMerged': {
        const made = event.type === 'PositionSplit' ? event.amountMicro : -event.amountMicro;
        const account = this.accounts[event.accountId];
        this.moveMoney(account, -made, event.collateralMicro);
        this.moveShares(account, event.marketIndex, 0, made, event.firstSharesMicro);
        this.moveShares(account, event.marketIndex, 1, made, event.secondSharesMicro);
        this.moveVault(this.markets[event.marketIndex], made, event.vaultMicro);
        return;
      }
      case 'PositionRedeemed':
        this.redeem(event);
        return;
      default:
        this.takeMarket(event);
    }
  }

  private takeMarket(event: EngineEvent): void {
    switch (event.type) {
      case 'MarketCreated': {
        if (event.marketIndex !== this.markets.length)
          fail('markets are numbered in turn', { index: event.marketIndex });
        const side = (): AuditedSide => ({ pips: [], levels: new Map() });
        const { marketIndex: index, status, feeRate, feeExponent } = event;
        const terms = { status, feeRate, feeExponent };
        this.markets.push({ index, bids: side(), asks: side(), ...terms, vault: 0, trades: 0, resolution: -1 });
        return;
      }
      case 'MarketUpdated': {
        const { status, feeRate, feeExponent } = event;
        Object.assign(this.markets[event.marketIndex], { status, feeRate, feeExponent });
        return;
      }
      case 'MarketResolved': {
        const market = this.markets[event.marketIndex];
        if (market.bids.pips.length + market.asks.pips.length > 0) fail('a resolved market has no orders');
        market.status = MarketStatus.RESOLVED;
        market.resolution = event.resolution;
        return;
      }
      default:
        return;
    }
  }

  private redeem(event: EventOf<'PositionRedeemed'>): void {
    const account = this.accounts[event.accountId];
    const { firstBurnedMicro: first, secondBurnedMicro: second, payoutMicro: payout } = event;
    const market = this.markets[event.marketIndex];
    const winner = market.resolution === Resolution.FIRST ? first : second;
    const due = market.resolution === Resolution.SPLIT ? Math.floor((first + second) / 2) : winner;
    if (payout !== due) fail('a redemption pays what the market resolved to', { payout, due });
    this.moveShares(account, event.marketIndex, 0, -first, 0);
    this.moveShares(account, event.marketIndex, 1, -second, 0);
    this.moveMoney(account, payout, event.collateralMicro);
    const swept = event.dustMicro - this.dust;
    this.dust += swept;
    this.held += swept;
    this.moveVault(market, -payout - swept, event.vaultMicro);
  }

  private takeNumber(orderNumber: number): void {
    this.lastNumber += 1;
    if (orderNumber !== this.lastNumber) fail('orders are numbered in turn', { orderNumber, due: this.lastNumber });
  }

  private orderOf(number: number): AuditedOrder {
    return this.orders.get(number) ?? fail('events speak of live orders', { number });
  }

  private moveMoney(account: AuditedAccount, amount: number, stated: number): void {
    account.collateral += amount;
    this.held += amount;
    const { collateral } = account;
    if (collateral !== stated || collateral < 0) fail('collateral moves as stated', { collateral, stated });
  }

  private moveShares(account: AuditedAccount, market: number, outcome: number, amount: number, stated: number): void {
    const key = market * 2 + outcome;
    const after = (account.shares.get(key) ?? 0) + amount;
    account.shares.set(key, after);
    if (after !== stated || after < 0) fail('shares move as stated', { market, outcome, after, stated });
  }

  private moveVault(market: AuditedMarket, amount: number, stated: number): void {
    market.vault += amount;
    this.held += amount;
    if (market.vault !== stated || stated < 0) fail('a vault moves as stated', { vault: market.vault, stated });
  }

  private accept(command: Command, event: EventOf<'OrderAccepted'>): void {
    if (command.type !== 'PlaceOrder') fail('only orders are accepted', { command: command.type });
    this.takeNumber(event.orderNumber);
    const { outcome, side, pricePips: pips, orderNumber: number } = event;
    this.orders.set(number, {
      ...{ number, outcome, side, pips, id: command.orderId, keyId: command.keyId },
      account: this.accounts[event.accountId],
      market: this.markets[event.marketIndex],
      remaining: event.originalLots,
      mayGive: command.makerAmountMicro,
      isResting: false,
    });
  }

  private rest(order: AuditedOrder, lots: number): void {
    if (order.remaining !== lots || lots < 1 || order.isResting) fail('what rests is what is left', { lots });
    order.isResting = true;
    const { bids } = order.market;
    const side = sideOf(order);
    const pips = ladderPips(order);
    const level = side.levels.get(pips);
    if (level !== undefined) {
      level.push(order);
      return;
    }
    side.levels.set(pips, [order]);
    let at = side.pips.length;
    while (at > 0 && (side === bids ? side.pips[at - 1] > pips : side.pips[at - 1] < pips)) at -= 1;
    side.pips.splice(at, 0, pips);
  }

  private cancel(event: EventOf<'OrderCanceled'>): void {
    const order = this.orderOf(event.orderNumber);
    if (order.isResting && event.lots !== order.remaining) fail('a cancel names what is left', { lots: event.lots });
    if (event.reason === CancelReason.FAK_REMAINDER && order.isResting) fail('a FAK order never rests');
    this.end(order);
  }

  private end(order: AuditedOrder): void {
    this.orders.delete(order.number);
    if (!order.isResting) return;
    const side = sideOf(order);
    const pips = ladderPips(order);
    const level = side.levels.get(pips) ?? [];
    level.splice(level.indexOf(order), 1);
    if (level.length > 0) return;
    side.levels.delete(pips);
    side.pips.splice(side.pips.lastIndexOf(pips), 1);
  }

  /** Settles all fills of one trade, then the trade itself. */
  private settle(trade: EventOf<'Trade'>): void {
    const taker = this.orderOf(trade.takerOrderNumber);
    const { market } = taker;
    let lots = 0;
    let sets = 0;
    for (const fill of this.fills) {
      this.settleMaker(taker, trade, fill);
      lots += fill.lots;
      if (fill.kind === FillKind.MINT) sets += fill.lots * MICRO_PER_LOT;
      if (fill.kind === FillKind.MERGE) sets -= fill.lots * MICRO_PER_LOT;
    }
    if (lots !== trade.lots || this.fills.length !== trade.fillCount) fail('a trade is the sum of its fills', { lots });
    this.fills = [];
    market.trades += 1;
    if (market.trades !== trade.tradeNumber) fail('trades are numbered in turn', { trades: market.trades });
    const isBuy = taker.side === Side.BUY;
    if (isBuy ? trade.pricePips > taker.pips : trade.pricePips < taker.pips) fail('a taker pays at most its limit');
    const fee = market.feeRate === 0 ? 0 : Number(feeOf(market, trade.lots, trade.pricePips));
    if (trade.feeMicro !== fee) fail("a trade has its market's fee", { due: fee, stated: trade.feeMicro });
    const cost = trade.lots * trade.pricePips;
    const shares = trade.lots * MICRO_PER_LOT;
    this.bookFill(taker, trade.lots, isBuy ? cost : shares);
    this.moveMoney(taker.account, (isBuy ? -cost : cost) - trade.feeMicro, trade.takerCollateralMicro);
    const got = isBuy ? shares : -shares;
    this.moveShares(taker.account, market.index, taker.outcome, got, trade.takerSharesMicro);
    this.moveMoney(this.accounts[0], trade.feeMicro, trade.feesCollateralMicro);
    this.moveVault(market, sets, trade.vaultMicro);
  }

  private settleMaker(taker: AuditedOrder, trade: EventOf<'Trade'>, fill: EventOf<'Fill'>): void {
    const maker = this.orderOf(fill.makerOrderNumber);
    const { market, outcome, pips } = maker;
    const side = sideOf(maker);
    const best = side.pips[side.pips.length - 1];
    if (market !== taker.market || isBid(maker) === isBid(taker)) fail('a maker rests on the other side');
    if (side.levels.get(best)?.[0] !== maker)
      fail('makers are met in price-time order', { number: maker.number, best });
    if (fill.pricePips !== pips) fail('a maker trades at its own price', { number: maker.number });
    if ((outcome === taker.outcome ? pips : PIPS_PER_UNIT - pips) !== trade.pricePips) fail('a trade has one price');
    const isOther = outcome !== taker.outcome;
    const kind = isOther ? (taker.side === Side.BUY ? FillKind.MINT : FillKind.MERGE) : FillKind.COMPLEMENTARY;
    if (kind !== fill.kind) fail('the kind follows from tokens and sides', { kind: fill.kind });
    if (maker.account.owner === taker.account.owner) fail('nobody trades with themselves', { number: maker.number });
    const isBuy = maker.side === Side.BUY;
    const money = fill.lots * pips;
    const shares = fill.lots * MICRO_PER_LOT;
    this.bookFill(maker, fill.lots, isBuy ? money : shares);
    if (maker.remaining !== fill.remainingLots) fail('what a maker has left adds up', { number: maker.number });
    this.moveMoney(maker.account, isBuy ? -money : money, fill.makerCollateralMicro);
    this.moveShares(maker.account, market.index, outcome, isBuy ? shares : -shares, fill.makerSharesMicro);
    if (maker.remaining === 0) this.end(maker);
  }

  /** Books a fill of an order and checks that the order gives no more than its owner signed. */
  private bookFill(order: AuditedOrder, lots: number, micro: number): void {
    order.remaining -= lots;
    order.mayGive -= micro;
    if (order.mayGive < 0) fail('no order gives more than it signed', { number: order.number, by: -order.mayGive });
  }
}

/** Whether an order bids in the first token's terms. */
const isBid = ({ side, outcome }: AuditedOrder): boolean => (side === Side.BUY) === (outcome === 0);
const sideOf = (order: AuditedOrder): AuditedSide => (isBid(order) ? order.market.bids : order.market.asks);
const ladderPips = ({ pips, outcome }: AuditedOrder): number => (outcome === 0 ? pips : PIPS_PER_UNIT - pips);
