// Parses the filters for lists of own orders and trades (interface.md 4.5, wire.md C.5). Called by routes/ownRecords.ts.
// The parameter names of both dialects are accepted; an empty value is no filter.
import { isAddress, isBytes32 } from '../auth/hex.ts';
import { isUint256Decimal } from '../auth/uint256.ts';
import { parseWhole } from '../lib/decimals.ts';
import type { Market, Order, Trade, TradeParty, Views } from '../views/index.ts';
import { BadRequest } from './badRequest.ts';
import { parseTradeId } from './ids.ts';
import { unixSeconds } from './numbers.ts';

type Reader = (name: string, isWellFormed: (text: string) => boolean) => string | undefined;

/** Reads parameters: validates each and converts it to lower case. `text` begins the 400 for a malformed one. */
export function filterReader(query: URLSearchParams, text: string): Reader {
  return (name, isWellFormed) => {
    const value = query.get(name);
    if (value === null || value === '') return undefined;
    if (!isWellFormed(value)) throw new BadRequest(`${text}: ${name}`);
    return value.toLowerCase();
  };
}

/** A parameter in whole unix seconds. */
function readSeconds(read: Reader, name: string): number | undefined {
  const text = read(name, (value) => parseWhole(value) !== undefined);
  return text === undefined ? undefined : parseWhole(text);
}

/** The filter of GET /data/orders; undefined = any. */
export interface OrderFilter {
  readonly id: string | undefined;
  readonly market: string | undefined;
  readonly assetId: string | undefined;
}

/** @throws BadRequest `invalid order params payload` */
export function readOrderFilter(query: URLSearchParams): OrderFilter {
  const read = filterReader(query, 'invalid order params payload');
  return { id: read('id', isBytes32), market: read('market', isBytes32), assetId: read('asset_id', isUint256Decimal) };
}

/** Whether an order matches a filter apart from its id, by which orders are looked up. */
export function orderMatches(filter: Omit<OrderFilter, 'id'>, order: Order, market: Market): boolean {
  if (filter.market !== undefined && filter.market !== market.conditionId) return false;
  return filter.assetId === undefined || filter.assetId === market.tokens[order.outcome];
}

/** The filter that all lists of trades share; undefined = any. */
export interface SharedTradeFilter {
  readonly id: string | undefined;
  readonly makerAddress: string | undefined;
  readonly market: string | undefined;
  readonly assetId: string | undefined;
  /** Unix seconds, exclusive. */
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** @throws BadRequest that names a parameter with an invalid value */
export function readSharedTradeFilter(read: Reader): SharedTradeFilter {
  return {
    id: read('id', () => true),
    makerAddress: read('maker_address', isAddress),
    market: read('market', isBytes32),
    assetId: read('asset_id', isUint256Decimal),
    before: readSeconds(read, 'before'),
    after: readSeconds(read, 'after'),
  };
}

/** The filter of GET /data/trades; its `makerAddress` is a wallet on either side. */
export interface TradeFilter extends SharedTradeFilter {
  readonly taker: string | undefined;
  readonly maker: string | undefined;
}

/** @throws BadRequest `Invalid trade params payload` */
export function readTradeFilter(query: URLSearchParams): TradeFilter {
  const read = filterReader(query, 'Invalid trade params payload');
  return { taker: read('taker', isAddress), maker: read('maker', isAddress), ...readSharedTradeFilter(read) };
}

/** Whether an address is an order's wallet or its owner. */
export const isWalletOrOwnerOf = (address: string, { maker, owner }: TradeParty): boolean =>
  address === maker || address === owner;

function partiesMatch(filter: Omit<TradeFilter, 'id'>, { taker, makers }: Trade): boolean {
  const isMaker = (address: string): boolean => makers.some(({ order }) => isWalletOrOwnerOf(address, order));
  if (filter.taker !== undefined && !isWalletOrOwnerOf(filter.taker, taker)) return false;
  if (filter.maker !== undefined && !isMaker(filter.maker)) return false;
  const { makerAddress } = filter;
  return makerAddress === undefined || isWalletOrOwnerOf(makerAddress, taker) || isMaker(makerAddress);
}

/** Whether a trade is older than the filter's range; then so are all before it. */
export const isTooOld = ({ after }: { readonly after: number | undefined }, { matchMs }: Trade): boolean =>
  after !== undefined && unixSeconds(matchMs) <= after;

/** Whether a trade is newer than the filter's range. */
export const isTooNew = ({ before }: { readonly before: number | undefined }, { matchMs }: Trade): boolean =>
  before !== undefined && unixSeconds(matchMs) >= before;

/** The trade that a filter's id names; undefined if there is none. */
export function tradeOfId(id: string, trades: Views['trades']): Trade | undefined {
  const place = parseTradeId(id);
  return place === undefined ? undefined : trades.byNumber(place.marketIndex, place.tradeNumber);
}

/**
 * Whether a trade matches a filter apart from its id, by which trades are looked up. Its token may be the taker's or any
 * maker's.
 */
export function tradeMatches(filter: Omit<TradeFilter, 'id'>, trade: Trade, market: Market): boolean {
  const { assetId } = filter;
  if (filter.market !== undefined && filter.market !== market.conditionId) return false;
  if (assetId !== undefined && !market.tokens.includes(assetId)) return false;
  if (isTooNew(filter, trade) || isTooOld(filter, trade) || !partiesMatch(filter, trade)) return false;
  if (assetId === undefined || assetId === market.tokens[trade.taker.outcome]) return true;
  return trade.makers.some(({ order }) => assetId === market.tokens[order.outcome]);
}
