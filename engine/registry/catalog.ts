// Events and markets as texts: slugs, condition ids, token ids and whatever their creators wrote. Part of the registry; it
// keeps them unique and numbers the events. What a market trades by (status, tick, fees) is the core's, not here.
import type { CommandOf } from '../protocol/index.ts';
import type { StateHasher } from '../protocol/stateHasher.ts';

/** A tail of JSON texts; the registry reads `slug` and keeps the rest as it came. */
export type Texts = Readonly<Record<string, unknown>>;

interface CatalogEvent {
  readonly slug: string;
  readonly texts: Texts;
}

interface CatalogMarket {
  readonly eventNumber: number;
  readonly conditionId: string;
  readonly firstToken: string;
  readonly secondToken: string;
  slug: string;
  texts: Texts;
}

export class Catalog {
  /** Event numbers start at 1: event n is at index n − 1. */
  private readonly events: CatalogEvent[] = [];
  private readonly eventSlugs = new Set<string>();
  /** By the index that the core gives them: both count the markets that were created. */
  private readonly markets: CatalogMarket[] = [];
  private readonly marketSlugs = new Map<string, number>();
  private readonly conditions = new Set<string>();
  private readonly tokens = new Set<string>();

  get eventCount(): number {
    return this.events.length;
  }

  get marketCount(): number {
    return this.markets.length;
  }

  hasEventSlug(slug: string): boolean {
    return this.eventSlugs.has(slug);
  }

  hasCondition(conditionId: string): boolean {
    return this.conditions.has(conditionId);
  }

  hasToken(token: string): boolean {
    return this.tokens.has(token);
  }

  /** The index of the market with this slug, or undefined. */
  marketOfSlug(slug: string): number | undefined {
    return this.marketSlugs.get(slug);
  }

  /** Returns the number of the new event. */
  createEvent(texts: Texts): number {
    const slug = slugOf(texts);
    this.events.push({ slug, texts });
    this.eventSlugs.add(slug);
    return this.events.length;
  }

  createMarket(command: CommandOf<'CreateMarket'>, texts: Texts): void {
    const { eventNumber, conditionId, firstToken, secondToken } = command;
    const slug = slugOf(texts);
    this.marketSlugs.set(slug, this.markets.length);
    this.markets.push({ eventNumber, conditionId, firstToken, secondToken, slug, texts });
    this.conditions.add(conditionId);
    this.tokens.add(firstToken);
    this.tokens.add(secondToken);
  }

  /** Merges changed texts into those of a market. */
  updateMarket(marketIndex: number, changes: Texts): void {
    const market = this.markets[marketIndex];
    market.texts = { ...market.texts, ...changes };
    this.marketSlugs.delete(market.slug);
    market.slug = slugOf(market.texts);
    this.marketSlugs.set(market.slug, marketIndex);
  }

  hashInto(hasher: StateHasher): void {
    hasher.number(this.events.length);
    for (const { texts } of this.events) hasher.text(JSON.stringify(texts));
    hasher.number(this.markets.length);
    for (const { eventNumber, conditionId, firstToken, secondToken, texts } of this.markets) {
      hasher.number(eventNumber);
      hasher.text(conditionId);
      hasher.text(firstToken);
      hasher.text(secondToken);
      hasher.text(JSON.stringify(texts));
    }
  }

  /** Throws naming what does not hold: slugs, conditions and tokens are unique and lead to their market. */
  checkInvariants(): void {
    if (this.eventSlugs.size !== this.events.length) throw new Error('catalog 1: two events share a slug');
    if (this.marketSlugs.size !== this.markets.length) throw new Error('catalog 2: two markets share a slug');
    if (this.conditions.size !== this.markets.length) throw new Error('catalog 3: two markets share a condition');
    if (this.tokens.size !== this.markets.length * 2) throw new Error('catalog 4: two markets share a token');
    for (const [index, { slug, eventNumber }] of this.markets.entries()) {
      if (this.marketSlugs.get(slug) !== index) throw new Error(`catalog 5: slug ${slug} is not market ${index}`);
      if (eventNumber > this.events.length)
        throw new Error(`catalog 6: market ${index} of unknown event ${eventNumber}`);
    }
  }
}

/** The slug of a tail that was checked on its way in. */
function slugOf(texts: Texts): string {
  if (typeof texts.slug !== 'string') throw new Error('catalog: texts without a slug got past the door');
  return texts.slug;
}
