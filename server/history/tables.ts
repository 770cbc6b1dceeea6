// All tables of an index together with its cursor: opens and commits them, and rejects an index of another format. Used by the
// historian's thread.
import { Accounts } from './accounts.ts';
import { IndexDamaged } from './errors.ts';
import { Holders } from './holders.ts';
import { PAIR_KEY_BYTES, Table, writePairKey } from './keys.ts';
import { Markets } from './markets.ts';
import { Orders } from './orders.ts';
import { Positions } from './positions.ts';
import { Rows } from './rows.ts';
import { INDEX_FORMAT, type IndexStore, type SpaceNeed } from './store.ts';

/** The journal that the index follows, how far, and the record counts of its tables. Stored with every commit. */
export interface Cursor {
  readonly format: number;
  /** The last indexed sequence, 0 for none, and the hash of its record (hex). */
  readonly sequence: number;
  readonly hash: string;
  /** Hash of the journal's first record. */
  readonly journal: string;
  readonly rows: number;
  readonly orders: number;
  readonly orderKeys: number;
  readonly accounts: number;
  readonly markets: number;
  readonly events: number;
}

const CURSOR_KEY = writePairKey(Buffer.alloc(PAIR_KEY_BYTES), Table.META, 0, 0);
/** Disk space of a changed block: a page of its own, and its entry in the B-tree. */
const BLOCK_BYTES = 4_096 + 64;
/** Space factor for entries in pages of the B-tree: both halves of a split page start half empty. */
const SPLIT_FACTOR = 2;
/** A commit is due once this much waits, which bounds the memory while an index is built. */
const COMMIT_DUE = { positions: 250_000, blocks: 40_000 } as const;

export class Tables {
  /** The last indexed sequence; it is committed later. */
  sequence = 0;
  /** The last committed sequence. */
  committedSequence = 0;
  readonly stored: Cursor | undefined;
  readonly accounts: Accounts;
  readonly markets: Markets;
  readonly rows: Rows;
  readonly orders: Orders;
  readonly holders: Holders;
  readonly positions: Positions;
  readonly store: IndexStore;

  /** @throws IndexDamaged if the store holds no index of this format */
  constructor(store: IndexStore) {
    this.store = store;
    this.stored = readCursor(store);
    const { stored } = this;
    store.wasEmpty = stored === undefined;
    this.accounts = new Accounts(store);
    this.markets = new Markets(store);
    this.rows = new Rows(store);
    this.orders = new Orders(store);
    this.holders = new Holders(store);
    this.positions = new Positions(store, stored === undefined);
    this.accounts.load(stored?.accounts ?? 0);
    this.markets.load(stored?.events ?? 0, stored?.markets ?? 0);
    this.sequence = stored?.sequence ?? 0;
    this.committedSequence = this.sequence;
    this.rows.last = stored?.rows ?? 0;
    this.orders.last = stored?.orders ?? 0;
    this.orders.lastStored = this.orders.last;
    this.orders.keys.load(stored?.orderKeys ?? 0);
  }

  /** Whether so much waits that it must be committed before more is indexed. */
  get isCommitDue(): boolean {
    const { rows, orders, holders, positions } = this;
    return (
      positions.dirtyCount > COMMIT_DUE.positions ||
      rows.dirtyCount + orders.dirtyCount + holders.dirtyCount > COMMIT_DUE.blocks
    );
  }

  /**
   * Reserves disk space for all that waits for a commit, including what is indexed meanwhile: LMDB must never find the disk full.
   * Returns false if the disk is full; if true, call `commit` in the same turn of the event loop.
   */
  async reserve(): Promise<boolean> {
    do {
      if (!(await this.store.reserve(this.need()))) return false;
    } while (!this.store.tryReserve(this.need()));
    return true;
  }

  /** Commits everything indexed so far, with its cursor. More may be indexed meanwhile, but not committed. */
  async commit(hash: string, journal: string): Promise<void> {
    const { accounts, markets, rows, orders, holders, positions, sequence } = this;
    const cursor: Cursor = {
      format: INDEX_FORMAT,
      sequence,
      hash,
      journal,
      rows: rows.last,
      orders: orders.last,
      orderKeys: orders.keys.count,
      accounts: accounts.count,
      markets: markets.list.length,
      events: markets.eventCount,
    };
    const changed = [rows, orders, accounts, markets, holders, positions];
    await this.store.commit((put, remove) => {
      put(CURSOR_KEY, Buffer.from(JSON.stringify(cursor), 'utf8'));
      for (const table of changed) table.flush(put, remove);
    });
    for (const table of changed) table.committed();
    this.committedSequence = sequence;
  }

  /** @param leavesChecksum whether to leave a checksum, by which a change of the file is detected when it is opened (store.ts) */
  close(leavesChecksum = true): Promise<void> {
    return this.store.close(leavesChecksum);
  }

  private need(): SpaceNeed {
    const { accounts, markets, rows, orders, holders, positions } = this;
    const blocks = accounts.blockCount + markets.blockCount + rows.dirtyCount + orders.dirtyCount + holders.dirtyCount;
    const pairs = positions.need();
    const entryBytes = pairs.bytes + orders.idBytesToWrite + markets.textBytesToWrite;
    return {
      bytes: blocks * BLOCK_BYTES + SPLIT_FACTOR * entryBytes,
      entries: blocks + pairs.entries + orders.bucketsToWrite + markets.textsToWrite,
    };
  }
}

function readCursor(store: IndexStore): Cursor | undefined {
  const value = store.get(CURSOR_KEY);
  if (value === undefined) return undefined;
  let cursor: Cursor;
  try {
    cursor = JSON.parse(Buffer.from(value).toString('utf8')) as Cursor; // commit wrote it as one
  } catch {
    throw new IndexDamaged('its cursor cannot be read');
  }
  if (cursor.format !== INDEX_FORMAT) throw new IndexDamaged(`it has format ${cursor.format}, not ${INDEX_FORMAT}`);
  return cursor;
}
