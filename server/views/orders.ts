// Open orders and recently ended ones, by number and by id; older orders are the historian's. Fed by the follower of index.ts;
// read by the routes of orders and by the other views, which need the maker's order of a fill. Only this view's methods change
// an order; an unknown number or id is ignored, never an error.
import {
  type CommandOf,
  type EventOf,
  type OrderType,
  requireSound,
  type Sections,
  type Side,
} from '../../engine/index.ts';
import { type Draft, endStatus, type FreshTrade, isOpen, type Order, type OrderStatus } from './records.ts';
import { visitSlices } from './slices.ts';
import { scannedTail } from './storedOrders.ts';
import { TradeNumbers } from './tradeNumbers.ts';

type OrderDraft = Draft<Omit<Order, 'trades'>> & { readonly trades: TradeNumbers };

/**
 * Ended orders stay while they are among the latest `orders` or younger than `ms`: prompt queries need no historian. At most so
 * many leave `atOnce`, about a millisecond of work: a record that closes a market may have ended a hundred thousand.
 */
const ENDED = { orders: 4_096, ms: 5_000, atOnce: 1_000 } as const;

interface EndedOrder {
  readonly order: Order;
  readonly endedMs: number;
}

/** An order in a snapshot. */
type OrderRow = Omit<Order, 'trades'> & { readonly trades: readonly number[] };

function* rowsOf(orders: Iterable<Order>): Generator<OrderRow> {
  for (const order of orders) {
    const { trades } = order;
    yield { ...order, trades: Array.from({ length: trades.length }, (_, index) => trades.at(index)) };
  }
}

function orderOf(row: OrderRow): OrderDraft {
  const trades = new TradeNumbers();
  for (const number of row.trades) trades.add(number);
  return { ...row, trades };
}

export class OrdersView {
  private readonly byNumber = new Map<number, OrderDraft>();
  /** Ended orders, in the order in which they ended, from `firstEnded` on. */
  private ended: EndedOrder[] = [];
  private firstEnded = 0;
  private tMs = 0;
  private readonly ids = new Map<string, OrderDraft>();
  /** By owner: its open orders by number, in ascending order. */
  private readonly open = new Map<string, Map<number, Order>>();
  /** The number of live and delayed orders of all owners. */
  openCount = 0;

  /** Begins a record with this time: drops orders that ended long enough before it, the oldest first. */
  recordBegan(tMs: number): void {
    this.tMs = tMs;
    const { ended } = this;
    const end = Math.min(this.firstEnded + ENDED.atOnce, ended.length - ENDED.orders);
    while (this.firstEnded < end && ended[this.firstEnded].endedMs + ENDED.ms < tMs) {
      const { order } = ended[this.firstEnded];
      this.byNumber.delete(order.orderNumber);
      if (this.ids.get(order.id) === order) this.ids.delete(order.id);
      this.firstEnded += 1;
    }
    if (this.firstEnded <= ENDED.orders) return;
    this.ended = ended.slice(this.firstEnded);
    this.firstEnded = 0;
  }

  /** The order with this id (0x and 64 lower-case hex digits), of any owner. */
  byId(id: string): Order | undefined {
    return this.ids.get(id);
  }

  byOrderNumber(orderNumber: number): Order | undefined {
    return this.byNumber.get(orderNumber);
  }

  /** Live and delayed orders of all the owner's wallets, oldest first. Iteration may pause while orders come and go. */
  openOf(owner: string): Iterable<Order> {
    return this.open.get(owner)?.values() ?? [];
  }

  accepted(event: EventOf<'OrderAccepted'>, command: CommandOf<'PlaceOrder'>, tMs: number): Order {
    const order = this.add(event, command, tMs, 'LIVE');
    this.setOpen(order);
    return order;
  }

  killed(event: EventOf<'OrderKilled'>, command: CommandOf<'PlaceOrder'>, tMs: number): void {
    const order = this.add(event, command, tMs, 'CANCELED');
    this.ended.push({ order, endedMs: this.tMs });
  }

  rested(orderNumber: number, lots: number): Order | undefined {
    const order = this.byNumber.get(orderNumber);
    if (order === undefined) return undefined;
    order.status = 'LIVE';
    order.restingLots = lots;
    return order;
  }

  delayed(orderNumber: number): void {
    const order = this.byNumber.get(orderNumber);
    if (order === undefined) return;
    order.status = 'DELAYED';
    order.wasDelayed = true;
  }

  released(orderNumber: number): void {
    const order = this.byNumber.get(orderNumber);
    if (order !== undefined) order.status = 'LIVE';
  }

  filled(orderNumber: number): void {
    const order = this.byNumber.get(orderNumber);
    if (order !== undefined) this.end(order, 'MATCHED');
  }

  canceled(orderNumber: number, reason: number): void {
    const order = this.byNumber.get(orderNumber);
    if (order === undefined) return;
    order.cancelReason = reason;
    this.end(order, endStatus(reason));
  }

  /** Applies a maker's fill: its remainder stays in the book. */
  makerFilled(orderNumber: number, lots: number, remainingLots: number): Order | undefined {
    const order = this.byNumber.get(orderNumber);
    if (order === undefined) return undefined;
    order.filledLots += lots;
    order.restingLots = remainingLots;
    if (remainingLots === 0) this.end(order, 'MATCHED');
    return order;
  }

  takerFilled(orderNumber: number, lots: number): Order | undefined {
    const order = this.byNumber.get(orderNumber);
    if (order !== undefined) order.filledLots += lots;
    return order;
  }

  /** Adds a trade to each order that took part in it. */
  traded({ tradeNumber, taker, makers }: FreshTrade): void {
    this.byNumber.get(taker.orderNumber)?.trades.add(tradeNumber);
    for (const { order } of makers) this.byNumber.get(order.orderNumber)?.trades.add(tradeNumber);
  }

  /** This view's part of a snapshot: all known orders, by ascending number, and which of them ended when. */
  visit(sections: Sections): void {
    const rows = visitSlices(sections, rowsOf(this.byNumber.values()), ({ trades }) => 1 + trades.length);
    for (const row of rows) {
      const order = orderOf(row);
      this.byNumber.set(order.orderNumber, order);
      this.ids.set(order.id, order);
      if (isOpen(order)) this.setOpen(order);
    }
    const ended = this.ended.slice(this.firstEnded);
    const numbers = sections.float64(
      'ended',
      Float64Array.from(ended, ({ order }) => order.orderNumber),
    );
    const times = sections.float64(
      'endedMs',
      Float64Array.from(ended, ({ endedMs }) => endedMs),
    );
    if (!sections.isLoading) return;
    requireSound(times.length === numbers.length, `${times.length} of ${numbers.length} ended orders have a time`);
    this.ended = Array.from(numbers, (number, index) => {
      const order = this.byNumber.get(number);
      requireSound(order !== undefined, `the ended order ${number} is unknown`);
      return { order, endedMs: times[index] };
    });
  }

  private add(
    event: EventOf<'OrderAccepted'> | EventOf<'OrderKilled'>,
    command: CommandOf<'PlaceOrder'>,
    tMs: number,
    status: OrderStatus,
  ): OrderDraft {
    const { signatureType, builder } = scannedTail(command.tail);
    const order: OrderDraft = {
      orderNumber: event.orderNumber,
      id: command.orderId,
      owner: command.owner,
      maker: command.maker,
      keyId: command.keyId,
      accountId: event.accountId,
      marketIndex: event.marketIndex,
      outcome: event.outcome,
      side: event.side as Side, // the layout bounds it to 0..1
      orderType: event.orderType as OrderType, // the layout bounds it to 0..3
      pricePips: event.pricePips,
      originalLots: event.originalLots,
      expirationS: command.expirationS,
      createdMs: tMs,
      status,
      filledLots: 0,
      restingLots: 0,
      cancelReason: undefined,
      trades: new TradeNumbers(),
      wasDelayed: false,
      signatureType,
      builder,
    };
    this.byNumber.set(order.orderNumber, order);
    this.ids.set(order.id, order);
    return order;
  }

  private setOpen(order: Order): void {
    let open = this.open.get(order.owner);
    if (open === undefined) {
      open = new Map();
      this.open.set(order.owner, open);
    }
    open.set(order.orderNumber, order);
    this.openCount += 1;
  }

  private end(order: OrderDraft, status: OrderStatus): void {
    order.status = status;
    order.restingLots = 0;
    if (this.open.get(order.owner)?.delete(order.orderNumber) === true) this.openCount -= 1;
    this.ended.push({ order, endedMs: this.tMs });
  }
}
