// The market feed's state of each market as loaded from a snapshot. It is held in columns, since there may be hundreds of
// thousands of markets, most of which are never asked for again. Built by marketFeed.ts on loading, which makes a market's
// stream from it on first use. Immutable afterwards.
import type { Market, MarketTerms } from '../views/index.ts';
import { NONE } from './changeLog.ts';
import { FORM_COUNT } from './ids.ts';
import type { Standing } from './marketStream.ts';

/** Numbers per row of a snapshot: the market's index, the place of its latest change, and the number of each form. */
export const STANDING = 2 + FORM_COUNT;

export class KnownMarkets {
  private readonly terms: readonly MarketTerms[];
  private readonly isNegRisk: Uint8Array;
  private readonly isAnnounced: Uint8Array;
  private readonly standings: Float64Array;
  /** Offset of each market's row in `standings`; −1 if none of its forms has ever had a message. */
  private readonly standingAt: Int32Array;

  /**
   * @param announced indices of the announced markets
   * @param standings rows of STANDING numbers each
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

  /** The state of a market; undefined for one created after the snapshot. */
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

  /** Copies a market's row, if it has one, to offset `to` of an array; returns the offset for the next row. */
  copyStanding(index: number, rows: Float64Array, to: number): number {
    const at = this.standingAt[index] ?? -1;
    if (at < 0) return to;
    for (let word = 0; word < STANDING; word += 1) rows[to + word] = this.standings[at + word];
    return to + STANDING;
  }
}
