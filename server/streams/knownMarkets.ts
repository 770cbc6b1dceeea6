// What the market feed knew of each market when the snapshot was made that it started from: columns, since there may be
// hundreds of thousands, most of which nobody asks for again. Made by marketFeed.ts when it loads, which makes a stream of
// it when a market is first asked for. Nothing here changes afterwards.
import type { Market, MarketTerms } from '../views/index.ts';
import { NONE } from './changeLog.ts';
import { FORM_COUNT } from './ids.ts';
import type { Standing } from './marketStream.ts';

/** Numbers that a snapshot keeps of a market's streams: its index, where its newest change lies, and the number of each form. */
export const STANDING = 2 + FORM_COUNT;

export class KnownMarkets {
  private readonly terms: readonly MarketTerms[];
  private readonly isNegRisk: Uint8Array;
  private readonly isAnnounced: Uint8Array;
  private readonly standings: Float64Array;
  /** Where each market's standing is, or −1: none of its forms has ever had a message. */
  private readonly standingAt: Int32Array;

  /**
   * @param announced indices of markets
   * @param standings rows of STANDING numbers
   */
  constructor(markets: readonly Market[], announced: Iterable<number>, standings: Float64Array) {
    this.terms = markets.map(({ terms }) => terms);
    this.isNegRisk = Uint8Array.from(markets, ({ negRisk }) => (negRisk ? 1 : 0));
    this.isAnnounced = new Uint8Array(markets.length);
    this.standings = standings;
    this.standingAt = new Int32Array(markets.length).fill(-1);
    const known = (index: number): number => {
      if (index in this.standingAt) return index;
      throw new Error(`streams: there is no market ${index}`);
    };
    for (const index of announced) this.isAnnounced[known(index)] = 1;
    for (let at = 0; at < standings.length; at += STANDING) this.standingAt[known(standings[at])] = at;
  }

  get count(): number {
    return this.terms.length;
  }

  /** What is known of a market; undefined for one that came later. */
  standingOf(index: number): Standing | undefined {
    if (index >= this.count) return undefined;
    const at = this.standingAt[index];
    const numbers = at < 0 ? new Float64Array(FORM_COUNT) : this.standings.subarray(at + 2, at + STANDING);
    return {
      numbers,
      latestAt: at < 0 ? NONE : this.standings[at + 1],
      terms: this.terms[index],
      negRisk: this.isNegRisk[index] === 1,
      isAnnounced: this.isAnnounced[index] === 1,
    };
  }

  /** Copies a market's row behind the others of an array; returns where the next one goes. */
  copyStanding(index: number, rows: Float64Array, to: number): number {
    const at = this.standingAt[index] ?? -1;
    if (at < 0) return to;
    for (let word = 0; word < STANDING; word += 1) rows[to + word] = this.standings[at + word];
    return to + STANDING;
  }
}
