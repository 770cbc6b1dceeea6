// The caller's own orders and trades: GET /data/order/{id}, /data/orders, /data/trades (interface.md 4.5, wire.md C.5).
// Thin: rows come from the views, old orders from the historian, shapes from the request's dialect. The caller is an owner:
// all its wallets are covered, and of others' data only the other sides of its own trades are shown.

import type { Endpoint, Handler, Reply, ReplySteps } from '../http/endpoint.ts';
import { textsReply } from '../http/rowsReply.ts';
import { countBefore } from '../lib/countBefore.ts';
import { isOpen, type Order, type Trade, type Views } from '../views/index.ts';
import { BadRequest } from '../wire/badRequest.ts';
import type { Historian, HistoryRequest } from '../wire/historyQueries.ts';
import { orderRow } from '../wire/orders.ts';
import {
  isTooNew,
  isTooOld,
  type OrderFilter,
  orderMatches,
  readOrderFilter,
  readTradeFilter,
  type TradeFilter,
  tradeMatches,
  tradeOfId,
} from '../wire/ownRecords.ts';
import {
  type Cursor,
  END_CURSOR,
  findPage,
  newestFirst,
  pageJson,
  pageTexts,
  parseCursor,
  search,
} from '../wire/pages.ts';
import { readOrderId } from '../wire/readIds.ts';
import type { EndpointSchema } from '../wire/schemas/endpointSchema.ts';
import * as schemas from '../wire/schemas/orders.ts';

const PAGE_ROWS = 100;

const NOT_FOUND = { status: 404 } as const;

/** One of the caller's orders: from the views while it is open and for some time after, then from the historian. */
const oneOrder: Handler = (request, { services: { views, historian }, dialect, caller }) => {
  const orderId = readOrderId(request.params.id);
  const { owner } = caller();
  const order = views.orders.byId(orderId);
  if (order === undefined)
    return pastOrder(historian, { query: { kind: 'order', orderId, owner }, dialect: dialect.name });
  if (order.owner !== owner) throw new BadRequest('Order not found', NOT_FOUND);
  return textsReply(dialect.orderReply(order, views.markets.of(order)));
};

async function pastOrder(historian: Historian, request: HistoryRequest): Promise<Reply> {
  const body = await historian.ask(request);
  if (body === undefined) throw new BadRequest('Order not found', NOT_FOUND);
  return { body };
}

/** The owner's open orders that may match the filter, oldest first; an id names at most one. */
function* openCandidates({ id }: OrderFilter, owner: string, { orders }: Views): Generator<Order> {
  if (id === undefined) {
    yield* orders.openOf(owner);
    return;
  }
  const order = orders.byId(id);
  if (order?.owner === owner && isOpen(order)) yield order;
}

/** Open orders, oldest first. */
const openOrders: Handler = (request, { services: { views }, caller }) => {
  const cursor = parseCursor(request.query.get('next_cursor'));
  const filter = readOrderFilter(request.query);
  const { owner } = caller();
  const isMatch = (order: Order): boolean => orderMatches(filter, order, views.markets.of(order));
  function* reply(): ReplySteps {
    const found = search(openCandidates(filter, owner, views), isMatch);
    const { rows, nextCursor } = yield* findPage(found, ({ orderNumber }) => orderNumber, false, cursor, PAGE_ROWS);
    // An order found in an earlier turn of the loop may have ended by now.
    const textsOf = (order: Order) => (isOpen(order) ? orderRow(order, views.markets.of(order)) : undefined);
    return yield* textsReply(pageTexts(rows, textsOf, nextCursor, PAGE_ROWS));
  }
  return reply();
};

/** Orders from before a migration: there are none. */
const preMigrationOrders: Handler = (request) => {
  parseCursor(request.query.get('next_cursor'));
  return { body: pageJson([], END_CURSOR, PAGE_ROWS) };
};

const ordinalOf = ({ ordinal }: Trade): number => ordinal;

/**
 * The owner's trades past the cursor that may match the filter, newest first; a trade id names at most one. Trades are in
 * time order, so those newer than the filter's range are skipped without being read.
 */
function* candidates(filter: TradeFilter, owner: string, { trades }: Views, cursor: Cursor): Generator<Trade> {
  if (filter.id === undefined) {
    const ordinals = trades.ofOwner(owner);
    const count = countBefore(ordinals.length, (index) => !isTooNew(filter, trades.byOrdinal(ordinals.at(index))));
    for (const ordinal of newestFirst(count, (index) => ordinals.at(index), cursor)) {
      const trade = trades.byOrdinal(ordinal);
      if (isTooOld(filter, trade)) return;
      yield trade;
    }
    return;
  }
  const trade = tradeOfId(filter.id, trades);
  if (trade === undefined) return;
  if (trade.taker.owner === owner || trade.makers.some(({ order }) => order.owner === owner)) yield trade;
}

/** Newest first. */
const ownTrades: Handler = (request, { services: { views }, dialect, caller }) => {
  const cursor = parseCursor(request.query.get('next_cursor'));
  const filter = readTradeFilter(request.query);
  const { owner } = caller();
  const isMatch = (trade: Trade): boolean => tradeMatches(filter, trade, views.markets.of(trade));
  function* reply(): ReplySteps {
    const found = search(candidates(filter, owner, views, cursor), isMatch, ({ makers }) => makers.length);
    const { rows, nextCursor } = yield* findPage(found, ordinalOf, true, cursor, PAGE_ROWS);
    const textsOf = (trade: Trade) => dialect.tradeRow(trade, views.markets.of(trade), owner);
    return yield* textsReply(pageTexts(rows, textsOf, nextCursor, PAGE_ROWS));
  }
  return reply();
};

function endpoint(path: string, section: string, summary: string, schema: EndpointSchema, handler: Handler): Endpoint {
  return { method: 'GET', path, auth: 'l2-read', throttle: 'general', section, summary, schema, handler };
}

export const ownRecordEndpoints: readonly Endpoint[] = [
  endpoint('/data/order/{id}', 'interface 4.5', 'One order of the caller, in any state.', schemas.oneOrder, oneOrder),
  endpoint('/data/orders', 'wire C.5', 'Open orders of the caller, oldest first.', schemas.openOrders, openOrders),
  endpoint(
    '/data/pre-migration-orders',
    'wire C.5',
    'Always an empty page.',
    schemas.preMigrationOrders,
    preMigrationOrders,
  ),
  endpoint('/data/trades', 'interface 4.5', 'Trades of the caller, newest first.', schemas.ownTrades, ownTrades),
];
