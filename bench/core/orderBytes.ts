// The memory that resting orders take in a whole core, by the arrays of a snapshot, which are saved as they lie in memory.
// Called by child.ts for the figure sheet, and by the test of its bound.
import { Exchange } from '../../engine/core/index.ts';
import { OrderPool } from '../../engine/core/orderPool.ts';
import {
  type Command,
  commandLayouts,
  EventWriter,
  encodeCommand,
  LOTS_PER_SHARE,
  OrderType,
  type Sections,
  Side,
} from '../../engine/protocol/index.ts';
import { writeOrderId } from '../engines/orderIds.ts';
import { newMarket, OPS_A_MS, START_MS, started, walletText } from '../engines/wholeApply.ts';

const AT = commandLayouts.PlaceOrder.offsets;
const TICK_PIPS = 100;
const FUNDS_MICRO = 1_000_000_000_000;
const WALLET = walletText(0);

/** Adds up the bytes of all arrays that a structure saves. */
class ArrayBytes implements Sections {
  readonly isLoading = false;
  sum = 0;

  part(): Sections {
    return this;
  }

  number(_name: string, value: number): number {
    return value;
  }

  int32(_name: string, array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
    return this.add(array);
  }

  float64(_name: string, array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    return this.add(array);
  }

  uint8(_name: string, array: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    return this.add(array);
  }

  plain<T>(_name: string, value: T): T {
    return value;
  }

  private add<T extends { readonly byteLength: number }>(array: T): T {
    this.sum += array.byteLength;
    return array;
  }
}

/** Bytes of all arrays of a structure, which it saves to snapshots as they lie in memory. */
export function arrayBytes(structure: { visit(sections: Sections): void }): number {
  const bytes = new ArrayBytes();
  structure.visit(bytes);
  return bytes.sum;
}

/**
 * Bytes of arrays that each of `orders` resting orders takes in a core: its record, the entry that finds it by its id, and its
 * id among those that are remembered, so that no order is executed twice. They are those of one wallet in one market, which
 * adds nothing of either, and come as fast as those of the whole engine in the benches.
 */
export function bytesAnOrder(orders: number): number {
  const exchange = new Exchange();
  const out = new EventWriter();
  const apply = (tMs: number, command: Uint8Array): void => {
    out.begin();
    exchange.apply(tMs, command, out);
    out.finish();
    if (out.isRejected) throw new Error('A command was refused.');
  };
  const deposit: Command = { type: 'Deposit', wallet: WALLET, owner: WALLET, amountMicro: FUNDS_MICRO, isFaucet: 0 };
  for (const command of [started, newMarket(0, TICK_PIPS), deposit]) apply(START_MS, encodeCommand(command));
  // What a core without orders takes, apart from the first room for orders.
  const others = arrayBytes(exchange) - arrayBytes(new OrderPool());
  const order = encodeCommand({
    type: 'PlaceOrder',
    orderId: `0x${'00'.repeat(32)}`,
    keyId: `0x${'00'.repeat(16)}`,
    maker: WALLET,
    owner: WALLET,
    marketIndex: 0,
    outcome: 0,
    side: Side.BUY,
    orderType: OrderType.GTC,
    flags: 0,
    makerAmountMicro: 400_000,
    takerAmountMicro: 1_000_000,
    timestampMs: START_MS,
    expirationS: 0,
  });
  const view = new DataView(order.buffer, order.byteOffset, order.byteLength);
  for (let number = 0; number < orders; number += 1) {
    const tMs = START_MS + Math.floor(number / OPS_A_MS);
    writeOrderId(number, view, AT.orderId);
    view.setFloat64(AT.timestampMs, tMs, true);
    apply(tMs, order);
  }
  const [{ lots }] = exchange.bookLevels(0).bids;
  if (lots !== orders * LOTS_PER_SHARE) throw new Error(`${orders} shares should rest, but ${lots} lots do.`);
  return (arrayBytes(exchange) - others) / orders;
}
