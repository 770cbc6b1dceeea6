// Events and markets with their texts, terms, status, last trade and the time of the latest change to their book. Fed by the
// follower of index.ts; read by nearly every route. Texts come from the tails of commands; a tail that is not a JSON object
// counts as no texts, because a view never throws.

import {
  type Command,
  complementPips,
  type EventOf,
  MarketStatus,
  oppositeSide,
  type Resolution,
  type Sections,
  TextTable,
  tokenNumber,
} from '../../engine/index.ts';
import { decimalOfHex } from '../auth/uint256.ts';
import { visitMarkets } from './marketColumns.ts';
import type { Draft, EventRow, EventTexts, Market, MarketTerms, MarketTexts, Order } from './records.ts';
import { outcomesOf, readTexts, textOf } from './texts.ts';

/** The market and outcome of a token. */
export interface TokenPlace {
  readonly market: Market;
  readonly outcome: 0 | 1;
}

type EventDraft = Draft<Omit<EventRow, 'markets'>> & { readonly markets: Market[] };

const factsOf = (texts: MarketTexts) => ({ outcomes: outcomesOf(texts), question: textOf(texts.question) });

function termsOf(event: EventOf<'MarketCreated'> | EventOf<'MarketUpdated'>): MarketTerms {
  const { tickPips, minOrderLots, minMarketableBuyMicro, feeRate, feeExponent, delaySeconds } = event;
  const autoTick = event.autoTick === 1;
  return { tickPips, minOrderLots, minMarketableBuyMicro, feeRate, feeExponent, delaySeconds, autoTick };
}

export class MarketsView {
  private markets: Draft<Market>[] = [];
  /** Market index by condition id. */
  private readonly conditions = new TextTable((index) => this.markets[index].conditionId);
  private readonly slugs = new TextTable((index) => this.markets[index].slug);
  /** By token id: twice the market's index, plus one for its second token. */
  private readonly tokens = new TextTable((place) => this.markets[place >> 1].tokens[place & 1]);
  private events: EventDraft[] = [];
  private readonly eventSlugs = new Map<string, EventRow>();

  byIndex(marketIndex: number): Market | undefined {
    return this.markets[marketIndex];
  }

  /** The market of a view's row; every row has one. */
  of({ marketIndex }: { readonly marketIndex: number }): Market {
    const market = this.markets[marketIndex];
    if (market === undefined) throw new Error(`views: no market has the index ${marketIndex}`);
    return market;
  }

  /** The market with this condition id, 0x and 64 lower-case hex digits. */
  byCondition(conditionId: string): Market | undefined {
    return this.markets[this.conditions.get(conditionId)];
  }

  /** The market and outcome of a token id, which is decimal text. */
  byToken(tokenId: string): TokenPlace | undefined {
    const place = this.tokens.get(tokenId);
    return place < 0 ? undefined : this.byTokenNumber(place);
  }

  /** The market and outcome of a token that exists, by its number. */
  byTokenNumber(token: number): TokenPlace {
    return { market: this.markets[token >> 1], outcome: (token & 1) === 0 ? 0 : 1 };
  }

  bySlug(slug: string): Market | undefined {
    return this.markets[this.slugs.get(slug)];
  }

  /** All markets including drafts, in the order of creation: a market's index is its position. */
  list(): readonly Market[] {
    return this.markets;
  }

  eventByNumber(eventNumber: number): EventRow | undefined {
    return this.events[eventNumber - 1];
  }

  eventBySlug(slug: string): EventRow | undefined {
    return this.eventSlugs.get(slug);
  }

  /** All events, by ascending number. */
  eventList(): readonly EventRow[] {
    return this.events;
  }

  eventCreated(event: EventOf<'EventCreated'>, command: Command, tMs: number): void {
    const { eventNumber } = event;
    const texts: EventTexts = readTexts(command.tail);
    const negRisk = command.type === 'CreateEvent' && command.negRisk === 1;
    const row: EventDraft = { eventNumber, negRisk, texts, createdMs: tMs, markets: [] };
    this.events[eventNumber - 1] = row;
    this.indexEvent(row);
  }

  created(event: EventOf<'MarketCreated'>, command: Command, tMs: number): void {
    const { marketIndex, eventNumber, conditionId } = event;
    const texts: MarketTexts = readTexts(command.tail);
    const market: Draft<Market> = {
      index: marketIndex,
      marketId: marketIndex + 1,
      eventNumber,
      conditionId,
      questionId: textOf(texts.questionId),
      tokens: [decimalOfHex(event.firstToken), decimalOfHex(event.secondToken)],
      outcomes: outcomesOf(texts),
      slug: textOf(texts.slug),
      question: textOf(texts.question),
      texts,
      terms: termsOf(event),
      negRisk: event.negRisk === 1,
      status: event.status as MarketStatus, // bounded by the layout
      resolution: undefined,
      createdMs: tMs,
      updatedMs: tMs,
      closedMs: undefined,
      resolvedMs: undefined,
      lastTrade: undefined,
      bookChangedMs: tMs,
      tradeCount: 0,
      version: 0,
    };
    this.markets[marketIndex] = market;
    this.indexMarket(market);
    this.events[eventNumber - 1]?.markets.push(market);
  }

  /** Applies new terms. Tick and minimum are part of the book that clients see, so changing them changes the book too. */
  updated(event: EventOf<'MarketUpdated'>, tMs: number): void {
    const market = this.markets[event.marketIndex];
    if (market === undefined) return;
    const { tickPips, minOrderLots } = market.terms;
    market.terms = termsOf(event);
    if (market.terms.tickPips !== tickPips || market.terms.minOrderLots !== minOrderLots) market.bookChangedMs = tMs;
    if (event.status === MarketStatus.CLOSED && market.status !== MarketStatus.CLOSED) market.closedMs = tMs;
    market.status = event.status as MarketStatus; // bounded by the layout
    market.negRisk = event.negRisk === 1;
    market.updatedMs = tMs;
    market.version += 1;
  }

  /** Applies the texts of an accepted UpdateMarket. */
  textsChanged(command: Command): void {
    const market = command.type === 'UpdateMarket' ? this.markets[command.marketIndex] : undefined;
    if (market === undefined || command.tail === undefined) return;
    market.texts = { ...market.texts, ...readTexts(command.tail) };
    market.outcomes = outcomesOf(market.texts);
    market.question = textOf(market.texts.question);
    if (market.questionId === '') market.questionId = textOf(market.texts.questionId);
    market.version += 1;
  }

  resolved(event: EventOf<'MarketResolved'>, tMs: number): void {
    const market = this.markets[event.marketIndex];
    if (market === undefined) return;
    market.status = MarketStatus.RESOLVED;
    market.resolution = event.resolution as Resolution; // bounded by the layout
    market.resolvedMs = tMs;
    market.updatedMs = tMs;
    market.version += 1;
  }

  traded(event: EventOf<'Trade'>, taker: Order, tMs: number): void {
    const market = this.markets[event.marketIndex];
    if (market === undefined) return;
    const isFirst = taker.outcome === 0;
    const side = isFirst ? taker.side : oppositeSide(taker.side);
    market.lastTrade = { pricePips: isFirst ? event.pricePips : complementPips(event.pricePips), side, tMs };
    market.tradeCount = event.tradeNumber;
    market.version += 1;
  }

  bookChanged(marketIndex: number, tMs: number): void {
    const market = this.markets[marketIndex];
    if (market !== undefined) market.bookChangedMs = tMs;
  }

  /** This view's part of a snapshot. Events are stored without their markets, which would store every market twice. */
  visit(sections: Sections): void {
    const events = this.events.map((event) => ({ ...event, markets: [] }));
    const loaded = sections.plain('events', events);
    const markets = visitMarkets(sections, this.markets, factsOf);
    this.conditions.visit(sections.part('conditions'));
    this.slugs.visit(sections.part('slugs'));
    this.tokens.visit(sections.part('tokens'));
    if (!sections.isLoading) return;
    this.events = loaded;
    this.markets = markets;
    for (const event of this.events) this.indexEvent(event);
    for (const market of markets) this.events[market.eventNumber - 1]?.markets.push(market);
  }

  private indexEvent(row: EventDraft): void {
    const slug = textOf(row.texts.slug);
    if (slug !== '') this.eventSlugs.set(slug, row);
  }

  private indexMarket(market: Market): void {
    const { index, conditionId, slug, tokens } = market;
    this.conditions.set(conditionId, index);
    if (slug !== '') this.slugs.set(slug, index);
    this.tokens.set(tokens[0], tokenNumber(index, 0));
    this.tokens.set(tokens[1], tokenNumber(index, 1));
  }
}
