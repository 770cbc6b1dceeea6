// Tables of fixed-length records, numbered from 0 and packed into blocks of one LMDB value each: records read together are
// stored together, and a block that changes is written once. Blocks stay in memory while they change, and for a while after a
// read. Blocks of a commit in progress are not modified; a change copies the block first (copy on write). Used by the tables of
// this folder. A record that was never written is all zeros.
import { dataViewOf } from '../../engine/index.ts';
import { IndexDamaged } from './errors.ts';
import { BLOCK_KEY_BYTES, type Table, writeBlockKey } from './keys.ts';
import type { IndexStore, Put } from './store.ts';

/** With LMDB's page header of 16 bytes, a full block takes exactly one page. */
const BLOCK_BYTES = 4_080;
/** Blocks per allocated chunk: growing adds a chunk and copies nothing. */
const CHUNK_BLOCKS = 128;
/** Places examined for a block to evict before a new place is added. */
const EVICTION_TRIES_MAX = 16;
const NONE = -1;

/** The state of a place's block: as stored, waiting for a commit, or being written. */
const State = { CLEAN: 0, DIRTY: 1, WRITTEN: 2 } as const;

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
  /** The memory of the record last located. */
  view: DataView;
  bytes: Buffer;
  readonly recordsPerBlock: number;
  private readonly store: IndexStore;
  private readonly table: Table;
  private readonly recordBytes: number;
  private readonly cleanMax: number;
  private readonly chunks: Chunk[] = [];
  /** By partition and block, its place plus one; 0 = evicted, absent = never held. */
  private readonly places: number[][] = [];
  /** By place: partition and number of its block, how many of the block's records were written, and its state. */
  private readonly partitions: number[] = [];
  private readonly blocks: number[] = [];
  private readonly used: number[] = [];
  private readonly states: number[] = [];
  private dirty: number[] = [];
  private written: number[] = [];
  private clockHand = 0;
  private lastPartition = NONE;
  private lastBlock = NONE;
  private lastPlace = NONE;
  private lastStart = 0;
  private readonly key = Buffer.alloc(BLOCK_KEY_BYTES);

  /** @param cleanMax how many blocks are kept before clean ones are evicted */
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

  /** How many blocks this many records take. */
  blocksFor(records: number): number {
    return Math.ceil(records / this.recordsPerBlock);
  }

  /** The offset of a record in `view` and `bytes`; valid until the next record is located. */
  locate(record: number, partition = 0): number {
    const { recordsPerBlock } = this;
    const block = Math.floor(record / recordsPerBlock);
    if (block !== this.lastBlock || partition !== this.lastPartition) this.find(partition, block);
    return this.lastStart + (record - block * recordsPerBlock) * this.recordBytes;
  }

  /** The same, for a record that the caller is about to write. */
  change(record: number, partition = 0): number {
    const offset = this.locate(record, partition) - this.lastStart;
    if (this.states[this.lastPlace] !== State.DIRTY) this.markDirty();
    const place = this.lastPlace;
    const inBlock = (record % this.recordsPerBlock) + 1;
    if (inBlock > this.used[place]) this.used[place] = inBlock;
    return this.lastStart + offset;
  }

  /** Puts every waiting block, in key order. The blocks are not modified until `committed`. */
  flush(put: Put): void {
    const { blocks, partitions, used, recordBytes, key } = this;
    this.dirty.sort((left, right) => partitions[left] - partitions[right] || blocks[left] - blocks[right]);
    for (const place of this.dirty) {
      this.states[place] = State.WRITTEN;
      const start = (place % CHUNK_BLOCKS) * BLOCK_BYTES;
      const { bytes } = this.chunks[Math.floor(place / CHUNK_BLOCKS)];
      writeBlockKey(key, this.table, partitions[place], blocks[place]);
      put(key, bytes, start, start + used[place] * recordBytes);
    }
    this.written = this.dirty;
    this.dirty = [];
  }

  /** The flushed blocks are now in the store. */
  committed(): void {
    for (const place of this.written) this.states[place] = State.CLEAN;
    this.written = [];
  }

  /** Marks the block last located as waiting for a commit; it moves to another place if its own is being written. */
  private markDirty(): void {
    const before = this.lastPlace;
    if (this.states[before] === State.WRITTEN) {
      const place = this.freePlace();
      const from = this.lastStart;
      const source = this.bytes;
      this.blocks[before] = NONE;
      this.hold(place, this.lastPartition, this.lastBlock);
      this.used[place] = this.used[before];
      source.copy(this.bytes, this.lastStart, from, from + BLOCK_BYTES);
    }
    this.states[this.lastPlace] = State.DIRTY;
    this.dirty.push(this.lastPlace);
  }

  /** Makes a block the one last located, reading it if it is not held. */
  private find(partition: number, block: number): void {
    const held = this.places[partition]?.[block];
    if (held !== undefined && held > 0) {
      this.select(held - 1, partition, block);
      return;
    }
    const place = this.freePlace();
    this.load(place, partition, block, held === undefined && this.store.wasEmpty);
    this.hold(place, partition, block);
  }

  /** Assigns a place to a block, which becomes the one last located. */
  private hold(place: number, partition: number, block: number): void {
    this.places[partition] ??= [];
    this.places[partition][block] = place + 1;
    this.partitions[place] = partition;
    this.blocks[place] = block;
    this.select(place, partition, block);
  }

  private select(place: number, partition: number, block: number): void {
    const chunk = this.chunks[Math.floor(place / CHUNK_BLOCKS)];
    this.view = chunk.view;
    this.bytes = chunk.bytes;
    this.lastPartition = partition;
    this.lastBlock = block;
    this.lastPlace = place;
    this.lastStart = (place % CHUNK_BLOCKS) * BLOCK_BYTES;
  }

  /** Reads a block into a place; a new block is certainly not in the store, so the store is not asked. */
  private load(place: number, partition: number, block: number, isNew: boolean): void {
    const { bytes } = this.chunks[Math.floor(place / CHUNK_BLOCKS)];
    const start = (place % CHUNK_BLOCKS) * BLOCK_BYTES;
    const value = isNew ? undefined : this.store.get(writeBlockKey(this.key, this.table, partition, block));
    const length = value?.length ?? 0;
    if (length > BLOCK_BYTES || length % this.recordBytes !== 0) {
      throw new IndexDamaged(`a block of table ${this.table} has ${length} bytes`);
    }
    if (value !== undefined) bytes.set(value, start);
    bytes.fill(0, start + length, start + BLOCK_BYTES);
    this.used[place] = length / this.recordBytes;
    this.states[place] = State.CLEAN;
  }

  /** A place for another block: one whose block can be evicted, or a new one. */
  private freePlace(): number {
    const { states, blocks, partitions } = this;
    const count = states.length;
    for (let tries = 0; count >= this.cleanMax && tries < EVICTION_TRIES_MAX; tries += 1) {
      this.clockHand = (this.clockHand + 1) % count;
      const place = this.clockHand;
      if (states[place] !== State.CLEAN || place === this.lastPlace) continue;
      if (blocks[place] !== NONE) this.places[partitions[place]][blocks[place]] = 0;
      blocks[place] = NONE;
      return place;
    }
    if (count === this.chunks.length * CHUNK_BLOCKS) this.addChunk();
    partitions.push(0);
    blocks.push(NONE);
    this.used.push(0);
    states.push(State.CLEAN);
    return count;
  }

  private addChunk(): Chunk {
    const bytes = Buffer.allocUnsafeSlow(CHUNK_BLOCKS * BLOCK_BYTES);
    const chunk = { bytes, view: dataViewOf(bytes) };
    this.chunks.push(chunk);
    return chunk;
  }
}
