// A packed store of notifications: 88 bytes each, off the heap. As objects with their orders and trades they would take ten times
// as much of it, and those of some thousands of owners would fill it. Fields are copied, so that no order or trade stays alive.
// The slots of an owner form a ring, in which the oldest follows the newest. Written and read by notifications.ts alone.
import {
  type OrderType,
  readHex,
  requireSound,
  type Sections,
  type Side,
  writeHexOrThrow,
} from '../../engine/index.ts';
import type { Notice, NotifiedOrder } from './records.ts';

type Unnumbered<N extends Notice> = N extends Notice ? Omit<N, 'number'> : never;
/** A notification without its number, which its place in the ring gives. */
export type UnnumberedNotice = Unnumbered<Notice>;

/**
 * A notification, little-endian: u32 slot after it in its ring, market; f64 time, and an amount: the lots that a cancelled order
 * had filled, the number of the trade, or the micro-shares of a resolved token; u32 size of the order, lots of this fill, remainder
 * after it; u16 pips; a byte of token, side, type and kind of notification; a byte of reason; 16 bytes of key, 32 of order id.
 */
const SLOT = {
  next: 0,
  market: 4,
  tMs: 8,
  amount: 16,
  originalLots: 24,
  lots: 28,
  remainingLots: 32,
  pips: 36,
  terms: 38,
  reason: 39,
  key: 40,
  id: 56,
  bytes: 88,
} as const;
const KEY_BYTES = 16;
const ID_BYTES = 32;
/** What a slot holds, stored as its index here. A dropped notification keeps its place in the ring. */
const KINDS = ['dropped', 'canceled', 'filled', 'resolved'] as const;
const CHUNK_SLOTS = 4_096;
const CHUNK_BYTES = CHUNK_SLOTS * SLOT.bytes;

export class PackedNotices {
  /** How many slots there are, numbered from 0. */
  count = 0;
  private chunks: Buffer<ArrayBuffer>[] = [];

  /** The slot that follows this one in its ring. */
  next(slot: number): number {
    return this.chunkOf(slot).readUInt32LE(offsetOf(slot) + SLOT.next);
  }

  /** Adds a slot to a ring behind its newest, or a ring of this slot alone. Returns the slot, which must then be written. */
  insert(newest: number | undefined): number {
    const slot = this.count;
    if (slot % CHUNK_SLOTS === 0) this.chunks.push(Buffer.from(new ArrayBuffer(CHUNK_BYTES)));
    this.count += 1;
    this.setNext(slot, newest === undefined ? slot : this.next(newest));
    if (newest !== undefined) this.setNext(newest, slot);
    return slot;
  }

  /** Overwrites whatever the slot holds. */
  write(slot: number, notice: UnnumberedNotice): void {
    const [chunk, at] = [this.chunkOf(slot), offsetOf(slot)];
    chunk.writeDoubleLE(notice.tMs, at + SLOT.tMs);
    switch (notice.kind) {
      case 'canceled':
        this.writeOrder(chunk, at, notice.kind, notice.order);
        chunk.writeDoubleLE(notice.order.filledLots, at + SLOT.amount);
        chunk.writeUInt16LE(notice.order.pricePips, at + SLOT.pips);
        chunk[at + SLOT.reason] = notice.reason;
        return;
      case 'filled':
        this.writeOrder(chunk, at, notice.kind, notice.order);
        chunk.writeDoubleLE(notice.tradeNumber, at + SLOT.amount);
        chunk.writeUInt32LE(notice.lots, at + SLOT.lots);
        chunk.writeUInt16LE(notice.pricePips, at + SLOT.pips);
        chunk.writeUInt32LE(notice.remainingLots, at + SLOT.remainingLots);
        return;
      case 'resolved':
        chunk.writeUInt32LE(notice.marketIndex, at + SLOT.market);
        chunk.writeDoubleLE(notice.sharesMicro, at + SLOT.amount);
        chunk[at + SLOT.terms] = termsOf(notice.kind, notice.outcome);
        return;
      default: {
        const unknown: never = notice;
        throw new Error(`views: unknown notification ${JSON.stringify(unknown)}`);
      }
    }
  }

  /** The notification in a slot, as the one with this number of its owner; undefined if it was dropped. */
  read(slot: number, number: number): Notice | undefined {
    const [chunk, at] = [this.chunkOf(slot), offsetOf(slot)];
    const tMs = chunk.readDoubleLE(at + SLOT.tMs);
    const amount = chunk.readDoubleLE(at + SLOT.amount);
    const pricePips = chunk.readUInt16LE(at + SLOT.pips);
    const kind = KINDS[chunk[at + SLOT.terms] >> 4];
    switch (kind) {
      case 'canceled': {
        const order = { ...readOrder(chunk, at), pricePips, filledLots: amount };
        return { kind, number, tMs, order, reason: chunk[at + SLOT.reason] };
      }
      case 'filled': {
        const lots = chunk.readUInt32LE(at + SLOT.lots);
        const remainingLots = chunk.readUInt32LE(at + SLOT.remainingLots);
        return { kind, number, tMs, order: readOrder(chunk, at), tradeNumber: amount, lots, pricePips, remainingLots };
      }
      case 'resolved': {
        const marketIndex = chunk.readUInt32LE(at + SLOT.market);
        return { kind, number, tMs, marketIndex, outcome: chunk[at + SLOT.terms] & 1, sharesMicro: amount };
      }
      default:
        return undefined;
    }
  }

  drop(slot: number): void {
    this.chunkOf(slot)[offsetOf(slot) + SLOT.terms] = termsOf('dropped', 0);
  }

  /** The packed notifications' part of a snapshot. The rings are to be checked by whoever knows their owners. */
  visit(sections: Sections): void {
    this.count = sections.number('count', this.count);
    requireSound(Number.isSafeInteger(this.count) && this.count >= 0, `there are ${this.count} notifications`);
    const chunkCount = Math.ceil(this.count / CHUNK_SLOTS);
    for (let number = 0; number < chunkCount; number += 1) {
      const chunk = sections.uint8(`chunk ${number}`, this.chunks[number] ?? new Uint8Array());
      requireSound(chunk.length === CHUNK_BYTES, `chunk ${number} of the notifications has ${chunk.length} bytes`);
      if (sections.isLoading) this.chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    }
  }

  private chunkOf(slot: number): Buffer {
    return this.chunks[Math.floor(slot / CHUNK_SLOTS)];
  }

  private setNext(slot: number, next: number): void {
    this.chunkOf(slot).writeUInt32LE(next, offsetOf(slot) + SLOT.next);
  }

  private writeOrder(chunk: Buffer, at: number, kind: 'canceled' | 'filled', order: NotifiedOrder): void {
    const { id, keyId, marketIndex, outcome, side, orderType, originalLots } = order;
    chunk.writeUInt32LE(marketIndex, at + SLOT.market);
    chunk.writeUInt32LE(originalLots, at + SLOT.originalLots);
    chunk[at + SLOT.terms] = termsOf(kind, outcome, side, orderType);
    writeHexOrThrow(keyId, chunk, at + SLOT.key, KEY_BYTES);
    writeHexOrThrow(id, chunk, at + SLOT.id, ID_BYTES);
  }
}

const offsetOf = (slot: number): number => (slot % CHUNK_SLOTS) * SLOT.bytes;

const termsOf = (kind: (typeof KINDS)[number], outcome: number, side = 0, orderType = 0): number =>
  outcome + 2 * side + 4 * orderType + 16 * KINDS.indexOf(kind);

function readOrder(chunk: Buffer, at: number): NotifiedOrder {
  const terms = chunk[at + SLOT.terms];
  return {
    id: readHex(chunk, at + SLOT.id, ID_BYTES),
    keyId: readHex(chunk, at + SLOT.key, KEY_BYTES),
    marketIndex: chunk.readUInt32LE(at + SLOT.market),
    outcome: terms & 1,
    side: ((terms >> 1) & 1) as Side, // written as one
    orderType: ((terms >> 2) & 3) as OrderType, // written as one
    originalLots: chunk.readUInt32LE(at + SLOT.originalLots),
  };
}
