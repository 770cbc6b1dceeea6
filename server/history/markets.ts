// Markets and events of the histories: their texts, and the figures that change with trading. All are held in memory, since
// every row names a market; texts are stored as JSON when they change, figures in packed blocks. Fed by the indexer.

import { type Command, type EventOf, PIPS_PER_UNIT } from '../../engine/index.ts';
import { decimalOfHex } from '../auth/uint256.ts';
import type { Fields } from '../lib/jsonFields.ts';
import { initialPricePips, outcomesOf, readTexts, shownPricePips, textOf } from '../views/texts.ts';
import type { MarketFacts } from '../wire/historyQueries.ts';
import { dateTimeText } from '../wire/numbers.ts';
import { BlockTable } from './blocks.ts';
import { PAIR_KEY_BYTES, Table, writePairKey } from './keys.ts';
import type { IndexStore, Put } from './store.ts';

/** The figures' record: u16 last price and u16 resolution, each plus one; u32 lengths of holder lists; then f64 numbers. */
const at = { last: 0, resolution: 2, holders: 4, volume: 16, vault: 24, takers: 32, makers: 40, bytes: 48 } as const;
/** The least disk space counted for a text: one page. */
const TEXT_BYTES_MIN = 4_096;

/** The stored form of a market: the texts that rows and filters need, no descriptions. */
interface StoredMarket {
  readonly conditionId: string;
  readonly tokens: readonly [string, string];
  readonly negRisk: boolean;
  readonly eventNumber: number;
  readonly texts: Fields;
}

const KEPT_TEXTS = ['question', 'slug', 'icon', 'endDate', 'lastPrice', 'archived', 'outcomes'] as const;

const isDate = (text: string): boolean => text !== '' && !Number.isNaN(Date.parse(text));
const hasText = (text: string): boolean => text !== '';

/** The texts of a command's tail, reduced to those that are kept. */
function textsOf(tail: Uint8Array | undefined): Fields {
  const given = readTexts(tail);
  const kept = KEPT_TEXTS.filter((name) => Object.hasOwn(given, name));
  return Object.fromEntries(kept.map((name) => [name, given[name]]));
}

const encodeText = (value: StoredMarket | Fields): Buffer => Buffer.from(JSON.stringify(value), 'utf8');

/** A market, written only by this file and the indexer. */
export class HistoryMarket {
  readonly index: number;
  stored: StoredMarket;
  facts: MarketFacts;
  isArchived = false;
  /** The title in lower case, for searches. */
  titleLower = '';
  /** The end as a sortable date-time, '' for none. */
  endsAt = '';
  private givenPips = PIPS_PER_UNIT / 2;
  /** Price of the last trade in the first token's terms; -1 for none. */
  lastPips = -1;
  /** A Resolution; -1 until resolved. */
  resolution = -1;
  volumeMicro = 0;
  vaultMicro = 0;
  /** Whether its figures changed since the last commit; isUnshown: since they were last shown on the board. */
  isChanged = false;
  isUnshown = false;
  /** The newest taker row and the newest maker row. */
  readonly heads: [takers: number, makers: number] = [0, 0];
  /** Lengths of both tokens' holder lists. */
  readonly holderCounts: [first: number, second: number] = [0, 0];

  constructor(index: number, stored: StoredMarket, event: Fields | undefined) {
    this.index = index;
    this.stored = stored;
    this.facts = this.read(event);
  }

  get conditionId(): string {
    return this.stored.conditionId;
  }

  /** Derives `facts` from the texts again, as a new object, since what is derived from the old one is cached. */
  refresh(event: Fields | undefined): void {
    this.facts = this.read(event);
  }

  /** The price shown for a token, pips (curPrice in figures.ts). */
  shownPips(outcome: number): number {
    const firstPips = this.lastPips >= 0 ? this.lastPips : this.givenPips;
    return shownPricePips(this.resolution >= 0 ? this.resolution : undefined, firstPips, outcome);
  }

  private read(event: Fields | undefined): MarketFacts {
    const { conditionId, tokens, negRisk, eventNumber, texts } = this.stored;
    const title = textOf(texts.question);
    const endDate = [textOf(texts.endDate), textOf(event?.endDate)].find(isDate) ?? '';
    this.givenPips = initialPricePips(texts.lastPrice);
    this.isArchived = texts.archived === true;
    this.titleLower = title.toLowerCase();
    this.endsAt = dateTimeText(endDate);
    return {
      ...{ conditionId, tokens, negRisk, eventNumber, title, endDate },
      outcomes: outcomesOf(texts),
      slug: textOf(texts.slug),
      icon: [textOf(texts.icon), textOf(event?.icon)].find(hasText) ?? '',
      eventSlug: textOf(event?.slug),
    };
  }
}

export class Markets {
  readonly list: HistoryMarket[] = [];
  private readonly store: IndexStore;
  private readonly table: BlockTable;
  private readonly events: Fields[] = [];
  private readonly conditions = new Map<string, HistoryMarket>();
  private readonly ofEvents = new Map<number, HistoryMarket[]>();
  private readonly key = Buffer.alloc(PAIR_KEY_BYTES);
  private changed: HistoryMarket[] = [];
  private unshown: HistoryMarket[] = [];
  /** By number, the texts that changed since the last commit, as they are stored. */
  private readonly marketTexts = new Map<number, Buffer>();
  private readonly eventTexts = new Map<number, Buffer>();

  constructor(store: IndexStore) {
    this.store = store;
    this.table = new BlockTable(store, Table.MARKETS, at.bytes, 64);
  }

  /** Reads the first `eventCount` events and `marketCount` markets. */
  load(eventCount: number, marketCount: number): void {
    const read = (table: Table, number: number): unknown => {
      const value = this.store.get(writePairKey(this.key, table, 0, number));
      return JSON.parse(Buffer.from(value ?? []).toString('utf8'));
    };
    for (let number = 1; number <= eventCount; number += 1) {
      this.events[number] = read(Table.EVENT_TEXTS, number) as Fields; // encodeText wrote it as one
    }
    for (let index = 0; index < marketCount; index += 1) {
      this.add(index, read(Table.MARKET_TEXTS, index) as StoredMarket); // encodeText wrote it as one
      this.readFigures(this.list[index]);
    }
    for (const market of this.changed) market.isChanged = false;
    this.changed = [];
  }

  get eventCount(): number {
    return Math.max(0, this.events.length - 1);
  }

  /** The most that a commit writes: blocks of figures here, texts below. */
  get blockCount(): number {
    return this.table.blocksFor(this.list.length);
  }

  get textsToWrite(): number {
    return this.marketTexts.size + this.eventTexts.size;
  }

  get textBytesToWrite(): number {
    let bytes = 0;
    for (const texts of [this.marketTexts, this.eventTexts]) {
      for (const text of texts.values()) bytes += Math.max(TEXT_BYTES_MIN, text.length);
    }
    return bytes;
  }

  byCondition(conditionId: string): HistoryMarket | undefined {
    return this.conditions.get(conditionId);
  }

  ofEvent(eventNumber: number): readonly HistoryMarket[] {
    return this.ofEvents.get(eventNumber) ?? [];
  }

  eventCreated(eventNumber: number, command: Command): void {
    const texts = textsOf(command.tail);
    this.events[eventNumber] = texts;
    this.eventTexts.set(eventNumber, encodeText(texts));
  }

  created(event: EventOf<'MarketCreated'>, command: Command): void {
    const { marketIndex, conditionId, eventNumber, firstToken, secondToken } = event;
    const tokens = [decimalOfHex(firstToken), decimalOfHex(secondToken)] as const;
    const texts = textsOf(command.tail);
    const stored = { conditionId, tokens, negRisk: event.negRisk === 1, eventNumber, texts };
    this.add(marketIndex, stored);
    this.marketTexts.set(marketIndex, encodeText(stored));
  }

  updated(event: EventOf<'MarketUpdated'>, command: Command, isOfCommand: boolean): void {
    const market = this.list[event.marketIndex];
    const negRisk = event.negRisk === 1;
    if (!isOfCommand && negRisk === market.stored.negRisk) return;
    const texts = isOfCommand ? { ...market.stored.texts, ...textsOf(command.tail) } : market.stored.texts;
    market.stored = { ...market.stored, negRisk, texts };
    market.refresh(this.events[market.stored.eventNumber]);
    this.marketTexts.set(market.index, encodeText(market.stored));
  }

  resolved(marketIndex: number, resolution: number): void {
    this.change(marketIndex).resolution = resolution;
  }

  /** The market, marked as changed; the caller then changes its figures. */
  change(marketIndex: number): HistoryMarket {
    const market = this.list[marketIndex];
    if (!market.isChanged) {
      market.isChanged = true;
      this.changed.push(market);
    }
    if (!market.isUnshown) {
      market.isUnshown = true;
      this.unshown.push(market);
    }
    return market;
  }

  /** The markets whose totals may have changed since the last call. */
  takeUnshown(): readonly HistoryMarket[] {
    const { unshown } = this;
    for (const market of unshown) market.isUnshown = false;
    this.unshown = [];
    return unshown;
  }

  flush(put: Put): void {
    const putTexts = (table: Table, texts: Map<number, Buffer>): void => {
      for (const [number, text] of texts) put(writePairKey(this.key, table, 0, number), text);
      texts.clear();
    };
    putTexts(Table.EVENT_TEXTS, this.eventTexts);
    putTexts(Table.MARKET_TEXTS, this.marketTexts);
    for (const market of this.changed) this.writeFigures(market);
    this.changed = [];
    this.table.flush(put);
  }

  committed(): void {
    this.table.committed();
  }

  private add(index: number, stored: StoredMarket): void {
    const market = new HistoryMarket(index, stored, this.events[stored.eventNumber]);
    this.list[index] = market;
    this.conditions.set(stored.conditionId, market);
    const ofEvent = this.ofEvents.get(stored.eventNumber);
    if (ofEvent !== undefined) ofEvent.push(market);
    else if (stored.eventNumber !== 0) this.ofEvents.set(stored.eventNumber, [market]);
    this.change(index);
  }

  private writeFigures(market: HistoryMarket): void {
    market.isChanged = false;
    const offset = this.table.change(market.index);
    const { view } = this.table;
    view.setUint16(offset + at.last, market.lastPips + 1, true);
    view.setUint16(offset + at.resolution, market.resolution + 1, true);
    view.setUint32(offset + at.holders, market.holderCounts[0], true);
    view.setUint32(offset + at.holders + 4, market.holderCounts[1], true);
    view.setFloat64(offset + at.volume, market.volumeMicro, true);
    view.setFloat64(offset + at.vault, market.vaultMicro, true);
    view.setFloat64(offset + at.takers, market.heads[0], true);
    view.setFloat64(offset + at.makers, market.heads[1], true);
  }

  private readFigures(market: HistoryMarket): void {
    const offset = this.table.locate(market.index);
    const { view } = this.table;
    market.lastPips = view.getUint16(offset + at.last, true) - 1;
    market.resolution = view.getUint16(offset + at.resolution, true) - 1;
    market.holderCounts[0] = view.getUint32(offset + at.holders, true);
    market.holderCounts[1] = view.getUint32(offset + at.holders + 4, true);
    market.volumeMicro = view.getFloat64(offset + at.volume, true);
    market.vaultMicro = view.getFloat64(offset + at.vault, true);
    market.heads[0] = view.getFloat64(offset + at.takers, true);
    market.heads[1] = view.getFloat64(offset + at.makers, true);
  }
}
