// The events and markets of each tag and creator: inverted lists, the list filters built from them, and event counts by tag.
// Owned by the catalog, which reports new events and their states. Rows are numbered as in the catalog's tables: events from 0,
// one less than their numbers; markets by index.
import type { EventRow, Views } from '../views/index.ts';
import { isActive, RowState } from './figures.ts';
import { type Label, type Labels, tagSlugs } from './labels.ts';
import { GATHERED_ROWS_MAX } from './table.ts';

/** A condition on rows; `among` lists all rows that can meet it, each once, if such a list exists. */
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

/** The creator of an event, lower case; '' for the venue itself. */
const creatorOf = (event: EventRow | undefined): string =>
  typeof event?.texts.creator === 'string' ? event.texts.creator.toLowerCase() : '';

export class Groups {
  private readonly views: Views;
  private readonly tags: Labels;
  /** RowState bits by event row. */
  private readonly eventStates: number[] = [];
  private readonly eventTags: (readonly number[])[] = [];
  /** Cache of the tag names of events, valid while `renamingsSeen` is the current number of renamings. */
  private readonly tagNames = new Map<number, readonly string[]>();
  private renamingsSeen = 0;
  /** By tag number: how many of its events have more than drafts. */
  private readonly activeEventCounts = new Map<number, number>();
  private readonly marketsOfTag = new Map<number, number[]>();
  private readonly marketsOfCreator = new Map<string, number[]>();
  private readonly eventsOfCreator = new Map<string, number[]>();
  /** Markets below this index are in the inverted lists. */
  private filedCount = 0;

  constructor(views: Views, tags: Labels) {
    this.views = views;
    this.tags = tags;
  }

  /** Files a new event; the labels of its tags must exist already. */
  eventCreated(event: EventRow): void {
    const row = event.eventNumber - 1;
    this.eventTags[row] = tagSlugs(event.texts.tags).map((slug) => this.tags.bySlug(slug)?.number ?? 0);
    add(this.eventsOfCreator, creatorOf(event), row);
  }

  /** Files the markets created since the last call. */
  fileNewMarkets(): void {
    const markets = this.views.markets.list();
    for (; this.filedCount < markets.length; this.filedCount += 1) {
      const row = this.filedCount;
      const eventRow = markets[row].eventNumber - 1;
      for (const number of this.eventTags[eventRow] ?? NO_ROWS) add(this.marketsOfTag, number, row);
      add(this.marketsOfCreator, creatorOf(this.views.markets.eventByNumber(markets[row].eventNumber)), row);
    }
  }

  /** Records an event's state and updates the event counts of its tags: an event with drafts alone does not count. */
  setEventState(row: number, state: number): void {
    const change = Number(isActive(state)) - Number(isActive(this.eventStates[row] ?? 0));
    this.eventStates[row] = state;
    if (change === 0) return;
    for (const number of this.eventTags[row] ?? NO_ROWS) {
      this.activeEventCounts.set(number, (this.activeEventCounts.get(number) ?? 0) + change);
    }
  }

  tagsOf(event: EventRow | undefined): readonly Label[] {
    const numbers = event === undefined ? NO_ROWS : (this.eventTags[event.eventNumber - 1] ?? NO_ROWS);
    return numbers.flatMap((number) => this.tags.byNumber(number) ?? []);
  }

  /** The names of an event's tags; the same array until any tag is renamed. */
  tagNamesOf(event: EventRow | undefined): readonly string[] {
    if (event === undefined) return NO_NAMES;
    const { renamings } = this.tags;
    if (this.renamingsSeen !== renamings) this.tagNames.clear();
    this.renamingsSeen = renamings;
    const known = this.tagNames.get(event.eventNumber);
    if (known !== undefined) return known;
    const names = this.tagsOf(event).map(({ title }) => title);
    this.tagNames.set(event.eventNumber, names);
    return names;
  }

  /** Whether an event (undefined: the venue's own) belongs to a creator's site. */
  isOfCreator(event: EventRow | undefined, creator: string): boolean {
    return creatorOf(event) === creator.toLowerCase();
  }

  /**
   * Selects the events that a search may find, as of the last settle: those with more than drafts that are not archived, belong
   * to the creator's site, and are open or closed as requested.
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
   * How many events carry each tag, as of the last settle: of all events with more than drafts, or only of those on a creator's
   * site.
   */
  eventCounts(creator: string | undefined): (tag: Label) => number {
    if (creator === undefined) return ({ number }) => this.activeEventCounts.get(number) ?? 0;
    const counts = new Map<number, number>();
    for (const row of this.eventsOfCreator.get(creator.toLowerCase()) ?? NO_ROWS) {
      if (!isActive(this.eventStates[row])) continue;
      for (const number of this.eventTags[row] ?? NO_ROWS) counts.set(number, (counts.get(number) ?? 0) + 1);
    }
    return ({ number }) => counts.get(number) ?? 0;
  }

  /** Selects markets whose events have one of the tags. */
  marketTagFilter(tags: readonly Label[]): RowFilter {
    const lists = tags.map(({ number }) => this.marketsOfTag.get(number) ?? NO_ROWS);
    return anyTagFilter(tags, lists, (row) => this.eventTags[this.eventRowOfMarket(row)]);
  }

  /** Selects events that have one of the tags. */
  eventTagFilter(tags: readonly Label[]): RowFilter {
    const { among, isWanted } = anyTagFilter(
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

/** Selects these rows and no others. */
export function rowsFilter(rows: readonly number[]): RowFilter {
  const wanted = new Set(rows);
  const isWanted = (row: number): boolean => wanted.has(row);
  return { among: wanted.size > GATHERED_ROWS_MAX ? undefined : [...wanted], isWanted };
}

/** Selects rows that have one of the tags. @param lists the rows of each tag; merged if few enough to be gathered */
function anyTagFilter(
  tags: readonly Label[],
  lists: readonly (readonly number[])[],
  tagsOf: (row: number) => readonly number[] | undefined,
): RowFilter {
  const numbers = new Set(tags.map(({ number }) => number));
  const isWanted = (row: number): boolean => tagsOf(row)?.some((number) => numbers.has(number)) ?? false;
  const count = lists.reduce((sum, { length }) => sum + length, 0);
  return { among: count > GATHERED_ROWS_MAX ? undefined : [...new Set(lists.flat())], isWanted };
}
