// Interned texts: each is stored once and referred to by its number, from 0, since addresses and keys recur. Used by the view of
// trades.
import type { Sections } from '../../engine/index.ts';

export class InternedTexts {
  list: string[] = [];
  private readonly numbers = new Map<string, number>();

  /** The number of a text; undefined for one that is not interned. */
  find(text: string): number | undefined {
    return this.numbers.get(text);
  }

  /** The number of a text, which is interned if it is not yet. */
  numberOf(text: string): number {
    let number = this.numbers.get(text);
    if (number === undefined) {
      number = this.list.length;
      this.list.push(text);
      this.numbers.set(text, number);
    }
    return number;
  }

  /** The texts' part of a snapshot. */
  visit(sections: Sections): void {
    this.list = sections.plain('texts', this.list);
    if (!sections.isLoading) return;
    for (const [number, text] of this.list.entries()) this.numbers.set(text, number);
  }
}
