// A packed store of trades that no longer change: 172 bytes each with one maker, and 64 for each further one, off the heap. As
// objects with their orders they would take ten times as much of the heap, which ends at a few gigabytes. Fields are decoded on
// access, so a filter that needs few fields reads little. Written and read by trades.ts alone.
import {
  type FillKind,
  isCapacity,
  readHex,
  requireSound,
  type Sections,
  type Side,
  TradeStatus,
} from '../../engine/index.ts';
import { float64WithRoom } from '../lib/withRoom.ts';
import type { BuilderCodes } from './builderCodes.ts';
import { InternedTexts } from './internedTexts.ts';
import type { MakerFill, Trade, TradeParty } from './records.ts';

/**
 * A trade, little-endian: f64 number in its market, fee, times of the match and of the last change; u32 market, lots, bucket,
 * number of makers; u16 pips. Its taker and its makers follow.
 */
const TRADE = {
  tradeNumber: 0,
  feeMicro: 8,
  matchMs: 16,
  updatedMs: 24,
  market: 32,
  lots: 36,
  bucket: 40,
  makerCount: 44,
  pips: 48,
  taker: 52,
} as const;
/**
 * A party's order: 32 bytes of id; u32 account; text numbers of owner, wallet, key; number of the builder code + 1, or 0; a byte
 * of token and side.
 */
const PARTY = { id: 0, account: 32, owner: 36, maker: 40, key: 44, builder: 48, terms: 52, bytes: 56 } as const;
/** A maker: its order (PARTY), then u32 lots, u16 pips, u8 kind. */
const MAKER = { lots: PARTY.bytes, pips: PARTY.bytes + 4, kind: PARTY.bytes + 6, bytes: PARTY.bytes + 8 } as const;
const TEXTS = [PARTY.owner, PARTY.maker, PARTY.key] as const;
const ID_BYTES = 32;
/** Bytes of the first chunk; each after it has twice as many as the one before, up to CHUNK_BYTES_MAX. */
const FIRST_CHUNK_BYTES = 2 ** 15;
const CHUNK_BYTES_MAX = 2 ** 20;
const FIRST_PLACES = 1_024;

const bytesOf = (makerCount: number): number => TRADE.taker + PARTY.bytes + makerCount * MAKER.bytes;

/** What the numbers of parties refer to. */
interface Named {
  readonly texts: InternedTexts;
  readonly codes: BuilderCodes;
}

class PackedParty implements TradeParty {
  private readonly chunk: Buffer;
  private readonly at: number;
  private readonly named: Named;

  constructor(chunk: Buffer, at: number, named: Named) {
    this.chunk = chunk;
    this.at = at;
    this.named = named;
  }

  get id(): string {
    return readHex(this.chunk, this.at + PARTY.id, ID_BYTES);
  }

  get accountId(): number {
    return this.chunk.readUInt32LE(this.at + PARTY.account);
  }

  get owner(): string {
    return this.text(PARTY.owner);
  }

  get maker(): string {
    return this.text(PARTY.maker);
  }

  get keyId(): string {
    return this.text(PARTY.key);
  }

  get builder(): string {
    const number = this.chunk.readUInt32LE(this.at + PARTY.builder);
    return number === 0 ? '' : this.named.codes.textOf(number - 1);
  }

  get outcome(): number {
    return this.chunk[this.at + PARTY.terms] & 1;
  }

  get side(): Side {
    return (this.chunk[this.at + PARTY.terms] >> 1) as Side; // written as one
  }

  private text(field: number): string {
    return this.named.texts.list[this.chunk.readUInt32LE(this.at + field)];
  }
}

class PackedTrade implements Trade {
  readonly ordinal: number;
  readonly status = TradeStatus.CONFIRMED;
  private readonly chunk: Buffer;
  private readonly at: number;
  private readonly named: Named;

  constructor(ordinal: number, chunk: Buffer, at: number, named: Named) {
    this.ordinal = ordinal;
    this.chunk = chunk;
    this.at = at;
    this.named = named;
  }

  get marketIndex(): number {
    return this.chunk.readUInt32LE(this.at + TRADE.market);
  }

  get tradeNumber(): number {
    return this.chunk.readDoubleLE(this.at + TRADE.tradeNumber);
  }

  get taker(): TradeParty {
    return new PackedParty(this.chunk, this.at + TRADE.taker, this.named);
  }

  get pricePips(): number {
    return this.chunk.readUInt16LE(this.at + TRADE.pips);
  }

  get lots(): number {
    return this.chunk.readUInt32LE(this.at + TRADE.lots);
  }

  get feeMicro(): number {
    return this.chunk.readDoubleLE(this.at + TRADE.feeMicro);
  }

  get makers(): readonly MakerFill[] {
    const { chunk, at, named } = this;
    return Array.from({ length: chunk.readUInt32LE(at + TRADE.makerCount) }, (_, index) => {
      const makerAt = at + TRADE.taker + PARTY.bytes + index * MAKER.bytes;
      return {
        order: new PackedParty(chunk, makerAt, named),
        lots: chunk.readUInt32LE(makerAt + MAKER.lots),
        pricePips: chunk.readUInt16LE(makerAt + MAKER.pips),
        kind: chunk[makerAt + MAKER.kind] as FillKind, // written as one
      };
    });
  }

  get bucketIndex(): number {
    return this.chunk.readUInt32LE(this.at + TRADE.bucket);
  }

  get matchMs(): number {
    return this.chunk.readDoubleLE(this.at + TRADE.matchMs);
  }

  get updatedMs(): number {
    return this.chunk.readDoubleLE(this.at + TRADE.updatedMs);
  }
}

export class PackedTrades {
  /** How many trades are packed: those with the ordinals 1 to `count`. */
  count = 0;
  private chunks: Buffer<ArrayBuffer>[] = [];
  /** Bytes used of the last chunk. */
  private used = 0;
  /** By ordinal − 1: the index of the trade's chunk times 2^32, plus its byte offset in that chunk. */
  private places = new Float64Array(FIRST_PLACES);
  private readonly named: Named;

  /** @param codes the builder codes, which are in snapshots apart from the trades and before them */
  constructor(codes: BuilderCodes) {
    this.named = { texts: new InternedTexts(), codes };
  }

  /** Packs the trade with the next ordinal; it must be CONFIRMED. */
  add(trade: Trade): void {
    const { taker, makers } = trade;
    const at = this.reserve(bytesOf(makers.length));
    const chunk = this.chunks[this.chunks.length - 1];
    chunk.writeDoubleLE(trade.tradeNumber, at + TRADE.tradeNumber);
    chunk.writeDoubleLE(trade.feeMicro, at + TRADE.feeMicro);
    chunk.writeDoubleLE(trade.matchMs, at + TRADE.matchMs);
    chunk.writeDoubleLE(trade.updatedMs, at + TRADE.updatedMs);
    chunk.writeUInt32LE(trade.marketIndex, at + TRADE.market);
    chunk.writeUInt32LE(trade.lots, at + TRADE.lots);
    chunk.writeUInt32LE(trade.bucketIndex, at + TRADE.bucket);
    chunk.writeUInt32LE(makers.length, at + TRADE.makerCount);
    chunk.writeUInt16LE(trade.pricePips, at + TRADE.pips);
    this.writeParty(chunk, at + TRADE.taker, taker);
    let makerAt = at + TRADE.taker + PARTY.bytes;
    for (const { order, lots, pricePips, kind } of makers) {
      this.writeParty(chunk, makerAt, order);
      chunk.writeUInt32LE(lots, makerAt + MAKER.lots);
      chunk.writeUInt16LE(pricePips, makerAt + MAKER.pips);
      chunk[makerAt + MAKER.kind] = kind;
      makerAt += MAKER.bytes;
    }
  }

  /** The trade with this ordinal, which lies within 1 to `count`. */
  byOrdinal(ordinal: number): Trade {
    const place = this.places[ordinal - 1];
    const number = Math.floor(place / 2 ** 32);
    return new PackedTrade(ordinal, this.chunks[number], place - number * 2 ** 32, this.named);
  }

  /** The packed trades' part of a snapshot. */
  visit(sections: Sections): void {
    this.count = sections.number('count', this.count);
    this.used = sections.number('used', this.used);
    this.places = sections.float64('places', this.places);
    const chunkCount = sections.number('chunks', this.chunks.length);
    for (let number = 0; number < chunkCount; number += 1) {
      const chunk = sections.uint8(`chunk ${number}`, this.chunks[number] ?? new Uint8Array());
      if (sections.isLoading) this.chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    }
    this.named.texts.visit(sections);
    if (sections.isLoading) this.requireWhole();
  }

  /** Requires each trade to start right behind the one before it or at the start of the next chunk, with nothing else there. */
  private requireWhole(): void {
    const { count, places, chunks } = this;
    requireSound(isCapacity(places.length, FIRST_PLACES), `packed trades have ${places.length} places`);
    let number = 0;
    let at = 0;
    for (let index = 0; index < count; index += 1) {
      if (places[index] === (number + 1) * 2 ** 32) {
        number += 1;
        at = 0;
      }
      const end = places[index] === number * 2 ** 32 + at ? this.endOf(chunks[number], at) : undefined;
      requireSound(end !== undefined, `the packed trade ${index + 1} is incomplete`);
      at = end;
    }
    const fills = number === Math.max(chunks.length - 1, 0) && at === this.used;
    requireSound(fills, `${count} packed trades end before ${this.used} bytes of ${chunks.length} chunks`);
  }

  /** Where the trade at this offset of a chunk ends; undefined unless all of it, its texts and codes are present. */
  private endOf(chunk: Buffer | undefined, at: number): number | undefined {
    const makersAt = at + TRADE.taker + PARTY.bytes;
    if (chunk === undefined || makersAt > chunk.length) return undefined;
    const end = at + bytesOf(chunk.readUInt32LE(at + TRADE.makerCount));
    if (end > chunk.length || !this.hasNamed(chunk, at + TRADE.taker)) return undefined;
    for (let makerAt = makersAt; makerAt < end; makerAt += MAKER.bytes) {
      if (!this.hasNamed(chunk, makerAt)) return undefined;
    }
    return end;
  }

  private hasNamed(chunk: Buffer, partyAt: number): boolean {
    const { texts, codes } = this.named;
    const hasTexts = TEXTS.every((field) => chunk.readUInt32LE(partyAt + field) < texts.list.length);
    return hasTexts && chunk.readUInt32LE(partyAt + PARTY.builder) <= codes.count;
  }

  /** Reserves this many bytes for the next ordinal; returns their offset in the last chunk. */
  private reserve(bytes: number): number {
    const last = this.chunks.at(-1);
    if (last === undefined || this.used + bytes > last.length) {
      const usual = last === undefined ? FIRST_CHUNK_BYTES : Math.min(2 * last.length, CHUNK_BYTES_MAX);
      this.chunks.push(Buffer.from(new ArrayBuffer(Math.max(usual, bytes))));
      this.used = 0;
    }
    this.places = float64WithRoom(this.places, this.count + 1);
    const at = this.used;
    this.places[this.count] = (this.chunks.length - 1) * 2 ** 32 + at;
    this.count += 1;
    this.used += bytes;
    return at;
  }

  private writeParty(chunk: Buffer, at: number, party: TradeParty): void {
    const { texts, codes } = this.named;
    chunk.write(party.id.slice(2), at + PARTY.id, ID_BYTES, 'hex');
    chunk.writeUInt32LE(party.accountId, at + PARTY.account);
    chunk.writeUInt32LE(texts.numberOf(party.owner), at + PARTY.owner);
    chunk.writeUInt32LE(texts.numberOf(party.maker), at + PARTY.maker);
    chunk.writeUInt32LE(texts.numberOf(party.keyId), at + PARTY.key);
    chunk.writeUInt32LE(party.builder === '' ? 0 : codes.numberOf(party.builder) + 1, at + PARTY.builder);
    chunk[at + PARTY.terms] = party.outcome + 2 * party.side;
  }
}
