// The holders of each token and their amounts: each wallet that ever held a token has its own place in the token's list, so
// finding the largest holders is one pass over packed blocks. Fed with each change of a position; read by the queries.
import { BlockTable } from './blocks.ts';
import { Table } from './keys.ts';
import type { IndexStore, Put } from './store.ts';

/** The record: u32 account, f64 amount. */
const at = { account: 0, amount: 4, bytes: 12 } as const;
const HELD_BLOCKS = 2_048;

export class Holders {
  account = 0;
  amountMicro = 0;
  private readonly table: BlockTable;

  constructor(store: IndexStore) {
    this.table = new BlockTable(store, Table.HOLDERS, at.bytes, HELD_BLOCKS);
  }

  get dirtyCount(): number {
    return this.table.dirtyCount;
  }

  /** Sets the account and its amount at a place of a token's list. */
  set(token: number, place: number, account: number, amountMicro: number): void {
    const offset = this.table.change(place, token + 1);
    const { view } = this.table;
    view.setUint32(offset + at.account, account, true);
    view.setFloat64(offset + at.amount, amountMicro, true);
  }

  /** Reads a place of a token's list into `account` and `amountMicro`. */
  read(token: number, place: number): void {
    const offset = this.table.locate(place, token + 1);
    const { view } = this.table;
    this.account = view.getUint32(offset + at.account, true);
    this.amountMicro = view.getFloat64(offset + at.amount, true);
  }

  flush(put: Put): void {
    this.table.flush(put);
  }

  committed(): void {
    this.table.committed();
  }
}
