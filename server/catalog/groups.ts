// Which events and markets are of a tag or of a creator: inverted lists, the filters of lists that are made of them, and how many
// there are of a tag. Owned by the catalog, which tells it of new events and of their states. Rows are numbered as in its tables:
// events from 0, so one less than their numbers; markets by index.
import type { EventRow, Views } from '../views/index.ts';
import { RowState } from './figures.ts';
import { type Label, type Labels, tagSlugs } from './labels.ts';
import { GATHERED_ROWS_MAX } from './table.ts';

/** What a row must be; `among` lists the rows that can be it, each once, where there is such a list. */
export interface RowFilter {
  readonly among?: readonly number[] | undefined;
  readonly isWanted: (row: number) => boolean;
}

const NO_ROWS: readonly number[] = [];
const NO_NAMES: readonly string[] = [];

function add<Key>(lists: Map<Key, number[]>, key: Key, row: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [row]);
  else list.push(row);
}

/** The creator of an event, lower case; '' is the venue itself. */
const creatorOf = (event: EventRow | undefined): string =>
  typeof event?.texts.creator === 'string' ? event.texts.creator.toLowerCase() : '';

export class Groups {
  private readonly views: Views;
  private readonly tags: Labels;
  /** The states of events. */
  private readonly eventStates: number[] = [];
  private readonly eventTags: (readonly number[])[] = [];
  /** What the tags of events are called, as of some number of renamings. */
  private readonly tagNames = new Map<number, readonly string[]>();
  private namedAt = 0;
  /** How many events of each tag, by its number, have more than drafts. */
  private readonly eventsShown = new Map<number, number>();
  private readonly marketsOfTag = new Map<number, number[]>();
  private readonly marketsOfCreator = new Map<string, number[]>();
  private readonly eventsOfCreator = new Map<string, number[]>();
  /** Markets are filed in the inverted lists up to this index. */
  private filedCount = 0;

  constructor(views: Views, tags: Labels) {
    this.views = views;
    this.tags = tags;
  }

  /** The labels of its tags are there already. */
  eventCreated(event: EventRow): void {
    const row = event.eventNumber - 1;
    this.eventTags[row] = tagSlugs(event.texts.tags).map((slug) => this.tags.bySlug(slug)?.number ?? 0);
    add(this.eventsOfCreator, creatorOf(event), row);
  }

  /** Files the markets that are new since the last call. */
  fileNewMarkets(): void {
    const markets = this.views.markets.list();
    for (; this.filedCount < markets.length; this.filedCount += 1) {
      const row = this.filedCount;
      const eventRow = markets[row].eventNumber - 1;
      for (const number of this.eventTags[eventRow] ?? NO_ROWS) add(this.marketsOfTag, number, row);
      add(this.marketsOfCreator, creatorOf(this.views.markets.eventByNumber(markets[row].eventNumber)), row);
    }
  }

  /** Notes an event's state, and whether it counts among those of its tags: one that has drafts alone does not. */
  noteState(row: number, state: number): void {
    const change = (state & RowState.ACTIVE) - ((this.eventStates[row] ?? 0) & RowState.ACTIVE);
    this.eventStates[row] = state;
    if (change === 0) return;
    for (const number of this.eventTags[row] ?? NO_ROWS) {
      this.eventsShown.set(number, (this.eventsShown.get(number) ?? 0) + change);
    }
  }

  tagsOf(event: EventRow | undefined): readonly Label[] {
    const numbers = event === undefined ? NO_ROWS : (this.eventTags[event.eventNumber - 1] ?? NO_ROWS);
    return numbers.flatMap((number) => this.tags.byNumber(number) ?? []);
  }

  /** What the tags of an event are called: the same list for as long as no tag gets another name. */
  tagNamesOf(event: EventRow | undefined): readonly string[] {
    if (event === undefined) return NO_NAMES;
    const { renamings } = this.tags;
    if (this.namedAt !== renamings) this.tagNames.clear();
    this.namedAt = renamings;
    const known = this.tagNames.get(event.eventNumber);
    if (known !== undefined) return known;
    const names = this.tagsOf(event).map(({ title }) => title);
    this.tagNames.set(event.eventNumber, names);
    return names;
  }

  /** Whether an event (none: the venue's own) is available on a creator's site. */
  isOfCreator(event: EventRow | undefined, creator: string): boolean {
    return creatorOf(event) === creator.toLowerCase();
  }

  /**
   * Which events a search may find, as of the last settle: those that have more than drafts, are not archived, and are of
   * the creator's site and as open or closed as asked for.
   */
  findableEvents(creator: string | undefined, closed: boolean | undefined): (eventNumber: number) => boolean {
    let states = 0;
    if (closed !== true) states |= 1 << RowState.ACTIVE;
    if (closed !== false) states |= 1 << (RowState.ACTIVE | RowState.CLOSED);
    const { eventStates } = this;
    const isOfStates = (eventNumber: number): boolean => ((states >> eventStates[eventNumber - 1]) & 1) === 1;
    if (creator === undefined) return isOfStates;
    return (eventNumber) =>
      isOfStates(eventNumber) && this.isOfCreator(this.views.markets.eventByNumber(eventNumber), creator);
  }

  /**
   * How many events carry each tag, as of the last settle: all that have more than drafts, or those of a creator's site
   * alone.
   */
  eventCounts(creator: string | undefined): (tag: Label) => number {
    if (creator === undefined) return ({ number }) => this.eventsShown.get(number) ?? 0;
    const counts = new Map<number, number>();
    for (const row of this.eventsOfCreator.get(creator.toLowerCase()) ?? NO_ROWS) {
      if ((this.eventStates[row] & RowState.ACTIVE) === 0) continue;
      for (const number of this.eventTags[row] ?? NO_ROWS) counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    return ({ number }) => counts.get(number) ?? 0;
  }

  /** Markets whose events have one of the tags. */
  marketTagFilter(tags: readonly Label[]): RowFilter {
    const lists = tags.map(({ number }) => this.marketsOfTag.get(number) ?? NO_ROWS);
    return oneOfTags(tags, lists, (row) => this.eventTags[this.eventRowOfMarket(row)]);
  }

  /** Events that have one of the tags. */
  eventTagFilter(tags: readonly Label[]): RowFilter {
    const { among, isWanted } = oneOfTags(
      tags,
      tags.map(({ events }) => events),
      (row) => this.eventTags[row],
    );
    return { among: among?.map((eventNumber) => eventNumber - 1), isWanted };
  }

  marketCreatorFilter(creator: string): RowFilter {
    const key = creator.toLowerCase();
    const isWanted = (row: number): boolean =>
      creatorOf(this.views.markets.eventByNumber(this.eventRowOfMarket(row) + 1)) === key;
    return { among: this.marketsOfCreator.get(key) ?? NO_ROWS, isWanted };
  }

  eventCreatorFilter(creator: string): RowFilter {
    const key = creator.toLowerCase();
    const isWanted = (row: number): boolean => creatorOf(this.views.markets.eventByNumber(row + 1)) === key;
    return { among: this.eventsOfCreator.get(key) ?? NO_ROWS, isWanted };
  }

  private eventRowOfMarket(row: number): number {
    return (this.views.markets.byIndex(row)?.eventNumber ?? 0) - 1;
  }
}

/** These rows and no others. */
export function rowsFilter(rows: readonly number[]): RowFilter {
  const wanted = new Set(rows);
  const isWanted = (row: number): boolean => wanted.has(row);
  return { among: wanted.size > GATHERED_ROWS_MAX ? undefined : [...wanted], isWanted };
}

/** Rows that have one of the tags. @param lists the rows of each; put together while they are few enough to be gathered */
function oneOfTags(
  tags: readonly Label[],
  lists: readonly (readonly number[])[],
  tagsOf: (row: number) => readonly number[] | undefined,
): RowFilter {
  const numbers = new Set(tags.map(({ number }) => number));
  const isWanted = (row: number): boolean => tagsOf(row)?.some((number) => numbers.has(number)) ?? false;
  const count = lists.reduce((sum, { length }) => sum + length, 0);
  return { among: count > GATHERED_ROWS_MAX ? undefined : [...new Set(lists.flat())], isWanted };
}
