// The peer: npm nodejs-order-book, one OrderBook a market, driven through limit() and cancel() as its manual says, without
// journaling. Adds are GTC limit orders, takes IOC or FOK ones. Its ids are strings, made before the clock starts. Used by
// child.ts. Its results list filled makers whole and one partially filled maker; the taker is among them and is not counted.
import { type IProcessOrder, type LimitOrderOptions, OrderBook, Side } from 'nodejs-order-book';
import { emptyTotals, type Totals } from '../lib/totals.ts';
import { BID, OP_BYTES, OpType } from '../opFile.ts';
import type { BenchEngine, Ops } from './engine.ts';

type TimeInForce = NonNullable<LimitOrderOptions['timeInForce']>;
// The package exports neither the type nor the values of this enumeration; these are its values.
const timeInForce = (text: 'GTC' | 'IOC' | 'FOK'): TimeInForce => text as string as TimeInForce;
const GTC = timeInForce('GTC');
const IOC = timeInForce('IOC');
const FOK = timeInForce('FOK');

class NodejsOrderBookEngine implements BenchEngine {
  private readonly view: DataView;
  private readonly books: OrderBook[];
  private readonly ids: string[] = [];
  private readonly done = emptyTotals();

  constructor(ops: Ops) {
    this.view = new DataView(ops.bytes.buffer, ops.bytes.byteOffset, ops.bytes.byteLength);
    this.books = Array.from({ length: ops.books }, () => new OrderBook());
  }

  prepare(_fromOp: number, toOp: number): void {
    // A leading letter: property names that look like array indexes are slower here, by a third.
    for (let id = this.ids.length; id < toOp; id += 1) this.ids.push(`o${id}`);
  }

  run(fromOp: number, toOp: number): void {
    const { view, books, ids } = this;
    for (let op = fromOp; op < toOp; op += 1) {
      const at = op * OP_BYTES;
      const type = view.getUint8(at);
      const book = books[view.getUint16(at + 2, true)];
      const id = ids[view.getUint32(at + 12, true)];
      if (type === OpType.CANCEL) {
        book.cancel(id);
        continue;
      }
      const result = book.limit({
        id,
        side: view.getUint8(at + 1) === BID ? Side.BUY : Side.SELL,
        size: view.getUint32(at + 8, true),
        price: view.getUint32(at + 4, true),
        timeInForce: type === OpType.ADD ? GTC : type === OpType.TAKE ? IOC : FOK,
      });
      this.count(result, id);
    }
  }

  totals(): Totals {
    const totals = { ...this.done };
    for (const book of this.books) {
      const { bids, asks } = book.snapshot();
      for (const { orders } of [...bids, ...asks]) {
        totals.restingOrders += orders.length;
        for (const order of orders) totals.restingLots += order.size;
      }
    }
    return totals;
  }

  private count(result: IProcessOrder, takerId: string): void {
    const { done } = this;
    for (const maker of result.done) {
      if (maker.id === takerId || !('price' in maker)) continue;
      done.fills += 1;
      done.lots += maker.size;
      done.notional += maker.size * maker.price;
    }
    const { partial } = result;
    if (partial !== null && partial.id !== takerId) {
      done.fills += 1;
      done.lots += result.partialQuantityProcessed;
      done.notional += result.partialQuantityProcessed * partial.price;
    }
  }
}

export const nodejsOrderBook = (ops: Ops): BenchEngine => new NodejsOrderBookEngine(ops);
