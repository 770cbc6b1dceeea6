// A list whose items take turns without end: the wallets that a market's orders come from, and the tokens that they name. Called
// by the market's player. The same start gives the same turns in every run.

export class Rotation<Item> {
  private readonly items: readonly Item[];
  private turn: number;

  /** @param turn the number of the first turn; item 0 has turn 0 */
  constructor(items: readonly Item[], turn: number) {
    this.items = items;
    this.turn = turn;
  }

  /** The item whose turn it is. */
  next(): Item {
    const item = this.items[this.turn % this.items.length];
    this.turn += 1;
    return item;
  }
}
