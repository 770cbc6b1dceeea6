// The terms of a market as messages carry them: reading and validation. Used by the registry (creation) and the core (changes),
// so that both refuse the same values.
import type { marketTerms } from './layout.ts';
import { limits } from './limits.ts';
import type { Values } from './messages.ts';
import { MarketField, MarketStatus } from './terms.ts';
import { isTickSize } from './units.ts';

const ALL_FIELDS = Object.values(MarketField).reduce((mask, bit) => mask | bit, 0);

/** Fields of CreateMarket, UpdateMarket, MarketCreated and MarketUpdated; units as in the names, the rate in 1e-4. */
export type MarketTermsMessage = Values<typeof marketTerms>;

/** Reads the terms of the encoded message at `offset`; `at` are the offsets of its layout. */
export function readMarketTerms(
  view: DataView,
  offset: number,
  at: { readonly [K in keyof MarketTermsMessage]: number },
): MarketTermsMessage {
  return {
    status: view.getUint8(offset + at.status),
    negRisk: view.getUint8(offset + at.negRisk),
    autoTick: view.getUint8(offset + at.autoTick),
    feeExponent: view.getUint8(offset + at.feeExponent),
    tickPips: view.getUint16(offset + at.tickPips, true),
    feeRate: view.getUint16(offset + at.feeRate, true),
    minOrderLots: view.getUint32(offset + at.minOrderLots, true),
    delaySeconds: view.getUint32(offset + at.delaySeconds, true),
    minMarketableBuyMicro: view.getFloat64(offset + at.minMarketableBuyMicro, true),
  };
}

/** The first MarketField of `mask`, in the order of the bits, whose value no market may have; 0 when all are valid. */
export function marketTermsFault(mask: number, terms: MarketTermsMessage): number {
  const { tickPips, minOrderLots, feeRate, feeExponent, delaySeconds } = terms;
  if ((mask & MarketField.TICK) !== 0 && !isTickSize(tickPips)) return MarketField.TICK;
  if ((mask & MarketField.MIN_ORDER) !== 0 && (minOrderLots < 1 || minOrderLots > limits.orderLotsMax)) {
    return MarketField.MIN_ORDER;
  }
  const isExponentBad = feeExponent < limits.feeExponentMin || feeExponent > limits.feeExponentMax;
  if ((mask & MarketField.FEE) !== 0 && (feeRate > limits.feeRateMax || isExponentBad)) return MarketField.FEE;
  if ((mask & MarketField.DELAY) !== 0 && delaySeconds > limits.delaySecondsMax) return MarketField.DELAY;
  return 0;
}

/** The first MarketField whose value no new market may have; 0 when all are valid. A new market is draft, open or paused. */
export function newMarketFault(terms: MarketTermsMessage): number {
  const fault = marketTermsFault(ALL_FIELDS, terms);
  if (fault !== 0) return fault;
  const { DRAFT, OPEN, PAUSED } = MarketStatus;
  return terms.status === DRAFT || terms.status === OPEN || terms.status === PAUSED ? 0 : MarketField.STATUS;
}
