// The two dialects of the interface, one object each: how the same row looks on the root paths and to official clients
// (spec table "The two dialects"). The HTTP layer picks one for each request, and the historian's thread by the name in a
// question; no code further in asks which it is.
import type { Market, Trade } from '../views/index.ts';
import type { DialectName } from './dialectName.ts';
import type { Texts } from './longTexts.ts';
import { orderRow, type ShownMarket, type ShownOrder, wrappedOrderRow } from './orders.ts';
import { plainTradeRow, tradeRow } from './trades.ts';
import { readOfficialUserData, readPlainUserData, type UserDataReader } from './userDataQuery.ts';

export interface Dialect {
  readonly name: DialectName;
  /** Reply of GET /data/order/{id}. */
  readonly orderReply: (order: ShownOrder, market: ShownMarket) => Texts;
  /** A row of GET /data/trades for this caller (lower-case owner address). */
  readonly tradeRow: (trade: Trade, market: Market, owner: string) => Texts;
  /** Parses a request for user data. */
  readonly readUserData: UserDataReader;
}

/** For root paths, with SERVICE_* headers or none. */
export const rootDialect: Dialect = {
  name: 'root',
  orderReply: wrappedOrderRow,
  tradeRow: plainTradeRow,
  readUserData: readPlainUserData,
};

/** For requests with POLY_* headers and for the mounts /gamma and /data-api. */
export const polymarketDialect: Dialect = {
  name: 'polymarket',
  orderReply: orderRow,
  tradeRow,
  readUserData: readOfficialUserData,
};

export const dialects: Readonly<Record<DialectName, Dialect>> = { root: rootDialect, polymarket: polymarketDialect };

const isMounted = (path: string): boolean => path.startsWith('/gamma/') || path.startsWith('/data-api/');

/**
 * The dialect of a request.
 * @param header a header's value by its lower-case name, '' if absent
 */
export function pickDialect(path: string, header: (name: string) => string): Dialect {
  const isPolymarket = header('poly_address') !== '' || header('poly_api_key') !== '' || isMounted(path);
  return isPolymarket ? polymarketDialect : rootDialect;
}
