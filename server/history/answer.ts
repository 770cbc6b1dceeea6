// Turns a question into the bytes of its reply: finds the rows and writes each at once, in slices. Called by the historian's
// thread; wire/ defines the form of rows.

import { MICRO_PER_LOT } from '../../engine/index.ts';
import { isOpen, type TradePlace } from '../views/records.ts';
import { TradeNumbers } from '../views/tradeNumbers.ts';
import { dialects } from '../wire/dialect.ts';
import type {
  HistoryRequest,
  HistoryRows,
  LiveVolumeQuery,
  OpenInterestQuery,
  OrderQuery,
  OriginalQuery,
} from '../wire/historyQueries.ts';
import { originalJson } from '../wire/originals.ts';
import type { TakenTrade } from '../wire/placedOrders.ts';
import { type RowRenderers, renderTotals, rowRenderers } from '../wire/userDataRows.ts';
import type { AnswerMemory } from './answerMemory.ts';
import { findClosedPositions, findHolders, findPositions, findValue } from './findPositions.ts';
import { findActivity, findTrades } from './findRows.ts';
import type { FoundOrder } from './orders.ts';
import { RowKind } from './rows.ts';
import { isSliceOver, type Sliced } from './slice.ts';
import type { Tables } from './tables.ts';
import { marketsIn, totalsRows } from './totals.ts';

/** Text is encoded in parts of about this length. */
const PART_LENGTH = 64 * 1024;
/** Most bytes of UTF-8 per UTF-16 code unit. */
const BYTES_PER_UNIT_MAX = 3;

const encoder = new TextEncoder();

/** A JSON array that grows row by row. */
class RowList {
  private readonly memory: AnswerMemory;
  private text = '[';
  private rowCount = 0;
  /** The encoded parts, of which `used` bytes are filled; undefined while the list fits into one part. */
  private bytes: Uint8Array | undefined;
  private used = 0;

  constructor(memory: AnswerMemory) {
    this.memory = memory;
  }

  add(row: string): void {
    this.text += this.rowCount === 0 ? row : `,${row}`;
    this.rowCount += 1;
    if (this.text.length >= PART_LENGTH) this.encodeText();
  }

  /** The whole list: a short one in an array of its own, a long one in memory of `memory`, which must be returned to it. */
  end(): Uint8Array {
    this.text += ']';
    if (this.bytes === undefined) return encoder.encode(this.text);
    return this.encodeText().subarray(0, this.used);
  }

  private encodeText(): Uint8Array {
    const bytes = this.memory.enlarge(
      this.bytes ?? this.memory.take(),
      this.used,
      this.text.length * BYTES_PER_UNIT_MAX,
    );
    this.used += encoder.encodeInto(this.text, bytes.subarray(this.used)).written;
    this.text = '';
    this.bytes = bytes;
    return bytes;
  }
}

/** Totals of the requested markets; if none are named, the open interest of all markets together. */
function totalsOf(tables: Tables, query: OpenInterestQuery | LiveVolumeQuery): HistoryRows['oi' | 'live-volume'] {
  const { list } = tables.markets;
  const asked = marketsIn(tables.markets, query);
  if (asked !== undefined || query.kind !== 'oi') return totalsRows(query, asked ?? list);
  return [{ conditionId: '', valueMicro: list.reduce((sum, { vaultMicro }) => sum + vaultMicro, 0) }];
}

/** The trades of an order, oldest first. @param onRow called for each, newest first, while its row is the one last read */
function* tradesOf(
  { rows }: Tables,
  order: FoundOrder,
  onRow: (place: TradePlace) => void = () => {},
): Sliced<TradeNumbers> {
  const trades = new TradeNumbers();
  for (let row = order.row; row !== 0; row = rows.beforeOfOrder) {
    if (isSliceOver()) yield undefined;
    rows.read(row);
    const place = { marketIndex: rows.market, tradeNumber: rows.number };
    trades.add(place.tradeNumber);
    onRow(place);
  }
  trades.reverse();
  return trades;
}

/** The reply to an order of this owner that is posted again; undefined if there is none. */
function* originalReply(tables: Tables, { orderId, owner }: OriginalQuery): Sliced<string | undefined> {
  const { orders, rows, accounts, markets } = tables;
  const order = orders.byId(orderId);
  if (order === undefined || order.owner !== owner) return undefined;
  const taken: TakenTrade[] = [];
  const trades = yield* tradesOf(tables, order, (place) => {
    if (order.wasDelayed || rows.kind !== RowKind.TAKER) return;
    taken.push({ ...place, lots: rows.sizeMicro / MICRO_PER_LOT, pricePips: rows.pips });
  });
  taken.reverse();
  const { facts } = markets.list[order.marketIndex];
  return originalJson({ ...order, maker: accounts.walletOf(order.accountId), trades, taken }, facts);
}

/** The reply about a finished order of this owner; undefined if there is none. */
function* orderReply(
  tables: Tables,
  { orderId, owner }: OrderQuery,
  request: HistoryRequest,
): Sliced<string | undefined> {
  const { orders, accounts, markets } = tables;
  const order = orders.byId(orderId);
  if (order === undefined || order.owner !== owner || isOpen(order)) return undefined;
  const trades = yield* tradesOf(tables, order);
  const { facts } = markets.list[order.marketIndex];
  const shown = { ...order, maker: accounts.walletOf(order.accountId), trades };
  let reply = '';
  for (const text of dialects[request.dialect].orderReply(shown, facts)) {
    if (isSliceOver()) yield undefined;
    reply += text;
  }
  return reply;
}

/**
 * The reply to a question as JSON in memory that nothing else overwrites, or undefined if the record does not exist. Long lists
 * are in memory that must be returned (AnswerMemory).
 */
export function* answer(tables: Tables, request: HistoryRequest, memory: AnswerMemory): Sliced<Uint8Array | undefined> {
  const { query } = request;
  const render: RowRenderers = rowRenderers[request.dialect];
  const list = new RowList(memory);
  switch (query.kind) {
    case 'trades':
      yield* findTrades(tables, query, (row) => list.add(render.trades(row)));
      break;
    case 'activity':
      yield* findActivity(tables, query, (row) => list.add(render.activity(row)));
      break;
    case 'positions':
      yield* findPositions(tables, query, (row) => list.add(render.positions(row)));
      break;
    case 'closed-positions':
      yield* findClosedPositions(tables, query, (row) => list.add(render['closed-positions'](row)));
      break;
    case 'holders':
      yield* findHolders(tables, query, (group) => list.add(render.holders(group)));
      break;
    case 'value':
      return encoder.encode(renderTotals(query, yield* findValue(tables, query)));
    case 'traded': {
      const account = tables.accounts.idOf(query.user);
      return encoder.encode(renderTotals(query, account < 0 ? 0 : tables.accounts.tradedOf(account)));
    }
    case 'oi':
    case 'live-volume':
      return encoder.encode(renderTotals(query, totalsOf(tables, query)));
    case 'order': {
      const reply = yield* orderReply(tables, query, request);
      return reply === undefined ? undefined : encoder.encode(reply);
    }
    case 'original': {
      const reply = yield* originalReply(tables, query);
      return reply === undefined ? undefined : encoder.encode(reply);
    }
    default: {
      const unknown: never = query;
      throw new Error(`unknown question: ${JSON.stringify(unknown)}`);
    }
  }
  return list.end();
}
