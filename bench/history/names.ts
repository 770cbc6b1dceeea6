// The names in the world of the history bench: its size, and its wallets, markets and order ids, each derived from its
// number. Used by the child that builds the world and by the code that queries it, so both mean the same.

/** The size of the world. */
export interface WorldSize {
  readonly trades: number;
  readonly wallets: number;
  readonly markets: number;
}

/** Markets per event. */
export const MARKETS_AN_EVENT = 10;
/** How unevenly wallets and markets take part: the greater the skew, the more the first ones do. */
export const WALLET_SKEW = 2.2;
export const MARKET_SKEW = 2;

const spread = (number: number, factor: number): string =>
  (Math.imul(number, factor) >>> 0).toString(16).padStart(8, '0');
const numbered = (prefix: string, number: number, bytes: number): string =>
  `0x${prefix}${number.toString(16).padStart(bytes * 2 - prefix.length, '0')}`;

export const walletOf = (number: number): string => numbered('a0', number, 20);
export const keyOf = (number: number): string => numbered('b0', number, 16);
export const conditionOf = (market: number): string => numbered('c0', market, 32);
export const tokenOf = (market: number, outcome: number): string => numbered('d0', market * 2 + outcome, 32);
/** Real ids are digests, and the exchange's tables use their first bytes: these ids differ there too. */
export const orderIdOf = (number: number): string =>
  `0x${spread(number, 0x9e3779b1)}${spread(number, 0x85ebca6b)}${number.toString(16).padStart(48, '0')}`;

/** An index below `count`; a greater skew makes the first ones more likely. `fraction` lies in 0..1. */
export const skewed = (fraction: number, count: number, skew: number): number => Math.floor(count * fraction ** skew);
