// Plain terms of a market: no fee, no delay, a minimum of one lot, a tick of a cent. Used by tests that need a market and
// don't care which.
import { MarketStatus } from '../../engine/index.ts';

export const PLAIN_TERMS = {
  status: MarketStatus.OPEN as number,
  negRisk: 0,
  autoTick: 0,
  feeExponent: 1,
  tickPips: 100,
  feeRate: 0,
  minOrderLots: 1,
  delaySeconds: 0,
  minMarketableBuyMicro: 0,
};
