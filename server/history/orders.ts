// Every order that the exchange ever accepted or killed, by number in packed blocks, and a lookup from an order's id to its
// number. Fed by the indexer, which needs the maker's order of each fill; read by the query for one order.
import type { OrderType, Side } from '../../engine/index.ts';
import { endStatus, type OrderStatus, orderStatuses } from '../views/records.ts';
import { Arena } from './arena.ts';
import { BlockTable, getU40, getU48, setU40, setU48 } from './blocks.ts';
import { PAIR_KEY_BYTES, Table, writePairKey } from './keys.ts';
import { OrderKeys } from './orderKeys.ts';
import type { IndexStore, Put } from './store.ts';

/**
 * The record, little-endian: the first half of the id (no two digests share 128 bits), u32 number of its key (orderKeys.ts),
 * account, market, original and filled lots, f64 expiration, u48 time, u40 newest row (0 for none), u16 pips, then a byte each
 * of outcome, side, type and delay together, of the status (its index in orderStatuses), and of the cancel reason plus one.
 */
const at = {
  id: 0,
  key: 16,
  account: 20,
  market: 24,
  original: 28,
  filled: 32,
  expiration: 36,
  created: 44,
  row: 50,
  pips: 55,
  terms: 57,
  status: 58,
  reason: 59,
  bytes: 60,
} as const;
const ID_BYTES = 16;
const TERM = { secondOutcome: 1, sell: 2, typeShift: 2, typeMask: 3, wasDelayed: 0x80 } as const;
const HELD_BLOCKS = 2_048;

/** Orders per segment of the id lookup; segments keep a commit from rewriting many old ids. */
const SEGMENT_ORDERS = 2 ** 18;
/** Buckets of a segment: an id's bucket is its first twelve bits. */
const BUCKETS = 2 ** 12;
/** An entry of a bucket: eight bytes of the id, and the order's offset in its segment. */
const ENTRY_BYTES = 12;
/** Bytes of a bucket in the B-tree besides its entries: its key and header. */
const BUCKET_BYTES = 32;
const TAG_AT = 8;
const TAG_BYTES = 8;

const bucketOf = (bytes: Uint8Array, idAt: number): number => (bytes[idAt] << 4) | (bytes[idAt + 1] >> 4);

/** An order, with the fields that its reply needs. */
export interface FoundOrder {
  readonly id: string;
  readonly keyId: string;
  readonly owner: string;
  readonly accountId: number;
  readonly marketIndex: number;
  readonly outcome: 0 | 1;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly pricePips: number;
  readonly originalLots: number;
  readonly filledLots: number;
  readonly createdMs: number;
  readonly expirationS: number;
  readonly status: OrderStatus;
  readonly cancelReason: number | undefined;
  readonly wasDelayed: boolean;
  /** The order's newest row; 0 for none. */
  readonly row: number;
}

interface NewOrder {
  readonly number: number;
  readonly account: number;
  readonly market: number;
  readonly outcome: number;
  readonly side: number;
  readonly orderType: number;
  readonly pips: number;
  readonly originalLots: number;
  readonly tMs: number;
  readonly expirationS: number;
  readonly status: OrderStatus;
}

export class Orders {
  /** The highest order number; lastStored is the highest whose id is in the store. */
  last = 0;
  lastStored = 0;
  // The order last read.
  account = 0;
  market = 0;
  outcome = 0;
  isSell = false;
  row = 0;
  readonly keys: OrderKeys;
  private lastFlushed = 0;
  private readonly store: IndexStore;
  private readonly table: BlockTable;
  private readonly key = Buffer.alloc(PAIR_KEY_BYTES);
  private readonly wanted = Buffer.alloc(32);
  private readonly wantedView = new DataView(this.wanted.buffer, this.wanted.byteOffset);

  constructor(store: IndexStore) {
    this.store = store;
    this.table = new BlockTable(store, Table.ORDERS, at.bytes, HELD_BLOCKS);
    this.keys = new OrderKeys(store);
  }

  /** How many blocks wait for a commit, of orders and of keys. */
  get dirtyCount(): number {
    return this.table.dirtyCount + this.keys.dirtyCount;
  }

  /** The most buckets of ids that a commit writes; below, the bytes by which they grow. */
  get bucketsToWrite(): number {
    const segments = Math.floor(this.last / SEGMENT_ORDERS) - Math.floor(this.lastStored / SEGMENT_ORDERS) + 1;
    return Math.min(this.last - this.lastStored, segments * BUCKETS);
  }

  get idBytesToWrite(): number {
    return (this.last - this.lastStored) * ENTRY_BYTES + this.bucketsToWrite * BUCKET_BYTES;
  }

  /** Adds an order whose id, key and owner are at these offsets of its command. */
  add(order: NewOrder, command: DataView, idAt: number, keyAt: number, ownerAt: number): void {
    const { table } = this;
    const key = this.keys.numberOf(order.account, command, keyAt, ownerAt);
    const offset = table.change(order.number);
    const { view } = table;
    for (let i = 0; i < ID_BYTES; i += 4) view.setUint32(offset + at.id + i, command.getUint32(idAt + i));
    view.setUint32(offset + at.key, key, true);
    view.setUint32(offset + at.account, order.account, true);
    view.setUint32(offset + at.market, order.market, true);
    view.setUint32(offset + at.original, order.originalLots, true);
    view.setFloat64(offset + at.expiration, order.expirationS, true);
    setU48(view, offset + at.created, order.tMs);
    view.setUint16(offset + at.pips, order.pips, true);
    const terms = order.outcome * TERM.secondOutcome + order.side * TERM.sell;
    view.setUint8(offset + at.terms, terms + (order.orderType << TERM.typeShift));
    this.writeStatus(offset, order.status);
    if (order.number > this.last) this.last = order.number;
  }

  /** Reads an order's account, market, outcome, side and newest row. */
  read(number: number): void {
    const offset = this.table.locate(number);
    const { view } = this.table;
    this.account = view.getUint32(offset + at.account, true);
    this.market = view.getUint32(offset + at.market, true);
    const terms = view.getUint8(offset + at.terms);
    this.outcome = terms & TERM.secondOutcome;
    this.isSell = (terms & TERM.sell) !== 0;
    this.row = getU40(view, offset + at.row);
  }

  /** Books a fill of the order, which has this row. */
  filled(number: number, lots: number, row: number, isFull: boolean): void {
    const offset = this.table.change(number);
    const { view } = this.table;
    view.setUint32(offset + at.filled, view.getUint32(offset + at.filled, true) + lots, true);
    setU40(view, offset + at.row, row);
    if (isFull) this.writeStatus(offset, 'MATCHED');
  }

  setStatus(number: number, status: OrderStatus): void {
    this.writeStatus(this.table.change(number), status);
  }

  /** Marks the order as delayed, for good in `wasDelayed`. */
  setDelayed(number: number): void {
    const offset = this.table.change(number);
    const { view } = this.table;
    this.writeStatus(offset, 'DELAYED');
    view.setUint8(offset + at.terms, view.getUint8(offset + at.terms) | TERM.wasDelayed);
  }

  canceled(number: number, reason: number): void {
    const offset = this.table.change(number);
    this.writeStatus(offset, endStatus(reason));
    this.table.view.setUint8(offset + at.reason, reason + 1);
  }

  /** The order with this id (0x and 64 lower-case hex digits); undefined if there is none. */
  byId(id: string): FoundOrder | undefined {
    this.wanted.write(id.slice(2), 'hex');
    const number = this.findUncommitted() ?? this.findStored();
    return number === undefined ? undefined : this.foundOrder(number, id);
  }

  flush(put: Put): void {
    this.keys.flush(put);
    this.table.flush(put);
    let from = this.lastStored + 1;
    while (from <= this.last) {
      const segment = Math.floor(from / SEGMENT_ORDERS);
      const until = Math.min(this.last + 1, (segment + 1) * SEGMENT_ORDERS);
      this.flushIds(put, segment, from, until);
      from = until;
    }
    this.lastFlushed = this.last;
  }

  committed(): void {
    this.keys.committed();
    this.table.committed();
    this.lastStored = this.lastFlushed;
  }

  private writeStatus(offset: number, status: OrderStatus): void {
    this.table.view.setUint8(offset + at.status, orderStatuses.indexOf(status));
  }

  private hasWantedId(number: number): boolean {
    const offset = this.table.locate(number) + at.id;
    const { bytes, view } = this.table;
    // Other ids nearly always differ in these bytes; comparing all of them in native code takes many times as long.
    if (view.getUint32(offset) !== this.wantedView.getUint32(0)) return false;
    return bytes.compare(this.wanted, 0, ID_BYTES, offset, offset + ID_BYTES) === 0;
  }

  /** Scans the orders since the last commit, whose ids are in no bucket yet. */
  private findUncommitted(): number | undefined {
    for (let number = this.last; number > this.lastStored; number -= 1) if (this.hasWantedId(number)) return number;
    return undefined;
  }

  private findStored(): number | undefined {
    const { wanted } = this;
    const bucket = bucketOf(wanted, 0);
    const high = wanted.readUInt32LE(TAG_AT);
    const low = wanted.readUInt32LE(TAG_AT + 4);
    for (let segment = Math.floor(this.lastStored / SEGMENT_ORDERS); segment >= 0; segment -= 1) {
      const value = this.store.get(writePairKey(this.key, Table.ORDER_IDS, segment, bucket));
      if (value === undefined) continue;
      const entries = Buffer.from(value); // a copy: hasWantedId may read the store again, which invalidates the value
      for (let entry = 0; entry + ENTRY_BYTES <= entries.length; entry += ENTRY_BYTES) {
        if (entries.readUInt32LE(entry) !== high || entries.readUInt32LE(entry + 4) !== low) continue;
        const number = segment * SEGMENT_ORDERS + entries.readUInt32LE(entry + 8);
        if (this.hasWantedId(number)) return number;
      }
    }
    return undefined;
  }

  private foundOrder(number: number, id: string): FoundOrder {
    const offset = this.table.locate(number);
    const { view } = this.table;
    const reason = view.getUint8(offset + at.reason);
    const terms = view.getUint8(offset + at.terms);
    return {
      id,
      ...this.keys.read(view.getUint32(offset + at.key, true)),
      accountId: view.getUint32(offset + at.account, true),
      marketIndex: view.getUint32(offset + at.market, true),
      outcome: (terms & TERM.secondOutcome) === 0 ? 0 : 1,
      side: ((terms & TERM.sell) === 0 ? 0 : 1) as Side, // written as one
      orderType: ((terms >> TERM.typeShift) & TERM.typeMask) as OrderType, // written as one
      pricePips: view.getUint16(offset + at.pips, true),
      originalLots: view.getUint32(offset + at.original, true),
      filledLots: view.getUint32(offset + at.filled, true),
      createdMs: getU48(view, offset + at.created),
      expirationS: view.getFloat64(offset + at.expiration, true),
      status: orderStatuses[view.getUint8(offset + at.status)],
      cancelReason: reason === 0 ? undefined : reason - 1,
      wasDelayed: (terms & TERM.wasDelayed) !== 0,
      row: getU40(view, offset + at.row),
    };
  }

  /** Puts the ids of the orders [from, until), all of one segment, into their buckets. */
  private flushIds(put: Put, segment: number, from: number, until: number): void {
    const ids = this.idsByBucket(from, until);
    const arena = new Arena();
    const isFirst = from === 1 || from === segment * SEGMENT_ORDERS;
    for (let first = 0; first < ids.order.length; ) {
      const bucket = ids.buckets[ids.order[first]];
      let end = first + 1;
      while (end < ids.order.length && ids.buckets[ids.order[end]] === bucket) end += 1;
      const key = writePairKey(this.key, Table.ORDER_IDS, segment, bucket);
      const before = isFirst ? undefined : this.store.get(key);
      const start = arena.reserve((before?.length ?? 0) + (end - first) * ENTRY_BYTES);
      if (before !== undefined) arena.bytes.set(before, start);
      let entryAt = start + (before?.length ?? 0);
      for (; first < end; first += 1) {
        const index = ids.order[first];
        arena.view.setUint32(entryAt, ids.highs[index]);
        arena.view.setUint32(entryAt + 4, ids.lows[index]);
        arena.view.setUint32(entryAt + TAG_BYTES, from + index - segment * SEGMENT_ORDERS, true);
        entryAt += ENTRY_BYTES;
      }
      arena.offset = entryAt;
      put(key, arena.bytes, start, entryAt);
    }
  }

  /** The bucket and stored id bytes of each of these orders, and the orders sorted by bucket, older ones first. */
  private idsByBucket(from: number, until: number) {
    const count = until - from;
    const buckets = new Uint16Array(count);
    const highs = new Uint32Array(count);
    const lows = new Uint32Array(count);
    const ends = new Uint32Array(BUCKETS);
    for (let index = 0; index < count; index += 1) {
      const idAt = this.table.locate(from + index) + at.id;
      const { bytes, view } = this.table;
      buckets[index] = bucketOf(bytes, idAt);
      highs[index] = view.getUint32(idAt + TAG_AT);
      lows[index] = view.getUint32(idAt + TAG_AT + 4);
      ends[buckets[index]] += 1;
    }
    for (let bucket = 1; bucket < BUCKETS; bucket += 1) ends[bucket] += ends[bucket - 1];
    const order = new Uint32Array(count);
    for (let index = count - 1; index >= 0; index -= 1) {
      ends[buckets[index]] -= 1;
      order[ends[buckets[index]]] = index;
    }
    return { buckets, highs, lows, order };
  }
}
