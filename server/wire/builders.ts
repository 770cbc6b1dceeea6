// Builders: their codes, the filters of their trades, and the rows of both dialects (interface.md 2.9 and 4.5, wire.md
// C.5). Called by the routes of builders. Builder fees are always 0 here; codes are recorded and reported.
import { checksumAddress } from '../auth/checksum.ts';
import { isBytes32, ZERO_BYTES32 } from '../auth/hex.ts';
import { uuidOfKeyId } from '../auth/keyIds.ts';
import type { BuilderFill, Market, TradeParty } from '../views/index.ts';
import { tradeId, transactionHash } from './ids.ts';
import { isoTime, lotsText, microText, pipsText, secondsText } from './numbers.ts';
import {
  filterReader,
  isTooNew,
  isTooOld,
  isWalletOrOwnerOf,
  readSharedTradeFilter,
  type SharedTradeFilter,
} from './ownRecords.ts';
import { sideText, tradeStatusText } from './terms.ts';

const ADDRESS_DIGITS = 40;

/** The code of an owner with builder keys: its address, left-padded with zeros to 32 bytes. */
export function builderCodeOf(owner: string): string {
  return `0x${owner.slice(2).padStart(64, '0')}`;
}

/** The builder's address: the last 20 bytes of its code. */
const builderOf = (code: string): string => checksumAddress(`0x${code.slice(-ADDRESS_DIGITS)}`);

/** The filter of GET /builder/trades; undefined = any. */
export interface BuilderFilter extends SharedTradeFilter {
  /** Undefined = the caller's own code. */
  readonly code: string | undefined;
}

/** @throws BadRequest `invalid builder trade params: name` */
export function readBuilderFilter(query: URLSearchParams): BuilderFilter {
  const read = filterReader(query, 'invalid builder trade params');
  const code = read('builder_code', (text) => isBytes32(text) && text !== ZERO_BYTES32);
  return { code, ...readSharedTradeFilter(read) };
}

/** The order that carries the code. */
const orderOf = ({ trade, maker }: BuilderFill): TradeParty => maker?.order ?? trade.taker;

/** Whether the order that carries the code, not the trade's other side, passes the filter. */
export function builderFillMatches(filter: BuilderFilter, fill: BuilderFill, market: Market): boolean {
  const { trade } = fill;
  const order = orderOf(fill);
  if (filter.market !== undefined && filter.market !== market.conditionId) return false;
  if (filter.assetId !== undefined && filter.assetId !== market.tokens[order.outcome]) return false;
  if (isTooNew(filter, trade) || isTooOld(filter, trade)) return false;
  const { makerAddress } = filter;
  return makerAddress === undefined || isWalletOrOwnerOf(makerAddress, order);
}

/** A fill as official clients read it, with the figures of the order that carries the code. */
export function builderTradeRow(fill: BuilderFill, market: Market): string {
  const { trade, maker } = fill;
  const order = orderOf(fill);
  const { lots, pricePips } = maker ?? trade;
  const id = tradeId(trade.marketIndex, trade.tradeNumber);
  const fee = microText(maker === undefined ? trade.feeMicro : 0);
  return JSON.stringify({
    id,
    tradeType: maker === undefined ? 'TAKER' : 'MAKER',
    takerOrderHash: trade.taker.id,
    builder: builderOf(order.builder),
    market: market.conditionId,
    assetId: market.tokens[order.outcome],
    side: sideText(order.side),
    size: lotsText(lots),
    sizeUsdc: microText(lots * pricePips),
    price: pipsText(pricePips),
    status: tradeStatusText(trade.status),
    outcome: market.outcomes[order.outcome],
    outcomeIndex: order.outcome,
    owner: uuidOfKeyId(order.keyId),
    maker: checksumAddress(order.maker),
    transactionHash: transactionHash(id),
    matchTime: secondsText(trade.matchMs),
    bucketIndex: trade.bucketIndex,
    fee,
    feeUsdc: fee,
    builderFee: '0',
    builderCode: order.builder,
    err_msg: null,
    createdAt: isoTime(trade.matchMs),
    updatedAt: isoTime(trade.updatedMs),
  });
}

/** The reply of GET /fees/builder-fees/{code}. */
export const NO_BUILDER_FEES = '{"builder_maker_fee_rate_bps":0,"builder_taker_fee_rate_bps":0}';
