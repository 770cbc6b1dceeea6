// Wallets by account number and back, with the heads of their row chains and the number of markets they traded in. All of it is
// held in memory (some hundred bytes a wallet) and stored in packed blocks. Fed by the indexer, read by the queries.
import { readHex, reservedAccounts, writeHexOrThrow } from '../../engine/index.ts';
import { BlockTable } from './blocks.ts';
import { enlarged } from './enlarged.ts';
import { Table } from './keys.ts';
import type { RowClass } from './rows.ts';
import type { IndexStore, Put } from './store.ts';

/** The record: wallet, u32 number of markets traded in, then f64 newest row of each class. */
const at = { wallet: 0, traded: 20, heads: 24, bytes: 48 } as const;
const CLASSES = 3;

export class Accounts {
  private readonly table: BlockTable;
  private readonly wallets: string[] = [];
  private readonly numbers = new Map<string, number>();
  private heads = new Float64Array(64 * CLASSES);
  private traded = new Uint32Array(64);
  private isChanged = new Uint8Array(64);
  private changed: number[] = [];
  /** Accounts that are new, or whose number of markets changed, since takeUnshown was last called. */
  private isUnshown = new Uint8Array(64);
  private unshown: number[] = [];

  constructor(store: IndexStore) {
    this.table = new BlockTable(store, Table.ACCOUNTS, at.bytes, 64);
  }

  /** Reads the first `count` accounts. */
  load(count: number): void {
    for (let id = 0; id < count; id += 1) {
      const offset = this.table.locate(id);
      const { view, bytes } = this.table;
      this.enter(id, readHex(bytes, offset + at.wallet, 20));
      this.traded[id] = view.getUint32(offset + at.traded, true);
      for (let rowClass = 0; rowClass < CLASSES; rowClass += 1) {
        this.heads[id * CLASSES + rowClass] = view.getFloat64(offset + at.heads + rowClass * 8, true);
      }
    }
    if (count === 0) for (const { id, wallet } of reservedAccounts) this.open(id, wallet);
  }

  get count(): number {
    return this.wallets.length;
  }

  /** Most blocks that a commit writes. */
  get blockCount(): number {
    return this.table.blocksFor(this.count);
  }

  open(id: number, wallet: string): void {
    this.enter(id, wallet);
    const offset = this.table.change(id);
    writeHexOrThrow(wallet, this.table.bytes, offset + at.wallet, 20);
  }

  walletOf(id: number): string {
    return this.wallets[id];
  }

  /** The account of a wallet (lower-case address); -1 for none. */
  idOf(wallet: string): number {
    return this.numbers.get(wallet) ?? -1;
  }

  /** The account's newest row of a class; 0 for none. */
  headOf(id: number, rowClass: RowClass): number {
    return this.heads[id * CLASSES + rowClass];
  }

  setHead(id: number, rowClass: RowClass, row: number): void {
    this.heads[id * CLASSES + rowClass] = row;
    this.markChanged(id);
  }

  tradedOf(id: number): number {
    return this.traded[id];
  }

  addTradedMarket(id: number): void {
    this.traded[id] += 1;
    this.markChanged(id);
    this.markUnshown(id);
  }

  /** The accounts that are new, or traded in another market, since the last call. */
  takeUnshown(): readonly number[] {
    const { unshown } = this;
    for (const id of unshown) this.isUnshown[id] = 0;
    this.unshown = [];
    return unshown;
  }

  flush(put: Put): void {
    for (const id of this.changed) {
      const offset = this.table.change(id);
      const { view } = this.table;
      view.setUint32(offset + at.traded, this.traded[id], true);
      for (let rowClass = 0; rowClass < CLASSES; rowClass += 1) {
        view.setFloat64(offset + at.heads + rowClass * 8, this.heads[id * CLASSES + rowClass], true);
      }
      this.isChanged[id] = 0;
    }
    this.changed = [];
    this.table.flush(put);
  }

  committed(): void {
    this.table.committed();
  }

  private enter(id: number, wallet: string): void {
    this.wallets[id] = wallet;
    this.numbers.set(wallet, id);
    if (id >= this.traded.length) {
      const length = Math.max(id + 1, this.traded.length * 2);
      this.traded = enlarged(new Uint32Array(length), this.traded);
      this.heads = enlarged(new Float64Array(length * CLASSES), this.heads);
      this.isChanged = enlarged(new Uint8Array(length), this.isChanged);
      this.isUnshown = enlarged(new Uint8Array(length), this.isUnshown);
    }
    this.markUnshown(id);
  }

  private markUnshown(id: number): void {
    if (this.isUnshown[id] !== 0) return;
    this.isUnshown[id] = 1;
    this.unshown.push(id);
  }

  private markChanged(id: number): void {
    if (this.isChanged[id] !== 0) return;
    this.isChanged[id] = 1;
    this.changed.push(id);
  }
}
