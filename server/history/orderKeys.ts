// The API keys under which orders were posted, with their owners, by number: an order's record names both in four bytes. All
// are held in memory (some hundred bytes a key) and stored in packed blocks. Used by orders.ts alone.
import { readHex } from '../../engine/index.ts';
import { BlockTable } from './blocks.ts';
import { enlarged } from './enlarged.ts';
import { Table } from './keys.ts';
import type { IndexStore, Put } from './store.ts';

/** The record: key id, owner. */
const at = { key: 0, owner: 16, bytes: 36 } as const;
const WORDS = at.bytes / 4;
const OWNER_WORD = at.owner / 4;
const NONE = -1;
const HELD_BLOCKS = 64;

export class OrderKeys {
  count = 0;
  private readonly table: BlockTable;
  private readonly numbers = new Map<string, number>();
  /** A copy of the records, contiguous by number: every order is compared with one, wherever that record's block lies. */
  private words = new Uint32Array(64 * WORDS);
  /** By account, the number of its latest order's key, which is nearly always that of the next order too. */
  private latest = new Int32Array(64).fill(NONE);
  private readonly wanted = Buffer.alloc(at.bytes);

  constructor(store: IndexStore) {
    this.table = new BlockTable(store, Table.ORDER_KEYS, at.bytes, HELD_BLOCKS);
  }

  /** How many blocks wait for a commit. */
  get dirtyCount(): number {
    return this.table.dirtyCount;
  }

  /** Reads the first `count` keys. */
  load(count: number): void {
    for (; this.count < count; this.count += 1) {
      const offset = this.table.locate(this.count);
      this.enter(this.table.bytes.toString('latin1', offset, offset + at.bytes), this.table.view, offset);
    }
  }

  /** The number of the key and owner at these offsets of the command, added if new; `account` posts an order with it. */
  numberOf(account: number, command: DataView, keyAt: number, ownerAt: number): number {
    if (account >= this.latest.length) {
      const length = Math.max(account + 1, this.latest.length * 2);
      this.latest = enlarged(new Int32Array(length).fill(NONE), this.latest);
    }
    const latest = this.latest[account];
    if (latest !== NONE && this.matches(latest, command, keyAt, ownerAt)) return latest;
    for (let i = 0; i < at.owner; i += 1) this.wanted[at.key + i] = command.getUint8(keyAt + i);
    for (let i = 0; i < at.bytes - at.owner; i += 1) this.wanted[at.owner + i] = command.getUint8(ownerAt + i);
    const text = this.wanted.toString('latin1');
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.count;
      const offset = this.table.change(number);
      this.wanted.copy(this.table.bytes, offset);
      this.enter(text, this.table.view, offset);
      this.count += 1;
    }
    this.latest[account] = number;
    return number;
  }

  /** The key id (0x and 32 hex digits) and owner (lower-case address) with this number. */
  read(number: number): { readonly keyId: string; readonly owner: string } {
    const offset = this.table.locate(number);
    const { bytes } = this.table;
    return { keyId: readHex(bytes, offset + at.key, 16), owner: readHex(bytes, offset + at.owner, 20) };
  }

  flush(put: Put): void {
    this.table.flush(put);
  }

  committed(): void {
    this.table.committed();
  }

  /** Adds the next key to memory, from its record at this offset. */
  private enter(text: string, record: DataView, offset: number): void {
    const { count } = this;
    this.numbers.set(text, count);
    if ((count + 1) * WORDS > this.words.length) {
      this.words = enlarged(new Uint32Array(this.words.length * 2), this.words);
    }
    for (let i = 0; i < WORDS; i += 1) this.words[count * WORDS + i] = record.getUint32(offset + 4 * i);
  }

  /** Whether the number is that of this key and owner. Compares four bytes at a time, since every order passes here. */
  private matches(number: number, command: DataView, keyAt: number, ownerAt: number): boolean {
    const { words } = this;
    const first = number * WORDS;
    for (let i = 0; i < OWNER_WORD; i += 1) if (words[first + i] !== command.getUint32(keyAt + 4 * i)) return false;
    for (let i = OWNER_WORD; i < WORDS; i += 1) {
      if (words[first + i] !== command.getUint32(ownerAt + 4 * (i - OWNER_WORD))) return false;
    }
    return true;
  }
}
