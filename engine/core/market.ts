// One market (condition) as the core knows it: its terms, its ladder and its vault. Lifecycle creates it; lifecycle, cash
// commands and settlement change it. The registry holds its ids and texts.
import type { MarketTermsMessage } from '../protocol/marketTerms.ts';
import { Ladder } from './ladder.ts';
import type { LadderSpace } from './ladderSpace.ts';

export class Market {
  declare readonly index: number;
  declare readonly ladder: Ladder;
  declare status: number;
  declare readonly negRisk: number;
  declare autoTick: number;
  declare feeExponent: number;
  declare tickPips: number;
  declare feeRate: number;
  declare minOrderLots: number;
  declare delaySeconds: number;
  declare minMarketableBuyMicro: number;
  /** Collateral that backs the full sets in existence, micro. */
  vaultMicro = Number.NaN;
  /** Trades so far, numbered from 1: the number of the latest one. */
  tradeCount = 0;
  /** Its resolution, −1 before it has one. */
  resolution = -1;
  /** Shares of each token not yet redeemed, micro; maintained from resolution on. */
  unredeemedFirstMicro = 0;
  unredeemedSecondMicro = 0;

  constructor(index: number, terms: MarketTermsMessage, space: LadderSpace) {
    this.index = index;
    this.status = terms.status;
    this.negRisk = terms.negRisk;
    this.autoTick = terms.autoTick;
    this.feeExponent = terms.feeExponent;
    this.tickPips = terms.tickPips;
    this.feeRate = terms.feeRate;
    this.minOrderLots = terms.minOrderLots;
    this.delaySeconds = terms.delaySeconds;
    this.minMarketableBuyMicro = terms.minMarketableBuyMicro;
    this.ladder = new Ladder(terms.tickPips, space);
    this.vaultMicro = 0; // NaN first, then 0: a float from the start, see engine/compiler.ts
  }

  /** The terms as events state them. */
  terms(): MarketTermsMessage {
    return {
      status: this.status,
      negRisk: this.negRisk,
      autoTick: this.autoTick,
      feeExponent: this.feeExponent,
      tickPips: this.tickPips,
      feeRate: this.feeRate,
      minOrderLots: this.minOrderLots,
      delaySeconds: this.delaySeconds,
      minMarketableBuyMicro: this.minMarketableBuyMicro,
    };
  }

  /** Fits the ladder's grid to the tick and to the prices that still rest off it. */
  refitGrid(): void {
    const grid = this.ladder.gridFor(this.tickPips);
    if (grid !== this.ladder.gridPips) this.ladder.regrid(grid);
  }
}
