// The market feed's state of each market as loaded from a snapshot. It is held in columns, since there may be hundreds of
// thousands of markets, most of which are never asked for again. Built by marketFeed.ts on loading, which makes a market's
// stream from it on first use. Immutable afterwards.
import type { Market, MarketTerms } from '../views/index.ts';
import { FORM_COUNT } from '../wire/streamIds.ts';
import { NONE } from './changeLog.ts';
import type { StreamState } from './marketStream.ts';

/** Numbers per row of a snapshot: the market's index, the place of its latest change, and the number of each form. */
export const STATE_NUMBERS = 2 + FORM_COUNT;

export class KnownMarkets {
  private readonly terms: readonly MarketTerms[];
  private readonly isAnnounced: Uint8Array;
  private readonly states: Float64Array;
  /** Offset of each market's row in `states`; −1 if none of its forms has ever had a message. */
  private readonly stateAt: Int32Array;

  /**
   * @param announced indices of the announced markets
   * @param states rows of STATE_NUMBERS numbers each
   */
  constructor(markets: readonly Market[], announced: Iterable<number>, states: Float64Array) {
    this.terms = markets.map(({ terms }) => terms);
    this.isAnnounced = new Uint8Array(markets.length);
    this.states = states;
    this.stateAt = new Int32Array(markets.length).fill(-1);
    const known = (index: number): number => {
      if (index in this.stateAt) return index;
      throw new Error(`streams: there is no market ${index}`);
    };
    for (const index of announced) this.isAnnounced[known(index)] = 1;
    for (let at = 0; at < states.length; at += STATE_NUMBERS) this.stateAt[known(states[at])] = at;
  }

  get count(): number {
    return this.terms.length;
  }

  /** The state of a market; undefined for one created after the snapshot. */
  stateOf(index: number): StreamState | undefined {
    if (index >= this.count) return undefined;
    const at = this.stateAt[index];
    const numbers = at < 0 ? new Float64Array(FORM_COUNT) : this.states.subarray(at + 2, at + STATE_NUMBERS);
    return {
      numbers,
      latestAt: at < 0 ? NONE : this.states[at + 1],
      terms: this.terms[index],
      isAnnounced: this.isAnnounced[index] === 1,
    };
  }

  /** Copies a market's row, if it has one, to offset `to` of an array; returns the offset for the next row. */
  copyState(index: number, rows: Float64Array, to: number): number {
    const at = this.stateAt[index] ?? -1;
    if (at < 0) return to;
    for (let word = 0; word < STATE_NUMBERS; word += 1) rows[to + word] = this.states[at + word];
    return to + STATE_NUMBERS;
  }
}
