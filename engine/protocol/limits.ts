// Every bound of the engine, with its unit and the reason for it. Read by the core's checks, by error sentences and by
// the codec. Their relations are asserted when this file loads: no edit can make them contradict each other.
import { LOTS_PER_SHARE, MICRO_MAX, PIPS_PER_UNIT } from './units.ts';

export const limits = {
  /** Largest size of one order: 10 million shares. Even a level of many such orders adds up exactly. */
  orderLotsMax: 1_000_000_000,
  /** Ids in one cancel command (the interface's maximum for DELETE /orders). */
  cancelIdsMax: 1_000,
  /** Wallets that one credit may fund: an owner's own address and its four derived wallets. */
  creditWalletsMax: 5,
  /** Notifications that one command may drop: as many as an owner can have. */
  notificationIdsMax: 500,
  /** Largest tail of one command (signed order, texts): far above any honest order, far below a batch of the journal. */
  tailBytesMax: 1_048_576,
  /** How deep the texts of an event or a market may nest: hashing and saving them takes a call for each level. */
  textsDepthMax: 64,
  /** Events of one command travel in frames of at most this many bytes, which keeps rings and messages small. */
  frameBytesMax: 65_536,
  /** Fee rate in 1e-4 units: at most 10 % of p(1−p). */
  feeRateMax: 1_000,
  feeExponentMin: 1,
  feeExponentMax: 4,
  /** Fees are rounded down to this many micro. */
  feeStepMicro: 10,
  /** Markets and accounts are numbered in 32 bits; these bounds keep their products with small strides in range. */
  marketsMax: 10_000_000,
  accountsMax: 100_000_000,
  /** A GTD order must live at least this long, and stops this long before its stated expiration. */
  gtdMarginMs: 60_000,
  /** How far ahead of the command's time a signed timestamp may lie. */
  timestampAheadMaxMs: 3_600_000,
  /** Longest delay for crossing orders in a market. */
  delaySecondsMax: 3_600,
  orderWindowDefaultMs: 86_400_000,
  heartbeatWindowDefaultMs: 10_000,
} as const;

/** Defaults for the terms that a market's creator leaves out. */
export const marketDefaults = {
  tickPips: 100,
  minOrderLots: 500,
  minMarketableBuyMicro: 1_000_000,
  feeRate: 0,
  feeExponent: 1,
  delaySeconds: 0,
} as const;

function assertRelations(): void {
  const orderCostMax = limits.orderLotsMax * PIPS_PER_UNIT;
  if (orderCostMax > MICRO_MAX) throw new Error('limits: the cost of the largest order must stay exact');
  if (limits.orderLotsMax >= 2 ** 31) throw new Error('limits: an order size must fit a signed 32-bit integer');
  if (marketDefaults.minOrderLots % LOTS_PER_SHARE !== 0)
    throw new Error('limits: the default minimum must be in whole shares');
  if (limits.cancelIdsMax > 65_535) throw new Error('limits: item counts travel in 16 bits');
}
assertRelations();
