// The rows of all histories, numbered from 1 in log order: one for each taker's trade, maker's fill, split, merge and redeemed
// token. Each row links to the previous row of its account, market and order, so every list is a walk along a chain, and a new
// row writes no index besides its own block. Fed by the indexer, read by queries.
import { MICRO_PER_LOT } from '../../engine/index.ts';
import { bytesToHex } from '../auth/hex.ts';
import { keccak256 } from '../auth/keccak.ts';
import type { ActivityType } from '../wire/historyQueries.ts';
import { BlockTable, getU40, getU48, setU40, setU48 } from './blocks.ts';
import { Table } from './keys.ts';
import type { IndexStore, Put } from './store.ts';

/** The chain of its account and market to which a row belongs. */
export const RowClass = { TAKER: 0, MAKER: 1, OTHER: 2 } as const;
export type RowClass = (typeof RowClass)[keyof typeof RowClass];

export const RowKind = { TAKER: 0, MAKER: 1, SPLIT: 2, MERGE: 3, REDEEM: 4 } as const;
export type RowKind = (typeof RowKind)[keyof typeof RowKind];

const TYPES: readonly ActivityType[] = ['TRADE', 'TRADE', 'SPLIT', 'MERGE', 'REDEEM'];

/**
 * The record, little-endian: u8 kind and flags, u8 top byte of `place`, u16 pips, u32 account and market, u48 time, u48 number
 * (the trade's in its market, or the record's sequence), f64 size, u40 previous row of its account. Trades add the u40 previous
 * rows of their market and order; their cash is size times price. Other rows add f64 cash and the lower three bytes of the u32
 * place in the record.
 */
const at = {
  kind: 0,
  placeTop: 1,
  pips: 2,
  account: 4,
  market: 8,
  tMs: 12,
  number: 18,
  size: 24,
  ofAccount: 32,
  ofMarket: 37,
  ofOrder: 42,
  cash: 37,
  place: 45,
  bytes: 48,
} as const;
const KIND_MASK = 7;
const FLAG = { secondOutcome: 8, sell: 16 } as const;
/** Clean blocks kept in memory: 8 MB. */
const HELD_BLOCKS = 2_048;
/** The variant and version bits of a trade's id, a UUID of version 8 (wire/ids.ts). */
const UUID_VERSION = 0x8000;
const UUID_VARIANT = 0x8000_0000;

export class Rows {
  /** Number of the newest row; 0 for none. */
  last = 0;
  // The row last read.
  kind: RowKind = RowKind.TAKER;
  outcome: 0 | 1 = 0;
  isSell = false;
  account = 0;
  market = 0;
  sizeMicro = 0;
  cashMicro = 0;
  tMs = 0;
  private offset = 0;
  private readonly table: BlockTable;
  private readonly idBytes = new Uint8Array(16);
  private readonly idView = new DataView(this.idBytes.buffer);

  constructor(store: IndexStore) {
    this.table = new BlockTable(store, Table.ROWS, at.bytes, HELD_BLOCKS);
  }

  get dirtyCount(): number {
    return this.table.dirtyCount;
  }

  /**
   * Appends a row and returns its number; the caller sets its links and its `number` afterwards. Only trades have a side and a
   * price (pips); only other rows have `place` and `cashMicro` of their own.
   */
  add(
    kind: RowKind,
    outcome: number,
    isSell: boolean,
    pips: number,
    account: number,
    market: number,
    place: number,
    sizeMicro: number,
    cashMicro: number,
    tMs: number,
  ): number {
    this.last += 1;
    const { table } = this;
    const offset = table.change(this.last);
    const { view } = table;
    view.setUint8(offset + at.kind, kind + outcome * FLAG.secondOutcome + (isSell ? FLAG.sell : 0));
    view.setUint16(offset + at.pips, pips, true);
    view.setUint32(offset + at.account, account, true);
    view.setUint32(offset + at.market, market, true);
    setU48(view, offset + at.tMs, tMs);
    view.setFloat64(offset + at.size, sizeMicro, true);
    if (kind > RowKind.MAKER) {
      view.setFloat64(offset + at.cash, cashMicro, true);
      view.setUint16(offset + at.place, place, true); // its lower 16 bits
      view.setUint8(offset + at.place + 2, place >>> 16);
      view.setUint8(offset + at.placeTop, place >>> 24);
    }
    return this.last;
  }

  /** Links a row to its previous rows, 0 for none; those of market and order apply to trades alone. */
  link(row: number, ofAccount: number, ofMarket: number, ofOrder: number): void {
    const offset = this.table.change(row);
    const { view } = this.table;
    setU40(view, offset + at.ofAccount, ofAccount);
    if ((view.getUint8(offset + at.kind) & KIND_MASK) > RowKind.MAKER) return;
    setU40(view, offset + at.ofMarket, ofMarket);
    setU40(view, offset + at.ofOrder, ofOrder);
  }

  /** Sets the trade's number, which the log gives after the trade's fills, or the record's sequence. */
  setNumber(row: number, number: number): void {
    const offset = this.table.change(row);
    setU48(this.table.view, offset + at.number, number);
  }

  /** Reads the fields that every filter needs; the methods below read the others. */
  read(row: number): void {
    const { table } = this;
    const offset = table.locate(row);
    const { view } = table;
    const kind = view.getUint8(offset + at.kind);
    this.offset = offset;
    this.kind = (kind & KIND_MASK) as RowKind; // written as one
    this.outcome = (kind & FLAG.secondOutcome) === 0 ? 0 : 1;
    this.isSell = (kind & FLAG.sell) !== 0;
    this.account = view.getUint32(offset + at.account, true);
    this.market = view.getUint32(offset + at.market, true);
    this.sizeMicro = view.getFloat64(offset + at.size, true);
    const isTrade = this.kind <= RowKind.MAKER;
    this.cashMicro = isTrade ? (this.sizeMicro / MICRO_PER_LOT) * this.pips : view.getFloat64(offset + at.cash, true);
    this.tMs = getU48(view, offset + at.tMs);
  }

  /** The kind of a row, without reading the rest. */
  kindOf(row: number): RowKind {
    const offset = this.table.locate(row);
    return (this.table.view.getUint8(offset + at.kind) & KIND_MASK) as RowKind; // written as one
  }

  get type(): ActivityType {
    return TYPES[this.kind];
  }

  get pips(): number {
    return this.table.view.getUint16(this.offset + at.pips, true);
  }

  get number(): number {
    return getU48(this.table.view, this.offset + at.number);
  }

  get beforeOfOrder(): number {
    return getU40(this.table.view, this.offset + at.ofOrder);
  }

  /** The previous row in its account's or its market's chain; 0 for none. */
  before(row: number, isOfMarket: boolean): number {
    const offset = this.table.locate(row);
    return getU40(this.table.view, offset + (isOfMarket ? at.ofMarket : at.ofAccount));
  }

  /** The transaction hash of the row last read (figures.ts). */
  transactionHash(): string {
    const { idView, offset } = this;
    const { view } = this.table;
    const { number } = this;
    const high = Math.floor(number / 2 ** 32);
    const low = number % 2 ** 32;
    if (this.kind <= RowKind.MAKER) {
      idView.setUint32(0, this.market);
      idView.setUint32(4, UUID_VERSION);
      idView.setUint32(8, UUID_VARIANT + high);
      idView.setUint32(12, low);
    } else {
      idView.setUint32(0, high);
      idView.setUint32(4, low);
      idView.setUint32(8, 0);
      const lower = view.getUint16(offset + at.place, true) + view.getUint8(offset + at.place + 2) * 2 ** 16;
      idView.setUint32(12, lower + view.getUint8(offset + at.placeTop) * 2 ** 24);
    }
    return bytesToHex(keccak256(this.idBytes));
  }

  flush(put: Put): void {
    this.table.flush(put);
  }

  committed(): void {
    this.table.committed();
  }
}
