// The texts of events and markets: slugs, condition ids, token ids and their creators' own texts. Part of the registry; it
// keeps the ids and slugs unique and numbers the events. The terms that a market trades under (status, tick, fees) are in the
// core.
import {
  type CommandOf,
  requireRoom,
  requireSound,
  type Sections,
  TextTable,
  tokenNumber,
  visitTexts,
} from '../protocol/index.ts';
import type { StateHasher } from '../protocol/stateHasher.ts';

/** The JSON texts of a tail. The registry reads `slug` and keeps the rest unchanged. */
export type Texts = Readonly<Record<string, unknown>>;

/** Texts are kept as the JSON in which they came: they are parsed only for changes and hashes. */
interface CatalogEvent {
  readonly slug: string;
  readonly json: string;
}

interface CatalogMarket {
  readonly eventNumber: number;
  readonly conditionId: string;
  readonly firstToken: string;
  readonly secondToken: string;
  slug: string;
  json: string;
}

const tokenOf = ({ firstToken, secondToken }: CatalogMarket, outcome: number): string =>
  outcome === 0 ? firstToken : secondToken;

export class Catalog {
  /** Event numbers start at 1: event n is at index n − 1. */
  private events: CatalogEvent[] = [];
  private readonly eventSlugs = new Set<string>();
  /** By the core's index: both count the markets that were created. */
  private markets: CatalogMarket[] = [];
  /** Market indices by slug and by condition id. */
  private readonly marketSlugs = new TextTable((index) => this.markets[index].slug);
  private readonly conditions = new TextTable((index) => this.markets[index].conditionId);
  /** By token: twice the index of its market, plus one for the second token. */
  private readonly tokens = new TextTable((place) => tokenOf(this.markets[place >> 1], place & 1));

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
    const index = this.marketSlugs.get(slug);
    return index < 0 ? undefined : index;
  }

  /** Returns the number of the new event. */
  createEvent(json: string): number {
    const slug = slugOf(parseTexts(json));
    this.events.push({ slug, json });
    this.eventSlugs.add(slug);
    return this.events.length;
  }

  createMarket(command: CommandOf<'CreateMarket'>, slug: string, json: string): void {
    const { eventNumber, conditionId, firstToken, secondToken } = command;
    const index = this.markets.length;
    this.markets.push({ eventNumber, conditionId, firstToken, secondToken, slug, json });
    this.marketSlugs.set(slug, index);
    this.conditions.set(conditionId, index);
    this.tokens.set(firstToken, tokenNumber(index, 0));
    this.tokens.set(secondToken, tokenNumber(index, 1));
  }

  /** Merges changed texts into those of a market. */
  updateMarket(marketIndex: number, changes: Texts): void {
    const market = this.markets[marketIndex];
    const texts = { ...parseTexts(market.json), ...changes };
    market.json = JSON.stringify(texts);
    this.marketSlugs.delete(market.slug);
    market.slug = slugOf(texts);
    this.marketSlugs.set(market.slug, marketIndex);
  }

  /** Saves or loads its part of a snapshot. */
  visit(sections: Sections): void {
    this.events = sections.plain('events', this.events);
    this.markets = this.visitMarkets(sections);
    this.marketSlugs.visit(sections.part('marketSlugs'));
    this.conditions.visit(sections.part('conditions'));
    this.tokens.visit(sections.part('tokens'));
    if (!sections.isLoading) return;
    for (const { slug } of this.events) this.eventSlugs.add(slug);
    requireSound(this.tokens.size === this.markets.length * 2, `${this.tokens.size} tokens are in the catalog`);
  }

  /** Saved column by column: hundreds of thousands of markets would take long to load as objects. */
  private visitMarkets(sections: Sections): CatalogMarket[] {
    const { markets } = this;
    const numbers = sections.float64(
      'eventNumber',
      Float64Array.from(markets, ({ eventNumber }) => eventNumber),
    );
    const column = (name: string, of: (market: CatalogMarket) => string): readonly string[] =>
      visitTexts(sections, name, markets.map(of));
    const conditionIds = column('conditionId', ({ conditionId }) => conditionId);
    const firstTokens = column('firstToken', ({ firstToken }) => firstToken);
    const secondTokens = column('secondToken', ({ secondToken }) => secondToken);
    const slugs = column('slug', ({ slug }) => slug);
    const texts = column('json', ({ json }) => json);
    if (!sections.isLoading) return markets;
    requireRoom(conditionIds.length, { numbers, firstTokens, secondTokens, slugs, texts });
    return conditionIds.map((conditionId, index) => ({
      eventNumber: numbers[index],
      conditionId,
      firstToken: firstTokens[index],
      secondToken: secondTokens[index],
      slug: slugs[index],
      json: texts[index],
    }));
  }

  hashInto(hasher: StateHasher): void {
    hasher.number(this.events.length);
    for (const { json } of this.events) hasher.text(JSON.stringify(parseTexts(json)));
    hasher.number(this.markets.length);
    for (const { eventNumber, conditionId, firstToken, secondToken, json } of this.markets) {
      hasher.number(eventNumber);
      hasher.text(conditionId);
      hasher.text(firstToken);
      hasher.text(secondToken);
      hasher.text(JSON.stringify(parseTexts(json)));
    }
  }

  /** Throws naming the first violation: slugs, conditions and tokens are unique, and slugs lead to their market. */
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

/** The texts of a JSON object. Throws on anything else: no such command passes the check of incoming ones. */
export function parseTexts(json: string): Texts {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('texts: not a JSON object');
  return value as Texts; // an object that is no array has text keys
}

/** The slug of a tail that was checked when it came in. */
export function slugOf(texts: Texts): string {
  if (typeof texts.slug !== 'string') throw new Error('catalog: texts without a slug got past the door');
  return texts.slug;
}
