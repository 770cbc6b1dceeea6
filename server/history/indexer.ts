// Books durable records into the tables: rows, orders, positions, holders, figures of markets. Called by the historian's thread
// for every record of the log, once, in order. It reads events in place, at the offsets of their layouts, because most records
// hold one order and a few of its numbers; only rare ones are decoded into objects.
import {
  commandLayouts,
  complementPips,
  decodeCommand,
  decodeEvents,
  type EngineEvent,
  EVENT_AT,
  EVENT_HEADER_BYTES,
  eventLayouts,
  FRAME_AT,
  FRAME_HEADER_BYTES,
  HOUSE_ACCOUNT,
  MICRO_PER_LOT,
  Resolution,
  readHex,
  tokenNumber,
} from '../../engine/index.ts';
import { isUpdateOf } from '../views/commandOutcome.ts';
import type { OrderStatus } from '../views/records.ts';
import { buy, halfOf, LEG, sell } from './figures.ts';
import { legAt } from './pairs.ts';
import { RowClass, RowKind } from './rows.ts';
import { BatchReader } from './source.ts';
import type { Tables } from './tables.ts';

const types = Object.fromEntries(Object.entries(eventLayouts).map(([name, { type }]) => [name, type])) as {
  readonly [Name in keyof typeof eventLayouts]: number; // the same keys
};
const ACCEPTED = eventLayouts.OrderAccepted.offsets;
const KILLED = eventLayouts.OrderKilled.offsets;
const CANCELED = eventLayouts.OrderCanceled.offsets;
const FILL = eventLayouts.Fill.offsets;
const TRADE = eventLayouts.Trade.offsets;
const OPENED = eventLayouts.AccountOpened.offsets;
const RESOLVED = eventLayouts.MarketResolved.offsets;
const CREDITED = eventLayouts.SharesCredited.offsets;
/** Of PositionMerged too, which has the same fields. */
const SETS = eventLayouts.PositionSplit.offsets;
const REDEEMED = eventLayouts.PositionRedeemed.offsets;
const PLACE = commandLayouts.PlaceOrder.offsets;
/** Offset of the order number in the events that begin with one. */
const ORDER_NUMBER = eventLayouts.OrderFilled.offsets.orderNumber;

export class Indexer {
  readonly tables: Tables;
  /** A reader positioned at the record being applied. */
  private record: BatchReader;
  private decoded: readonly EngineEvent[] | undefined;
  /** Row of the first fill of the current trade, whose own event follows its fills; 0 between trades. */
  private firstFill = 0;

  constructor(tables: Tables) {
    this.tables = tables;
    this.record = new BatchReader(new Uint8Array(0));
  }

  /** Books the reader's current record, which must follow the last one booked. */
  apply(record: BatchReader): void {
    this.record = record;
    this.decoded = undefined;
    this.applyFrames();
    this.tables.sequence = record.sequence;
  }

  private applyFrames(): void {
    const { view, eventsAt, end: recordEnd } = this.record;
    let index = 0;
    for (let frame = eventsAt; frame < recordEnd; ) {
      const end = frame + FRAME_HEADER_BYTES + view.getUint32(frame + FRAME_AT.bodyBytes, true);
      for (let event = frame + FRAME_HEADER_BYTES; event < end; index += 1) {
        this.applyEvent(event, index);
        event += EVENT_HEADER_BYTES + view.getUint16(event + EVENT_AT.headBytes, true);
      }
      frame = end;
    }
  }

  /** Handles order and trade events, the bulk of every log; applyOther handles the rest. */
  private applyEvent(event: number, index: number): void {
    const { view } = this.record;
    const { orders } = this.tables;
    const type = view.getUint8(event + EVENT_AT.type);
    switch (type) {
      case types.OrderAccepted:
        this.addOrder(event, ACCEPTED, 'LIVE');
        return;
      case types.OrderKilled:
        this.addOrder(event, KILLED, 'CANCELED');
        return;
      case types.OrderFilled:
        orders.setStatus(view.getFloat64(event + ORDER_NUMBER, true), 'MATCHED');
        return;
      case types.OrderDelayed:
        orders.setDelayed(view.getFloat64(event + ORDER_NUMBER, true));
        return;
      case types.OrderReleased:
        orders.setStatus(view.getFloat64(event + ORDER_NUMBER, true), 'LIVE');
        return;
      case types.OrderCanceled: {
        const number = view.getFloat64(event + CANCELED.orderNumber, true);
        orders.canceled(number, view.getUint8(event + CANCELED.reason));
        return;
      }
      case types.Fill:
        this.filled(event, index);
        return;
      case types.Trade:
        this.traded(event, index);
        return;
      default:
        this.applyOther(type, event, index);
    }
  }

  private applyOther(type: number, event: number, index: number): void {
    const { view, bytes } = this.record;
    switch (type) {
      case types.AccountOpened: {
        const wallet = readHex(bytes, event + OPENED.wallet, 20);
        this.tables.accounts.open(view.getUint32(event + OPENED.accountId, true), wallet);
        return;
      }
      case types.SharesCredited:
        this.credited(event);
        return;
      case types.PositionSplit:
        this.bookSets(event, index, RowKind.SPLIT);
        return;
      case types.PositionMerged:
        this.bookSets(event, index, RowKind.MERGE);
        return;
      case types.PositionRedeemed:
        this.redeemed(event, index);
        return;
      case types.MarketResolved: {
        const market = view.getUint32(event + RESOLVED.marketIndex, true);
        this.tables.markets.resolved(market, view.getUint8(event + RESOLVED.resolution));
        return;
      }
      case types.EventCreated:
      case types.MarketCreated:
      case types.MarketUpdated:
        this.applyRare(index);
        return;
      default: // Histories show nothing of the other events.
    }
  }

  /** Handles events and markets, whose records are decoded as a whole. */
  private applyRare(index: number): void {
    const { bytes, commandAt, eventsAt, end } = this.record;
    const { markets } = this.tables;
    this.decoded ??= decodeEvents(bytes.subarray(eventsAt, end));
    const event = this.decoded[index];
    const command = decodeCommand(bytes.subarray(commandAt, eventsAt));
    if (event.type === 'EventCreated') markets.eventCreated(event.eventNumber, command);
    if (event.type === 'MarketCreated') markets.created(event, command);
    if (event.type === 'MarketUpdated') {
      markets.updated(event, command, isUpdateOf({ command, events: this.decoded }, event.marketIndex));
    }
  }

  private addOrder(event: number, fields: typeof ACCEPTED | typeof KILLED, status: OrderStatus): void {
    const { view, commandAt, tMs } = this.record;
    const order = {
      number: view.getFloat64(event + fields.orderNumber, true),
      account: view.getUint32(event + fields.accountId, true),
      market: view.getUint32(event + fields.marketIndex, true),
      outcome: view.getUint8(event + fields.outcome),
      side: view.getUint8(event + fields.side),
      orderType: view.getUint8(event + fields.orderType),
      pips: view.getUint16(event + fields.pricePips, true),
      originalLots: view.getUint32(event + fields.originalLots, true),
      tMs,
      expirationS: view.getFloat64(commandAt + PLACE.expirationS, true),
      status,
    };
    const idAt = commandAt + PLACE.orderId;
    this.tables.orders.add(order, view, idAt, commandAt + PLACE.keyId, commandAt + PLACE.owner);
  }

  /** Books one maker's part of the trade whose event follows. */
  private filled(event: number, index: number): void {
    const { view } = this.record;
    const number = view.getFloat64(event + FILL.makerOrderNumber, true);
    const lots = view.getUint32(event + FILL.lots, true);
    const row = this.addTradeRow(RowKind.MAKER, number, lots, view.getUint16(event + FILL.pricePips, true), index);
    if (this.firstFill === 0) this.firstFill = row;
    this.tables.orders.filled(number, lots, row, view.getUint32(event + FILL.remainingLots, true) === 0);
  }

  private traded(event: number, index: number): void {
    const { view } = this.record;
    const { orders, rows, markets } = this.tables;
    const number = view.getFloat64(event + TRADE.takerOrderNumber, true);
    const lots = view.getUint32(event + TRADE.lots, true);
    const pips = view.getUint16(event + TRADE.pricePips, true);
    const row = this.addTradeRow(RowKind.TAKER, number, lots, pips, index);
    orders.filled(number, lots, row, false);
    const tradeNumber = view.getFloat64(event + TRADE.tradeNumber, true);
    for (let fill = this.firstFill === 0 ? row : this.firstFill; fill <= row; fill += 1) {
      rows.setNumber(fill, tradeNumber);
    }
    this.firstFill = 0;
    const market = markets.change(view.getUint32(event + TRADE.marketIndex, true));
    market.lastPips = orders.outcome === 0 ? pips : complementPips(pips);
    market.volumeMicro += lots * pips;
    market.vaultMicro = view.getFloat64(event + TRADE.vaultMicro, true);
  }

  /** Adds the row of an order's part of a trade and books its change of the position. */
  private addTradeRow(
    kind: typeof RowKind.TAKER | typeof RowKind.MAKER,
    orderNumber: number,
    lots: number,
    pips: number,
    place: number,
  ): number {
    const { orders, accounts, markets, positions, rows } = this.tables;
    orders.read(orderNumber);
    const { account, outcome, isSell } = orders;
    const { tMs } = this.record;
    const sizeMicro = lots * MICRO_PER_LOT;
    const cashMicro = lots * pips;
    const market = markets.change(orders.market);
    const before = accounts.headOf(account, kind);
    const row = rows.add(kind, outcome, isSell, pips, account, market.index, place, sizeMicro, cashMicro, tMs);
    rows.link(row, before, market.heads[kind], orders.row);
    accounts.setHead(account, kind, row);
    market.heads[kind] = row;
    const start = positions.change(account, market.index);
    if (positions.markTraded(start)) accounts.addTradedMarket(account);
    this.bookShares(start, account, market.index, outcome, isSell ? -sizeMicro : sizeMicro, cashMicro);
    return row;
  }

  /** Books shares of a pair that are bought (size > 0) or sold (size < 0) for this much cash. */
  private bookShares(
    start: number,
    account: number,
    market: number,
    outcome: number,
    sizeMicro: number,
    cashMicro: number,
  ): void {
    const { positions, holders, markets } = this.tables;
    const { tMs } = this.record;
    const leg = legAt(start, outcome);
    if (sizeMicro >= 0) buy(positions.numbers, leg, sizeMicro, cashMicro, tMs);
    else sell(positions.numbers, leg, -sizeMicro, cashMicro, tMs);
    let place = positions.holderPlace(start, outcome);
    if (place < 0) {
      const { holderCounts } = markets.change(market);
      place = holderCounts[outcome];
      holderCounts[outcome] += 1;
      positions.setHolderPlace(start, outcome, place);
    }
    holders.set(tokenNumber(market, outcome), place, account, positions.numbers[leg + LEG.size]);
  }

  /** Books test shares: the requested leg for the account, the other one for HOUSE, each for its half. */
  private credited(event: number): void {
    const { view } = this.record;
    const { positions, markets } = this.tables;
    const market = view.getUint32(event + CREDITED.marketIndex, true);
    const asked = view.getUint8(event + CREDITED.outcome);
    const amountMicro = view.getFloat64(event + CREDITED.amountMicro, true);
    markets.change(market).vaultMicro = view.getFloat64(event + CREDITED.vaultMicro, true);
    for (let outcome = 0; outcome < 2; outcome += 1) {
      const account = outcome === asked ? view.getUint32(event + CREDITED.accountId, true) : HOUSE_ACCOUNT.id;
      const start = positions.change(account, market);
      this.bookShares(start, account, market, outcome, amountMicro, halfOf(amountMicro, outcome));
    }
  }

  private bookSets(event: number, place: number, kind: typeof RowKind.SPLIT | typeof RowKind.MERGE): void {
    const { view } = this.record;
    const { positions, markets } = this.tables;
    const account = view.getUint32(event + SETS.accountId, true);
    const market = view.getUint32(event + SETS.marketIndex, true);
    const sizeMicro = view.getFloat64(event + SETS.amountMicro, true);
    markets.change(market).vaultMicro = view.getFloat64(event + SETS.vaultMicro, true);
    const start = positions.change(account, market);
    for (let outcome = 0; outcome < 2; outcome += 1) {
      const signed = kind === RowKind.SPLIT ? sizeMicro : -sizeMicro;
      this.bookShares(start, account, market, outcome, signed, halfOf(sizeMicro, outcome));
    }
    this.addOtherRow(kind, account, market, 0, sizeMicro, sizeMicro, place);
  }

  private redeemed(event: number, place: number): void {
    const { view } = this.record;
    const { positions, markets } = this.tables;
    const account = view.getUint32(event + REDEEMED.accountId, true);
    const index = view.getUint32(event + REDEEMED.marketIndex, true);
    const burned = [
      view.getFloat64(event + REDEEMED.firstBurnedMicro, true),
      view.getFloat64(event + REDEEMED.secondBurnedMicro, true),
    ];
    const market = markets.change(index);
    market.vaultMicro = view.getFloat64(event + REDEEMED.vaultMicro, true);
    const firstWinner = market.resolution === Resolution.FIRST ? burned[0] : 0;
    const first = market.resolution === Resolution.SPLIT ? Math.floor(burned[0] / 2) : firstWinner;
    const payouts = [first, view.getFloat64(event + REDEEMED.payoutMicro, true) - first];
    for (let outcome = 0; outcome < 2; outcome += 1) {
      if (burned[outcome] === 0) continue;
      const start = positions.change(account, index);
      this.bookShares(start, account, index, outcome, -burned[outcome], payouts[outcome]);
      this.addOtherRow(RowKind.REDEEM, account, index, outcome, burned[outcome], payouts[outcome], place);
    }
  }

  /** Adds a row that is no trade; it is linked into its account's chain alone. */
  private addOtherRow(
    kind: RowKind,
    account: number,
    market: number,
    outcome: number,
    sizeMicro: number,
    cashMicro: number,
    place: number,
  ): void {
    const { accounts, rows } = this.tables;
    const { tMs, sequence } = this.record;
    const row = rows.add(kind, outcome, false, 0, account, market, place, sizeMicro, cashMicro, tMs);
    rows.setNumber(row, sequence);
    rows.link(row, accounts.headOf(account, RowClass.OTHER), 0, 0);
    accounts.setHead(account, RowClass.OTHER, row);
  }
}
