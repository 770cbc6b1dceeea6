// Tables of records of one fixed length, numbered from 0, packed into blocks of one LMDB value each: what is read together
// lies together, and what changes together is written once. Blocks are held in memory while they change, and for a while
// after they were read. While a commit is being written its blocks stay as they are: one that changes is copied first.
// Used by the tables of this folder. A record that was never written is all zeros.
import { IndexDamaged } from './errors.ts';
import { BLOCK_KEY_BYTES, type Table, writeBlockKey } from './keys.ts';
import type { IndexStore, Put } from './store.ts';

/** With LMDB's page header of 16 bytes, a full block takes exactly one page. */
const BLOCK_BYTES = 4_080;
/** Blocks are kept in arrays of so many, so that growing never copies. */
const CHUNK_BLOCKS = 128;
/** Blocks of a partition are numbered below this; tables that may grow past it have one partition, number 0. */
const PARTITION_BLOCKS = 2 ** 21;
/** Places looked at for a block that may be forgotten, before another one is made. */
const TRIES_MAX = 16;
const NO_BLOCK = -1;

/** What a place holds: a block as it is stored, one that waits for a commit, one that is being written. */
const State = { CLEAN: 0, WAITS: 1, WRITTEN: 2 } as const;

interface Chunk {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/** Writes a number below 2^40 in five bytes. */
export function setU40(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value, true); // its lower 32 bits
  view.setUint8(offset + 4, value / 2 ** 32);
}

export const getU40 = (view: DataView, offset: number): number =>
  view.getUint32(offset, true) + view.getUint8(offset + 4) * 2 ** 32;

/** Writes a number below 2^48 in six bytes. */
export function setU48(view: DataView, offset: number, value: number): void {
  view.setUint32(offset, value, true); // its lower 32 bits
  view.setUint16(offset + 4, value / 2 ** 32, true);
}

export const getU48 = (view: DataView, offset: number): number =>
  view.getUint32(offset, true) + view.getUint16(offset + 4, true) * 2 ** 32;

export class BlockTable {
  /** The memory of the record that was located last. */
  view: DataView;
  bytes: Buffer;
  readonly recordsPerBlock: number;
  private readonly store: IndexStore;
  private readonly table: Table;
  private readonly recordBytes: number;
  private readonly cleanMax: number;
  private readonly chunks: Chunk[] = [];
  private readonly places = new Map<number, number>();
  /** By place: which block it holds (-1 = none), how many of its records were written, and its state. */
  private readonly ids: number[] = [];
  private readonly partitions: number[] = [];
  private readonly used: number[] = [];
  private readonly states: number[] = [];
  private dirty: number[] = [];
  private written: number[] = [];
  private hand = 0;
  private lastId = -1;
  private lastPlace = -1;
  private lastStart = 0;
  private readonly key = Buffer.alloc(BLOCK_KEY_BYTES);

  /** @param cleanMax blocks that are kept although nothing of them waits for a commit */
  constructor(store: IndexStore, table: Table, recordBytes: number, cleanMax: number) {
    this.store = store;
    this.table = table;
    this.recordBytes = recordBytes;
    this.recordsPerBlock = Math.floor(BLOCK_BYTES / recordBytes);
    this.cleanMax = cleanMax;
    const first = this.addChunk();
    this.view = first.view;
    this.bytes = first.bytes;
  }

  /** How many blocks wait for a commit. */
  get dirtyCount(): number {
    return this.dirty.length;
  }

  /** Where in `view` and `bytes` a record begins. Valid until the next record is located. */
  locate(record: number, partition = 0): number {
    const { recordsPerBlock } = this;
    const block = Math.floor(record / recordsPerBlock);
    const id = partition * PARTITION_BLOCKS + block;
    if (id !== this.lastId) this.find(id, partition, block);
    return this.lastStart + (record - block * recordsPerBlock) * this.recordBytes;
  }

  /** The same for a record that is about to be written. */
  change(record: number, partition = 0): number {
    const offset = this.locate(record, partition) - this.lastStart;
    if (this.states[this.lastPlace] !== State.WAITS) this.waits();
    const place = this.lastPlace;
    const inBlock = (record % this.recordsPerBlock) + 1;
    if (inBlock > this.used[place]) this.used[place] = inBlock;
    return this.lastStart + offset;
  }

  /** Hands over every block that waits, in the order of keys. They stay as they are until `committed`. */
  flush(put: Put): void {
    const { ids, partitions, used, recordBytes } = this;
    this.dirty.sort((left, right) => ids[left] - ids[right]);
    for (const place of this.dirty) {
      this.states[place] = State.WRITTEN;
      const partition = partitions[place];
      const key = writeBlockKey(
        Buffer.allocUnsafe(BLOCK_KEY_BYTES),
        this.table,
        partition,
        ids[place] - partition * PARTITION_BLOCKS,
      );
      const start = (place % CHUNK_BLOCKS) * BLOCK_BYTES;
      put(key, this.chunks[Math.floor(place / CHUNK_BLOCKS)].bytes.subarray(start, start + used[place] * recordBytes));
    }
    this.written = this.dirty;
    this.dirty = [];
  }

  /** What was flushed is in the store. */
  committed(): void {
    for (const place of this.written) this.states[place] = State.CLEAN;
    this.written = [];
  }

  /** The block that was located last waits for a commit from now on, in another place if its own is being written. */
  private waits(): void {
    const before = this.lastPlace;
    if (this.states[before] === State.WRITTEN) {
      const place = this.freePlace();
      const from = this.lastStart;
      const source = this.bytes;
      this.settle(place, this.lastId, this.partitions[before]);
      this.used[place] = this.used[before];
      this.ids[before] = NO_BLOCK;
      source.copy(this.bytes, this.lastStart, from, from + BLOCK_BYTES);
    }
    this.states[this.lastPlace] = State.WAITS;
    this.dirty.push(this.lastPlace);
  }

  /** Makes a block the one that was located last, reading it if it is not held. */
  private find(id: number, partition: number, block: number): void {
    let place = this.places.get(id);
    if (place === undefined) {
      place = this.freePlace();
      this.load(place, partition, block);
    }
    this.settle(place, id, partition);
  }

  /** A place holds this block, and is the one that was located last. */
  private settle(place: number, id: number, partition: number): void {
    if (this.ids[place] !== id) {
      this.places.set(id, place);
      this.ids[place] = id;
      this.partitions[place] = partition;
    }
    const chunk = this.chunks[Math.floor(place / CHUNK_BLOCKS)];
    this.view = chunk.view;
    this.bytes = chunk.bytes;
    this.lastId = id;
    this.lastPlace = place;
    this.lastStart = (place % CHUNK_BLOCKS) * BLOCK_BYTES;
  }

  private load(place: number, partition: number, block: number): void {
    const { bytes } = this.chunks[Math.floor(place / CHUNK_BLOCKS)];
    const start = (place % CHUNK_BLOCKS) * BLOCK_BYTES;
    const value = this.store.get(writeBlockKey(this.key, this.table, partition, block));
    const length = value?.length ?? 0;
    if (length > BLOCK_BYTES || length % this.recordBytes !== 0) {
      throw new IndexDamaged(`a block of table ${this.table} has ${length} bytes`);
    }
    if (value !== undefined) bytes.set(value, start);
    bytes.fill(0, start + length, start + BLOCK_BYTES);
    this.used[place] = length / this.recordBytes;
    this.states[place] = State.CLEAN;
  }

  /** A place for another block: one whose block may be forgotten, or a new one. */
  private freePlace(): number {
    const count = this.ids.length;
    for (let tries = 0; count >= this.cleanMax && tries < TRIES_MAX; tries += 1) {
      this.hand = (this.hand + 1) % count;
      if (this.states[this.hand] !== State.CLEAN || this.hand === this.lastPlace) continue;
      this.places.delete(this.ids[this.hand]);
      this.ids[this.hand] = NO_BLOCK;
      return this.hand;
    }
    if (count === this.chunks.length * CHUNK_BLOCKS) this.addChunk();
    this.ids.push(NO_BLOCK);
    this.partitions.push(0);
    this.used.push(0);
    this.states.push(State.CLEAN);
    return count;
  }

  private addChunk(): Chunk {
    const bytes = Buffer.allocUnsafeSlow(CHUNK_BLOCKS * BLOCK_BYTES);
    const chunk = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
    this.chunks.push(chunk);
    return chunk;
  }
}
