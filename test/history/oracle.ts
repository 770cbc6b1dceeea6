// The meaning of a list of log records for users, computed from the first record in unbounded integers: holdings with their
// cost, trades and activity by wallet, markets as they are shown. Used by the tests of the historian as their referee; it
// shares no code with server/history and keeps no index, so it is slow and short.
import type { EngineEvent, LogRecord } from '../../engine/index.ts';
import { tradeId, transactionHash } from '../../server/wire/ids.ts';

type Texts = Readonly<Record<string, unknown>>;

interface OracleEvent {
  readonly number: number;
  readonly texts: Texts;
}

export interface OracleMarket {
  readonly index: number;
  readonly eventNumber: number;
  readonly conditionId: string;
  readonly tokens: readonly [string, string];
  negRisk: boolean;
  texts: Texts;
  resolution: number | undefined;
  /** The price of the last trade, in the first token's terms. */
  lastPips: number | undefined;
  /** Collateral of its trades, at their takers' prices. */
  volume: bigint;
  /** Full sets in existence, as the log last stated. */
  vault: bigint;
}

export interface OracleRow {
  readonly wallet: string;
  readonly market: OracleMarket;
  readonly outcome: 0 | 1;
  readonly type: 'TRADE' | 'SPLIT' | 'MERGE' | 'REDEEM';
  readonly side: 'BUY' | 'SELL';
  readonly isOfToken: boolean;
  readonly isTaker: boolean;
  readonly size: bigint;
  readonly pricePips: number;
  readonly cash: bigint;
  readonly tMs: number;
  readonly hash: string;
}

/** A wallet's current or former holding of a token. */
export interface OracleHolding {
  readonly wallet: string;
  readonly accountId: number;
  readonly market: OracleMarket;
  readonly outcome: 0 | 1;
  size: bigint;
  cost: bigint;
  bought: bigint;
  spent: bigint;
  realized: bigint;
  /** Whether shares came in again after the last one had left. */
  isReopened: boolean;
  tMs: number;
}

/** An order with its whole history. */
export interface OracleOrder {
  readonly id: string;
  readonly owner: string;
  readonly keyId: string;
  readonly accountId: number;
  readonly market: OracleMarket;
  readonly outcome: 0 | 1;
  readonly side: 'BUY' | 'SELL';
  readonly orderType: number;
  readonly pricePips: number;
  readonly originalLots: number;
  readonly expirationS: number;
  readonly createdMs: number;
  filledLots: number;
  status: string;
  readonly tradeIds: string[];
}

/** Money that went in and out of a wallet for reasons other than its positions. */
interface OracleCash {
  collateral: bigint;
  deposited: bigint;
  withdrawn: bigint;
  fees: bigint;
  /** The value at which test shares were booked: shares came in, and no collateral went out. */
  credited: bigint;
}

const MICRO_PER_LOT = 10_000n;

function textsOf(tail: Uint8Array | undefined): Texts {
  return tail === undefined ? {} : JSON.parse(Buffer.from(tail).toString('utf8'));
}

const outcomeOf = (outcome: number): 0 | 1 => (outcome === 0 ? 0 : 1);

/** The world after a list of records. */
export class Oracle {
  readonly markets: OracleMarket[] = [];
  readonly events: OracleEvent[] = [];
  /** Oldest first; in a trade the makers' rows precede their taker's. */
  readonly rows: OracleRow[] = [];
  readonly holdings: OracleHolding[] = [];
  readonly wallets: string[] = [`0x${'1'.padStart(40, '0')}`, `0x${'2'.padStart(40, '0')}`];
  readonly cash: OracleCash[] = [];
  readonly orders = new Map<number, OracleOrder>();
  private fills: Extract<EngineEvent, { type: 'Fill' }>[] = [];

  constructor(records: readonly LogRecord[], otherHash: (sequence: number, index: number) => string) {
    for (const record of records) {
      for (const [index, event] of record.events.entries()) {
        this.take(event, record, () => otherHash(record.sequence, index));
      }
    }
  }

  cashOf(accountId: number): OracleCash {
    this.cash[accountId] ??= { collateral: 0n, deposited: 0n, withdrawn: 0n, fees: 0n, credited: 0n };
    return this.cash[accountId];
  }

  private take(event: EngineEvent, record: LogRecord, hash: () => string): void {
    const { command, tMs } = record;
    switch (event.type) {
      case 'EventCreated':
        this.events.push({ number: event.eventNumber, texts: textsOf(command.tail) });
        return;
      case 'MarketCreated':
        this.createMarket(event, textsOf(command.tail));
        return;
      case 'MarketUpdated': {
        const market = this.markets[event.marketIndex];
        market.negRisk = event.negRisk === 1;
        if (command.type !== 'UpdateMarket' || command.marketIndex !== event.marketIndex) return;
        market.texts = { ...market.texts, ...textsOf(command.tail) };
        return;
      }
      case 'MarketResolved':
        this.markets[event.marketIndex].resolution = event.resolution;
        return;
      case 'AccountOpened':
        this.wallets[event.accountId] = event.wallet;
        return;
      case 'OrderAccepted':
      case 'OrderKilled':
        this.addOrder(event, record);
        return;
      case 'OrderFilled':
        this.order(event.orderNumber).status = 'MATCHED';
        return;
      case 'OrderDelayed':
        this.order(event.orderNumber).status = 'DELAYED';
        return;
      case 'OrderRested':
      case 'OrderReleased':
        this.order(event.orderNumber).status = 'LIVE';
        return;
      case 'OrderCanceled': {
        const statuses: Readonly<Record<number, string>> = { 2: 'INVALID', 7: 'CANCELED_MARKET_RESOLVED' };
        this.order(event.orderNumber).status = statuses[event.reason] ?? 'CANCELED';
        return;
      }
      case 'Fill':
        this.fills.push(event);
        return;
      case 'Trade':
        this.trade(event, tMs);
        return;
      default:
        this.takeMoney(event, tMs, hash);
    }
  }

  private createMarket(event: Extract<EngineEvent, { type: 'MarketCreated' }>, texts: Texts): void {
    const { marketIndex: index, eventNumber, conditionId, firstToken, secondToken, negRisk } = event;
    const tokens = [String(BigInt(firstToken)), String(BigInt(secondToken))] as const;
    const empty = { resolution: undefined, lastPips: undefined, volume: 0n, vault: 0n };
    this.markets.push({ index, eventNumber, conditionId, tokens, negRisk: negRisk === 1, texts, ...empty });
  }

  private addOrder(event: Extract<EngineEvent, { type: 'OrderAccepted' | 'OrderKilled' }>, record: LogRecord): void {
    const { command, tMs } = record;
    if (command.type !== 'PlaceOrder') throw new Error(`oracle: an order came from ${command.type}`);
    const { orderNumber, accountId, marketIndex, outcome, side, orderType, pricePips, originalLots } = event;
    const { orderId: id, owner, keyId, expirationS } = command;
    this.orders.set(orderNumber, {
      ...{ id, owner, keyId, expirationS, accountId, orderType, pricePips, originalLots, createdMs: tMs },
      ...{ market: this.markets[marketIndex], outcome: outcomeOf(outcome), side: side === 0 ? 'BUY' : 'SELL' },
      ...{ filledLots: 0, status: event.type === 'OrderKilled' ? 'CANCELED' : 'LIVE', tradeIds: [] },
    });
  }

  private order(orderNumber: number): OracleOrder {
    const order = this.orders.get(orderNumber);
    if (order === undefined) throw new Error(`oracle: order ${orderNumber} was never accepted`);
    return order;
  }

  private trade(event: Extract<EngineEvent, { type: 'Trade' }>, tMs: number): void {
    const market = this.markets[event.marketIndex];
    const id = tradeId(event.marketIndex, event.tradeNumber);
    const about = { tMs, hash: transactionHash(id) };
    for (const { makerOrderNumber, lots, remainingLots, pricePips, makerCollateralMicro } of this.fills) {
      const maker = this.traded(makerOrderNumber, lots, pricePips, { ...about, isTaker: false });
      maker.tradeIds.push(id);
      if (remainingLots === 0) maker.status = 'MATCHED';
      this.cashOf(maker.accountId).collateral = BigInt(makerCollateralMicro);
    }
    this.fills = [];
    const { takerOrderNumber, lots, pricePips } = event;
    const taker = this.traded(takerOrderNumber, lots, pricePips, { ...about, isTaker: true });
    taker.tradeIds.push(id);
    market.lastPips = taker.outcome === 0 ? pricePips : 10_000 - pricePips;
    market.volume += BigInt(lots) * BigInt(pricePips);
    market.vault = BigInt(event.vaultMicro);
    this.cashOf(taker.accountId).fees += BigInt(event.feeMicro);
    this.cashOf(taker.accountId).collateral = BigInt(event.takerCollateralMicro);
    this.cashOf(0).deposited += BigInt(event.feeMicro);
    this.cashOf(0).collateral = BigInt(event.feesCollateralMicro);
  }

  private traded(
    orderNumber: number,
    lots: number,
    pricePips: number,
    about: Pick<OracleRow, 'tMs' | 'hash' | 'isTaker'>,
  ): OracleOrder {
    const order = this.order(orderNumber);
    const { accountId, market, outcome, side } = order;
    const [size, cash] = [BigInt(lots) * MICRO_PER_LOT, BigInt(lots) * BigInt(pricePips)];
    order.filledLots += lots;
    const row = { wallet: this.wallets[accountId], market, outcome, side, size, pricePips, cash, ...about };
    this.rows.push({ ...row, type: 'TRADE', isOfToken: true });
    this.move(accountId, market.index, outcome, side === 'BUY' ? size : -size, cash, about.tMs);
    return order;
  }

  private takeMoney(event: EngineEvent, tMs: number, hash: () => string): void {
    switch (event.type) {
      case 'CollateralChanged': {
        const cash = this.cashOf(event.accountId);
        if (event.kind === 1) cash.withdrawn += BigInt(event.amountMicro);
        else cash.deposited += BigInt(event.amountMicro);
        cash.collateral = BigInt(event.collateralMicro);
        return;
      }
      case 'SharesCredited': {
        const amount = BigInt(event.amountMicro);
        this.markets[event.marketIndex].vault = BigInt(event.vaultMicro);
        for (const outcome of [0, 1] as const) {
          const accountId = outcome === event.outcome ? event.accountId : 1;
          const half = halves(amount)[outcome];
          this.move(accountId, event.marketIndex, outcome, amount, half, tMs);
          this.cashOf(accountId).credited += half;
        }
        return;
      }
      case 'PositionSplit':
      case 'PositionMerged':
        this.setsMoved(event, tMs, hash());
        return;
      case 'PositionRedeemed':
        this.redeemed(event, tMs, hash());
        return;
      default:
    }
  }

  private setsMoved(
    event: Extract<EngineEvent, { type: 'PositionSplit' | 'PositionMerged' }>,
    tMs: number,
    hash: string,
  ): void {
    const { accountId, marketIndex, amountMicro, collateralMicro } = event;
    const market = this.markets[marketIndex];
    const amount = BigInt(amountMicro);
    const isSplit = event.type === 'PositionSplit';
    market.vault = BigInt(event.vaultMicro);
    this.cashOf(accountId).collateral = BigInt(collateralMicro);
    for (const outcome of [0, 1] as const) {
      this.move(accountId, marketIndex, outcome, isSplit ? amount : -amount, halves(amount)[outcome], tMs);
    }
    this.rows.push({
      ...{ wallet: this.wallets[accountId], market, outcome: 0, type: isSplit ? 'SPLIT' : 'MERGE', side: 'BUY' },
      ...{ isOfToken: false, isTaker: false, size: amount, pricePips: 0, cash: amount, tMs, hash },
    });
  }

  private redeemed(event: Extract<EngineEvent, { type: 'PositionRedeemed' }>, tMs: number, hash: string): void {
    const { accountId, marketIndex, firstBurnedMicro, secondBurnedMicro, payoutMicro, collateralMicro } = event;
    const market = this.markets[marketIndex];
    market.vault = BigInt(event.vaultMicro);
    this.cashOf(accountId).collateral = BigInt(collateralMicro);
    const burned = [BigInt(firstBurnedMicro), BigInt(secondBurnedMicro)];
    const first = market.resolution === 2 ? burned[0] / 2n : market.resolution === 0 ? burned[0] : 0n;
    const payouts = [first, BigInt(payoutMicro) - first];
    for (const outcome of [0, 1] as const) {
      if (burned[outcome] === 0n) continue;
      this.move(accountId, marketIndex, outcome, -burned[outcome], payouts[outcome], tMs);
      this.rows.push({
        ...{ wallet: this.wallets[accountId], market, outcome, type: 'REDEEM', side: 'BUY', isOfToken: true },
        ...{ isTaker: false, size: burned[outcome], pricePips: 0, cash: payouts[outcome] },
        ...{ tMs, hash },
      });
    }
  }

  /** Shares come in (size > 0) or leave (size < 0) for this much cash. */
  private move(accountId: number, marketIndex: number, outcome: 0 | 1, size: bigint, cash: bigint, tMs: number): void {
    const market = this.markets[marketIndex];
    let holding = this.holdings.find(
      (one) => one.accountId === accountId && one.market === market && one.outcome === outcome,
    );
    if (holding === undefined) {
      const none = { size: 0n, cost: 0n, bought: 0n, spent: 0n, realized: 0n, isReopened: false };
      holding = { wallet: this.wallets[accountId], accountId, market, outcome, ...none, tMs };
      this.holdings.push(holding);
    }
    holding.tMs = tMs;
    if (size >= 0n) {
      if (holding.size === 0n && holding.bought > 0n) holding.isReopened = true;
      holding.size += size;
      holding.cost += cash;
      holding.bought += size;
      holding.spent += cash;
      return;
    }
    const removed = (holding.cost * -size) / holding.size;
    holding.size += size;
    holding.cost -= removed;
    holding.realized += cash - removed;
    if (holding.size < 0n) throw new Error(`oracle: ${holding.wallet} sold more than it had`);
  }
}

/** The cost of each leg of `amount` sets. */
function halves(amount: bigint): readonly [bigint, bigint] {
  return [amount / 2n, amount - amount / 2n];
}

/** The price that a market shows for a token: its resolution, else its last trade, else the one in its texts, else a half. */
export function shownPips(market: OracleMarket, outcome: number): number {
  if (market.resolution === 2) return 5_000;
  if (market.resolution !== undefined) return market.resolution === outcome ? 10_000 : 0;
  const { lastPrice } = market.texts;
  const isPrice = typeof lastPrice === 'string' && /^\d+(\.\d{1,4})?$/.test(lastPrice);
  const given = isPrice ? Math.min(10_000, Math.round(Number(lastPrice) * 10_000)) : 5_000;
  const first = market.lastPips ?? given;
  return outcome === 0 ? first : 10_000 - first;
}
