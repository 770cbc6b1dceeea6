// The first items of a long list in some order, for the page that a question asks for. The list is never held or sorted as a
// whole: that would take seconds for the rows of a busy wallet, while all other questions wait.

/** Items collected, besides twice those wanted, before all but the first are discarded. */
const COLLECTED_MIN = 1_000;

export class FirstSorted<Item> {
  private readonly count: number;
  private readonly compare: (left: Item, right: Item) => number;
  private readonly items: Item[] = [];
  /** The last item that is still among the first ones; undefined until there are enough items. */
  private last: Item | undefined;

  /**
   * @param count how many items are wanted at most
   * @param compare as for Array.sort
   */
  constructor(count: number, compare: (left: Item, right: Item) => number) {
    this.count = count;
    this.compare = compare;
  }

  add(item: Item): void {
    if (this.last !== undefined && this.compare(item, this.last) > 0) return;
    this.items.push(item);
    if (this.items.length >= 2 * this.count + COLLECTED_MIN) this.discardRest();
  }

  /** The first items, in order. */
  sorted(): readonly Item[] {
    this.discardRest();
    return this.items;
  }

  private discardRest(): void {
    const { items, count } = this;
    items.sort(this.compare);
    if (items.length < count) return;
    items.length = count;
    this.last = items.at(-1);
  }
}
