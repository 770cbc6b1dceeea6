// A careful subscriber, as a client would write it: it counts the messages of every stream, rebuilds books from what it
// receives, computes and compares their hashes, and remembers trades. It shares no code with the server. Used by the tests
// of the streams; it records every fault.
import { createHash } from 'node:crypto';

interface Level {
  readonly price: string;
  readonly size: string;
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the server sends is what tests are about
export type StreamEvent = any;

/** A book as received. */
interface ReceivedBook {
  market: string;
  asset_id: string;
  timestamp: string;
  bids: Map<string, string>;
  asks: Map<string, string>;
  min_order_size: string;
  tick_size: string;
  neg_risk: boolean;
  last_trade_price: string;
}

const pips = (price: string): number => Math.round(Number(price) * 10_000);

function levels(side: ReadonlyMap<string, string>, isRising: boolean): Level[] {
  const sign = isRising ? 1 : -1;
  return [...side].sort(([a], [b]) => sign * (pips(a) - pips(b))).map(([price, size]) => ({ price, size }));
}

/** SHA-1 of the compact JSON with an empty hash, keys in the order of the official clients (wire.md D.3). */
export function hashOf(book: ReceivedBook): string {
  const object = {
    market: book.market,
    asset_id: book.asset_id,
    timestamp: book.timestamp,
    hash: '',
    bids: levels(book.bids, true),
    asks: levels(book.asks, false),
    min_order_size: book.min_order_size,
    tick_size: book.tick_size,
    neg_risk: book.neg_risk,
    last_trade_price: book.last_trade_price,
  };
  return createHash('sha1').update(JSON.stringify(object)).digest('hex');
}

const complement = (price: string): string => String((10_000 - pips(price)) / 10_000);

export class StreamReader {
  readonly books = new Map<string, ReceivedBook>();
  /** Latest number by stream. */
  readonly sequences = new Map<string, number>();
  /** The faults, in words. */
  readonly faults: string[] = [];
  /** Transaction hashes of trades, by market. */
  readonly trades = new Map<string, Set<string>>();
  readonly counts = new Map<string, number>();
  gapCount = 0;
  /** Number of messages that report something. */
  eventCount = 0;
  /** Keeps every event when set. */
  kept: StreamEvent[] | undefined;
  /** The kept events that consumed a number. */
  readonly numberedEvents: StreamEvent[] = [];

  /** Takes in a frame; returns its events. */
  receive(text: string): readonly StreamEvent[] {
    if (text === 'PONG' || text === 'NO NEW ASSETS') return [];
    const parsed = JSON.parse(text);
    const events: readonly StreamEvent[] = Array.isArray(parsed) ? parsed : [parsed];
    for (const event of events) this.take(event);
    return events;
  }

  private take(event: StreamEvent): void {
    this.kept?.push(event);
    const { event_type: type, stream_id: id, sequence } = event;
    this.counts.set(type, (this.counts.get(type) ?? 0) + 1);
    if (type === 'error') {
      this.faults.push(`error: ${event.error}`);
      return;
    }
    const last = this.sequences.get(id);
    const isState = type === 'heartbeat' || type === 'gap' || this.isSnapshot(event, last);
    if (type === 'gap') this.gapCount += 1;
    else if (isState && last !== undefined && sequence !== last && type === 'heartbeat') {
      this.faults.push(`${id}: a heartbeat says ${sequence} after ${last}`);
    } else if (!isState && last !== undefined && sequence !== last + 1) {
      this.faults.push(`${id}: ${type} ${sequence} after ${last}`);
    }
    this.sequences.set(id, sequence);
    if (!isState) this.eventCount += 1;
    if (!isState && this.kept !== undefined) this.numberedEvents.push(event);
    this.apply(event);
  }

  /** A book that carries the stream's current number, or the first message of all. */
  private isSnapshot({ event_type: type, sequence }: StreamEvent, last: number | undefined): boolean {
    return type === 'book' && (last === undefined || sequence === last);
  }

  private apply(event: StreamEvent): void {
    switch (event.event_type) {
      case 'book':
        this.applyBook(event);
        return;
      case 'price_change':
        this.applyChanges(event);
        return;
      case 'tick_size_change': {
        const book = this.books.get(event.asset_id);
        if (book !== undefined) book.tick_size = event.new_tick_size;
        return;
      }
      case 'last_trade_price':
        this.applyTrade(event);
        return;
      default: // the others change no book
    }
  }

  private applyBook(event: StreamEvent): void {
    const { event_type, stream_id, sequence, server_ts_ms, hash, bids, asks, ...rest } = event;
    const sideOf = (side: readonly Level[]) => new Map(side.map(({ price, size }) => [price, size]));
    const book: ReceivedBook = { ...rest, bids: sideOf(bids), asks: sideOf(asks) };
    this.books.set(event.asset_id, book);
    if (hashOf(book) !== hash) this.faults.push(`${stream_id}: book ${sequence} hashes otherwise than it says`);
  }

  private applyChanges(event: StreamEvent): void {
    const hashes = new Map<string, string>();
    for (const { asset_id: asset, price, size, side, hash } of event.price_changes) {
      const book = this.books.get(asset);
      if (book === undefined) continue;
      const levelsOfSide = side === 'BUY' ? book.bids : book.asks;
      if (size === '0' && !levelsOfSide.delete(price)) {
        this.faults.push(`${event.stream_id}: ${event.sequence} takes away ${price}, where nothing stood`);
      }
      if (size !== '0') levelsOfSide.set(price, size);
      book.timestamp = event.timestamp;
      hashes.set(asset, hash);
    }
    for (const [asset, hash] of hashes) {
      const book = this.books.get(asset);
      if (book === undefined || hashOf(book) === hash) continue;
      this.faults.push(
        `${event.stream_id}: after ${event.sequence} the book of ${asset.slice(0, 12)} hashes otherwise`,
      );
    }
  }

  private applyTrade(event: StreamEvent): void {
    for (const book of this.books.values()) {
      if (book.market !== event.market) continue;
      book.last_trade_price = book.asset_id === event.asset_id ? event.price : complement(event.price);
    }
    const hashes = this.trades.get(event.market) ?? new Set();
    if (hashes.has(event.transaction_hash)) this.faults.push(`${event.stream_id}: trade ${event.sequence} came twice`);
    hashes.add(event.transaction_hash);
    this.trades.set(event.market, hashes);
  }
}
