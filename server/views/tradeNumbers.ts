// The trades of an order, as numbers off the heap: takers can fill an order that rests for months a share's hundredth at a time.
// The list goes with its order, which streams and replies may hold for longer than the view does. Written by the views of
// orders and by the history; read wherever an order is shown.
import { int32WithRoom } from '../lib/withRoom.ts';
import type { NumberList } from './packedLists.ts';

/** Shared by the orders without trades, which are most. */
const NONE = new Int32Array();

export class TradeNumbers implements NumberList {
  length = 0;
  private numbers: Int32Array<ArrayBuffer> = NONE;

  /** @param number of the trade within its market, below 2^31 */
  add(number: number): void {
    this.numbers = int32WithRoom(this.numbers, this.length + 1);
    this.numbers[this.length] = number;
    this.length += 1;
  }

  at(index: number): number {
    return this.numbers[index];
  }

  /** Turns the list around. */
  reverse(): void {
    this.numbers.subarray(0, this.length).reverse();
  }
}
