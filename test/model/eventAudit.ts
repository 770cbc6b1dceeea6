// Follows the events alone, as a reader of the journal would, and checks that each is consistent with those before it:
// balances move by exactly the traded amounts, makers are met in price-time order, every fill respects the order's signed
// bound. Used by the model test on the core's events. It never looks into an exchange.
import type { Command, CommandOf, EngineEvent, EventOf } from '../../engine/protocol/index.ts';
import { CashKind, FillKind, Side } from '../../engine/protocol/index.ts';
import { fail } from './invariants.ts';
import { FEES_WALLET, HOUSE_WALLET } from './names.ts';

interface AuditedAccount {
  owner: string;
  collateral: bigint;
  readonly shares: Map<string, bigint>;
}

interface AuditedOrder {
  readonly account: AuditedAccount;
  readonly owner: string;
  readonly marketIndex: number;
  readonly outcome: number;
  readonly side: number;
  readonly pricePips: number;
  readonly makerAmount: bigint;
  readonly takerAmount: bigint;
  remainingLots: number;
  /** Collateral that changed hands, before fees, and micro-shares. */
  money: bigint;
  shares: bigint;
  /** Time priority among resting orders; 0 while it does not rest. */
  restedAs: number;
}

interface AuditedMarket {
  vault: bigint;
  trades: number;
  feeRate: number;
  feeExponent: number;
}

export class EventAudit {
  private readonly accounts: AuditedAccount[] = [
    { owner: FEES_WALLET, collateral: 0n, shares: new Map() },
    { owner: HOUSE_WALLET, collateral: 0n, shares: new Map() },
  ];
  private readonly markets: AuditedMarket[] = [];
  private readonly orders = new Map<number, AuditedOrder>();
  private readonly wallets = new Map<number, string>([
    [0, FEES_WALLET],
    [1, HOUSE_WALLET],
  ]);
  private fills: EventOf<'Fill'>[] = [];
  private restedCount = 0;
  private paidIn = 0n;
  private dust = 0n;

  /** Checks the events of one command, and updates the audited state with them. */
  observe(command: Command, events: readonly EngineEvent[]): void {
    if (command.type === 'BindWallet') this.rebind(command);
    for (const event of events) this.take(command, event);
    if (this.fills.length > 0) fail('fills are followed by their trade', { fills: this.fills.length });
    if (events.some(({ type }) => type !== 'TradeStatusChanged')) this.checkConservation();
  }

  private rebind(command: CommandOf<'BindWallet'>): void {
    for (const [accountId, wallet] of this.wallets) {
      if (wallet === command.wallet) this.accounts[accountId].owner = command.owner;
    }
  }

  private take(command: Command, event: EngineEvent): void {
    switch (event.type) {
      case 'AccountOpened':
        if (event.accountId !== this.accounts.length) fail('accounts are numbered in turn', { id: event.accountId });
        this.accounts.push({ owner: event.owner, collateral: 0n, shares: new Map() });
        this.wallets.set(event.accountId, event.wallet);
        return;
      case 'MarketCreated':
        this.markets.push({ vault: 0n, trades: 0, feeRate: event.feeRate, feeExponent: event.feeExponent });
        return;
      case 'MarketUpdated':
        Object.assign(this.markets[event.marketIndex], { feeRate: event.feeRate, feeExponent: event.feeExponent });
        return;
      case 'OrderAccepted':
        if (command.type === 'PlaceOrder') this.accept(command, event);
        return;
      case 'OrderRested': {
        const order = this.orderOf(event.orderNumber);
        if (order.remainingLots !== event.lots) fail('what rests is what is left', { ...event });
        this.restedCount += 1;
        order.restedAs = this.restedCount;
        return;
      }
      case 'OrderCanceled':
      case 'OrderFilled':
        this.orders.delete(event.orderNumber);
        return;
      case 'Fill':
        this.fills.push(event);
        return;
      case 'Trade':
        this.settle(event);
        return;
      default:
        this.takeMoney(event);
    }
  }

  private takeMoney(event: EngineEvent): void {
    switch (event.type) {
      case 'CollateralChanged': {
        const amount = BigInt(event.amountMicro) * (event.kind === CashKind.WITHDRAWAL ? -1n : 1n);
        this.paidIn += amount;
        this.moveMoney(this.accounts[event.accountId], amount, event.collateralMicro);
        return;
      }
      case 'SharesCredited': {
        const { marketIndex, outcome } = event;
        const amount = BigInt(event.amountMicro);
        this.paidIn += amount;
        this.moveShares(this.accounts[event.accountId], marketIndex, outcome, amount, event.sharesMicro);
        this.moveShares(this.accounts[1], marketIndex, 1 - outcome, amount, event.houseSharesMicro);
        this.moveVault(marketIndex, amount, event.vaultMicro);
        return;
      }
      case 'PositionSplit':
      case 'PositionMerged': {
        const made = BigInt(event.amountMicro) * (event.type === 'PositionSplit' ? 1n : -1n);
        const account = this.accounts[event.accountId];
        this.moveMoney(account, -made, event.collateralMicro);
        this.moveShares(account, event.marketIndex, 0, made, event.firstSharesMicro);
        this.moveShares(account, event.marketIndex, 1, made, event.secondSharesMicro);
        this.moveVault(event.marketIndex, made, event.vaultMicro);
        return;
      }
      case 'PositionRedeemed': {
        const account = this.accounts[event.accountId];
        this.moveShares(account, event.marketIndex, 0, -BigInt(event.firstBurnedMicro), 0);
        this.moveShares(account, event.marketIndex, 1, -BigInt(event.secondBurnedMicro), 0);
        this.moveMoney(account, BigInt(event.payoutMicro), event.collateralMicro);
        const swept = BigInt(event.dustMicro) - this.dust;
        this.dust += swept;
        this.moveVault(event.marketIndex, -BigInt(event.payoutMicro) - swept, event.vaultMicro);
        return;
      }
      default:
        return;
    }
  }

  private orderOf(number: number): AuditedOrder {
    return this.orders.get(number) ?? fail('events speak of live orders', { number });
  }

  private moveMoney(account: AuditedAccount, amount: bigint, stated: number): void {
    account.collateral += amount;
    const { collateral } = account;
    if (collateral !== BigInt(stated) || collateral < 0n) fail('collateral moves as stated', { collateral, stated });
  }

  private moveShares(account: AuditedAccount, market: number, outcome: number, amount: bigint, stated: number): void {
    const after = (account.shares.get(`${market}/${outcome}`) ?? 0n) + amount;
    account.shares.set(`${market}/${outcome}`, after);
    if (after !== BigInt(stated) || after < 0n) fail('shares move as stated', { market, outcome, after, stated });
  }

  private moveVault(marketIndex: number, amount: bigint, stated: number): void {
    const market = this.markets[marketIndex];
    market.vault += amount;
    const { vault } = market;
    if (vault !== BigInt(stated) || vault < 0n) fail('a vault moves as stated', { marketIndex, vault, stated });
  }

  private accept(command: CommandOf<'PlaceOrder'>, event: EventOf<'OrderAccepted'>): void {
    const account = this.accounts[event.accountId];
    this.orders.set(event.orderNumber, {
      account,
      owner: account.owner,
      marketIndex: event.marketIndex,
      outcome: event.outcome,
      side: event.side,
      pricePips: event.pricePips,
      makerAmount: BigInt(command.makerAmountMicro),
      takerAmount: BigInt(command.takerAmountMicro),
      remainingLots: event.originalLots,
      money: 0n,
      shares: 0n,
      restedAs: 0,
    });
  }

  /** Settles all fills of one trade, then the trade itself. */
  private settle(trade: EventOf<'Trade'>): void {
    const taker = this.orderOf(trade.takerOrderNumber);
    const market = this.markets[trade.marketIndex];
    let lots = 0;
    let sets = 0n;
    for (const fill of this.fills) {
      this.settleMaker(taker, trade, fill);
      lots += fill.lots;
      if (fill.kind === FillKind.MINT) sets += BigInt(fill.lots) * 10_000n;
      if (fill.kind === FillKind.MERGE) sets -= BigInt(fill.lots) * 10_000n;
    }
    if (lots !== trade.lots || this.fills.length !== trade.fillCount) fail('a trade is the sum of its fills', { lots });
    this.fills = [];
    market.trades += 1;
    if (market.trades !== trade.tradeNumber) fail('trades are numbered in turn', { trades: market.trades });
    const fee = expectedFee(market, trade.lots, trade.pricePips);
    if (fee !== BigInt(trade.feeMicro)) fail('the fee is exact', { fee, stated: trade.feeMicro });
    this.bookFill(taker, trade.lots, trade.pricePips);
    const paid = BigInt(trade.lots) * BigInt(trade.pricePips) * (taker.side === Side.BUY ? 1n : -1n) + fee;
    const isFees = taker.account === this.accounts[0];
    this.moveMoney(taker.account, isFees ? fee - paid : -paid, trade.takerCollateralMicro);
    const got = BigInt(trade.lots) * 10_000n * (taker.side === Side.BUY ? 1n : -1n);
    this.moveShares(taker.account, trade.marketIndex, taker.outcome, got, trade.takerSharesMicro);
    this.moveMoney(this.accounts[0], isFees ? 0n : fee, trade.feesCollateralMicro);
    this.moveVault(trade.marketIndex, sets, trade.vaultMicro);
  }

  private settleMaker(taker: AuditedOrder, trade: EventOf<'Trade'>, fill: EventOf<'Fill'>): void {
    const maker = this.orderOf(fill.makerOrderNumber);
    const { makerOrderNumber: number, lots } = fill;
    this.checkPriority(taker, maker);
    if (fill.pricePips !== maker.pricePips) fail('a maker trades at its own price', { number, price: fill.pricePips });
    const price = maker.outcome === taker.outcome ? maker.pricePips : 10_000 - maker.pricePips;
    if (price !== trade.pricePips) fail('a trade has one price', { number, price, stated: trade.pricePips });
    const isOther = maker.outcome !== taker.outcome;
    const kind = isOther ? (taker.side === Side.BUY ? FillKind.MINT : FillKind.MERGE) : FillKind.COMPLEMENTARY;
    if (kind !== fill.kind) fail('the kind follows from tokens and sides', { number, kind: fill.kind });
    if (maker.owner === taker.owner) fail('nobody trades with themselves', { number });
    const sign = maker.side === Side.BUY ? 1n : -1n;
    this.bookFill(maker, lots, maker.pricePips);
    if (maker.remainingLots !== fill.remainingLots) fail('what a maker has left adds up', { number });
    const money = -sign * BigInt(lots) * BigInt(maker.pricePips);
    this.moveMoney(maker.account, money, fill.makerCollateralMicro);
    const shares = sign * BigInt(lots) * 10_000n;
    this.moveShares(maker.account, maker.marketIndex, maker.outcome, shares, fill.makerSharesMicro);
    if (maker.remainingLots === 0) this.orders.delete(number);
  }

  /** Checks that no resting order of another owner that the taker could have met has priority over the maker. */
  private checkPriority(taker: AuditedOrder, maker: AuditedOrder): void {
    if (maker.restedAs === 0 || maker.marketIndex !== taker.marketIndex || isBid(maker) === isBid(taker)) {
      fail('a maker rests on the other side', { restedAs: maker.restedAs });
    }
    const sign = isBid(maker) ? -1 : 1;
    const rank = sign * ladderPips(maker);
    for (const other of this.orders.values()) {
      if (other.restedAs === 0 || other.marketIndex !== maker.marketIndex || isBid(other) !== isBid(maker)) continue;
      if (other.owner === taker.owner || other === maker) continue;
      const otherRank = sign * ladderPips(other);
      const isBefore = otherRank < rank || (otherRank === rank && other.restedAs < maker.restedAs);
      if (isBefore) fail('makers are met in price-time order', { met: maker.restedAs, before: other.restedAs });
    }
  }

  /** Books a fill of an order and checks its signed bound, by cross-multiplication. */
  private bookFill(order: AuditedOrder, lots: number, pips: number): void {
    order.remainingLots -= lots;
    order.money += BigInt(lots) * BigInt(pips);
    order.shares += BigInt(lots) * 10_000n;
    const { makerAmount, takerAmount, money, shares } = order;
    const [received, given] = order.side === Side.BUY ? [shares, money] : [money, shares];
    if (received * makerAmount < given * takerAmount) {
      fail('an order is served within its signed bound', { received, given, makerAmount, takerAmount });
    }
    if (given > makerAmount) fail('no order gives more than it signed', { given, makerAmount });
  }

  private checkConservation(): void {
    let held = this.dust;
    for (const { collateral } of this.accounts) held += collateral;
    for (const { vault } of this.markets) held += vault;
    if (held !== this.paidIn) fail('the events lose and create nothing', { held, paidIn: this.paidIn });
  }
}

const isBid = ({ side, outcome }: AuditedOrder): boolean => (side === Side.BUY) === (outcome === 0);
const ladderPips = ({ pricePips, outcome }: AuditedOrder): number => (outcome === 0 ? pricePips : 10_000 - pricePips);

function expectedFee({ feeRate, feeExponent }: AuditedMarket, lots: number, pips: number): bigint {
  const power = (BigInt(pips) * BigInt(10_000 - pips)) ** BigInt(feeExponent);
  const scale = 10n ** BigInt(8 * feeExponent + 1);
  return ((BigInt(lots) * BigInt(feeRate) * power) / scale) * 10n;
}
