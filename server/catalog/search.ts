// Full-text search over events: their titles, the questions of their markets, their tags. MiniSearch ranks, completes
// prefixes and tolerates typos. Words that too many events share are kept out of it (they contribute nothing to the ranking
// and cost most), in plain lists that narrow its results, that are searched by themselves if it finds nothing, and that add the
// events of words that a query begins or misspells. Used by index.ts; documents are rebuilt when events change.
import { LoopTurn, type Sections, visitTexts } from '../../engine/index.ts';
import { countBefore } from '../lib/countBefore.ts';
import { type EventRow, isListed } from '../views/index.ts';
import { textOf } from '../views/texts.ts';
import { tagSlugs } from './labels.ts';
import { WordIndex } from './wordIndex.ts';

/** A word that more events than this have is common. */
const COMMON_EVENTS_MIN = 1_000;
/** Most words of a query that are used. */
const QUERY_WORDS_MAX = 16;
/** How long indexing may take of one event-loop turn (ms). */
const TURN_MS = 4;
/** Minimum word lengths for completion, for correcting one typo, and for two. */
const PREFIX_CHARACTERS_MIN = 3;
const TYPO_CHARACTERS_MIN = 4;
const TWO_TYPOS_CHARACTERS_MIN = 6;

interface SearchDocument {
  readonly id: number;
  readonly title: string;
  readonly text: string;
}

/** The words of an event, separated by blanks: those of its title, and all others once each. */
interface EventWords {
  readonly title: string;
  readonly others: string;
}

const WORDS = /[\p{L}\p{N}]+/gu;
const MARKS = /\p{M}/gu;

const NOT_ASCII = /[\u0080-\uffff]/;
const ASCII_WORDS = /[a-z0-9]+/g;

/** The words of a text: lower case, without accents. */
export function wordsOf(text: string): string[] {
  if (!NOT_ASCII.test(text)) return text.toLowerCase().match(ASCII_WORDS) ?? []; // the same, in a third of the time
  return text.normalize('NFKD').replace(MARKS, '').toLowerCase().match(WORDS) ?? [];
}

function wordsOfEvent({ texts, markets }: EventRow): EventWords {
  const words = new Set<string>();
  const addWordsOf = (text: string): void => {
    for (const word of wordsOf(text)) words.add(word);
  };
  for (const text of [texts.slug, texts.ticker, tagSlugs(texts.tags).join(' '), texts.series]) addWordsOf(textOf(text));
  let lastOutcomes: readonly [string, string] | undefined;
  for (const { question, outcomes, texts: own } of markets.filter(isListed)) {
    addWordsOf(question);
    addWordsOf(textOf(own.groupItemTitle));
    if (outcomes[0] === lastOutcomes?.[0] && outcomes[1] === lastOutcomes[1]) continue;
    lastOutcomes = outcomes;
    for (const outcome of outcomes) addWordsOf(outcome);
  }
  return { title: wordsOf(textOf(texts.title)).join(' '), others: [...words].join(' ') };
}

interface CommonWord {
  readonly word: string;
}

/** Ascending event numbers by word, without the words. */
type EventLists = readonly (readonly number[])[];

/** A word of a query that begins or misspells common words. */
interface WideWord {
  readonly word: string;
  /** The events of each of these words. The index has only the first events of each. */
  readonly lists: EventLists;
}

/** Splits a text of blank-separated words. */
const wordsIn = (text: string): string[] => (text === '' ? [] : text.split(' '));
const allWordsOf = ({ title, others }: EventWords): ReadonlySet<string> =>
  new Set([...wordsIn(title), ...wordsIn(others)]);

/** How many typos of a word are tolerated; false for none. */
function typosOf(word: string): number | false {
  if (word.length < TYPO_CHARACTERS_MIN) return false;
  return word.length < TWO_TYPOS_CHARACTERS_MIN ? 1 : 2;
}

/** Whether an ascending list contains a number. */
function holds(list: readonly number[], wanted: number): boolean {
  return list[countBefore(list.length, (index) => list[index] < wanted)] === wanted;
}

const isInAll = (lists: EventLists, event: number): boolean => lists.every((list) => holds(list, event));
const isInAny = (lists: EventLists, event: number): boolean => lists.some((list) => holds(list, event));
const sizeOf = (lists: EventLists): number => lists.reduce((count, { length }) => count + length, 0);

/** The wanted events of each list, newest first; one in several lists comes as often. */
const newestFirst = (lists: EventLists, isWanted: (eventNumber: number) => boolean): number[] =>
  lists.flatMap((list) => list.filter(isWanted).reverse());

/** Appends those of the others that are not among the events, each once; returns these. */
function appended(events: number[], others: readonly number[]): number[] {
  const known = new Set(events);
  for (const event of others) {
    if (known.has(event)) continue;
    known.add(event);
    events.push(event);
  }
  return events;
}

export class CatalogSearch {
  private readonly eventOf: (eventNumber: number) => EventRow | undefined;
  private readonly index = this.makeIndex();
  /** The common words themselves, to be found by their beginnings and with typos. */
  private readonly commonIndex = new WordIndex<CommonWord>({
    fields: ['word'],
    idField: 'word',
    tokenize: (word) => [word],
    processTerm: (word) => word,
  });
  /** Ascending event numbers by word. */
  private readonly eventsOfWord = new Map<string, number[]>();
  /** Words that became common stay so while any event has them, since the index's documents omit them. */
  private readonly commonWords = new Set<string>();
  private readonly indexed = new Map<number, EventWords>();
  /** Words loaded from a snapshot, of events that are not indexed yet. */
  private readonly loaded = new Map<number, EventWords>();
  private readonly changed = new Set<number>();
  private indexing: Promise<void> | undefined;

  /** Known words are not corrected, and short ones among them not completed: both would find too much. */
  private readonly tolerance = {
    prefix: (word: string): boolean =>
      word.length >= PREFIX_CHARACTERS_MIN && (word.length > PREFIX_CHARACTERS_MIN || !this.eventsOfWord.has(word)),
    fuzzy: (word: string): number | false => (this.eventsOfWord.has(word) ? false : typosOf(word)),
  };

  constructor(eventOf: (eventNumber: number) => EventRow | undefined) {
    this.eventOf = eventOf;
  }

  /** Marks an event whose words may have changed. */
  touch(eventNumber: number): void {
    this.changed.add(eventNumber);
    this.loaded.delete(eventNumber);
  }

  /**
   * The search's part of a snapshot: the words, since extracting them from all texts is most of the cost of an index. When
   * loading, all these events must be marked as touched.
   * @param events numbers of all events, ascending
   */
  visit(sections: Sections, events: readonly number[]): void {
    const current = sections.isLoading ? [] : events.map((eventNumber) => this.currentWords(eventNumber));
    const column = (name: keyof EventWords): readonly string[] =>
      visitTexts(
        sections,
        name,
        current.map((words) => words?.[name] ?? ''),
      );
    const [titles, others] = [column('title'), column('others')];
    if (!sections.isLoading) return;
    for (const [at, eventNumber] of events.entries()) {
      this.loaded.set(eventNumber, { title: titles[at], others: others[at] });
    }
  }

  /** Resolves when all marked events are indexed; the work is split into short turns. */
  async ready(): Promise<void> {
    while (this.changed.size > 0) {
      this.indexing ??= this.indexTurns().finally(() => {
        this.indexing = undefined;
      });
      await this.indexing;
    }
  }

  /**
   * Numbers of the events that have all of the words as typed, as a prefix or, for words that no event has, corrected; failing
   * that, of events that have some of them. Best match first.
   * @param isWanted selects the events that may be found
   */
  find(query: string, isWanted: (eventNumber: number) => boolean): readonly number[] {
    const words = [...new Set(wordsOf(query))].slice(0, QUERY_WORDS_MAX);
    const common = words.filter((word) => this.isCommon(word));
    const rare = words.filter((word) => !this.isCommon(word));
    const wide = this.wideWords(rare);
    const all = rare.length === 0 ? this.withAll(common, isWanted) : this.withAllRanked(rare, wide, common, isWanted);
    if (all.length > 0) return all;
    const begun = wide.flatMap(({ lists }) => newestFirst(lists, isWanted));
    const some = appended(this.ranked(rare.join(' '), 'OR', isWanted), begun);
    return some.length > 0 || words.length === 1 ? some : this.withRarest(common, isWanted);
  }

  /**
   * Events that have all of these words: those that the index ranks, best match first, then those that it does not have under a
   * word that begins or misspells a common one.
   * @param wide those of the rare words that do so
   */
  private withAllRanked(
    rare: readonly string[],
    wide: readonly WideWord[],
    common: readonly string[],
    isWanted: (eventNumber: number) => boolean,
  ): number[] {
    const lists = common.map((word) => this.eventsOfWord.get(word) ?? []);
    const isIn = (event: number): boolean => isWanted(event) && isInAll(lists, event);
    const found = this.ranked(rare.join(' '), 'AND', isIn);
    const [fewest, ...others] = wide.toSorted((left, right) => sizeOf(left.lists) - sizeOf(right.lists));
    if (fewest === undefined) return found;
    if (rare.length === 1) return appended(found, newestFirst(fewest.lists, isIn));
    const isOf = ({ word, lists: own }: WideWord): ((event: number) => boolean) => {
      let indexed: ReadonlySet<number> | undefined;
      return (event) => {
        if (isInAny(own, event)) return true;
        indexed ??= new Set(this.ranked(word, 'OR', isIn));
        return indexed.has(event);
      };
    };
    const narrow = rare.filter((word) => wide.every((other) => other.word !== word));
    const tests = (narrow.length > 0 ? [fewest, ...others] : others).map(isOf);
    const candidates =
      narrow.length > 0
        ? this.ranked(narrow.join(' '), 'AND', isIn)
        : [...newestFirst(fewest.lists, isIn), ...this.ranked(fewest.word, 'OR', isIn)];
    const isOfAll = (event: number): boolean => tests.every((test) => test(event));
    return appended(found, candidates.filter(isOfAll));
  }

  /** The words that begin or misspell common ones: the index finds only the first events of those. */
  private wideWords(rare: readonly string[]): readonly WideWord[] {
    return rare.flatMap((word) => {
      const lists = this.commonIndex.search(word, this.tolerance).map(({ id }) => this.eventsOfWord.get(id) ?? []);
      return lists.length === 0 ? [] : [{ word, lists }];
    });
  }

  private makeIndex(): WordIndex<SearchDocument> {
    return new WordIndex<SearchDocument>({
      fields: ['title', 'text'],
      // Fields are blank-separated words; queries are free text.
      tokenize: (text, field) => (field === undefined || text === '' ? wordsOf(text) : text.split(' ')),
      processTerm: (word) => word,
    });
  }

  private ranked(text: string, combineWith: 'AND' | 'OR', isWanted: (id: number) => boolean): number[] {
    const hits = this.index.search(text, {
      combineWith,
      ...this.tolerance,
      boost: { title: 2 },
      weights: { prefix: 0.5, fuzzy: 0.3 },
      filter: ({ id }) => isWanted(id),
    });
    return hits.map(({ id }): number => id);
  }

  private isCommon(word: string): boolean {
    return this.commonWords.has(word);
  }

  /** Events that have all of these words, newest first. */
  private withAll(words: readonly string[], isWanted: (eventNumber: number) => boolean): number[] {
    const [shortest, ...others] = words
      .map((word) => this.eventsOfWord.get(word) ?? [])
      .sort((left, right) => left.length - right.length);
    const all: number[] = [];
    for (let at = (shortest?.length ?? 0) - 1; at >= 0; at -= 1) {
      const event = shortest[at];
      if (isWanted(event) && others.every((list) => holds(list, event))) all.push(event);
    }
    return all;
  }

  /** Events that have the rarest of these common words, newest first; the others would list more events than anyone reads. */
  private withRarest(common: readonly string[], isWanted: (eventNumber: number) => boolean): number[] {
    const countOf = (word: string): number => this.eventsOfWord.get(word)?.length ?? 0;
    const [rarest] = common.toSorted((left, right) => countOf(left) - countOf(right));
    return rarest === undefined ? [] : this.withAll([rarest], isWanted);
  }

  private async indexTurns(): Promise<void> {
    const turn = new LoopTurn(TURN_MS);
    while (this.changed.size > 0) {
      // Iterates over a copy: iterating a set that is emptied from its front skips all deleted entries again in every turn.
      for (const eventNumber of [...this.changed]) {
        this.indexEvent(eventNumber);
        if (turn.isOver) await turn.next();
      }
    }
  }

  /** The event's current words; undefined if there is no such event. */
  private currentWords(eventNumber: number): EventWords | undefined {
    const known = this.changed.has(eventNumber) ? this.loaded.get(eventNumber) : this.indexed.get(eventNumber);
    if (known !== undefined) return known;
    const event = this.eventOf(eventNumber);
    return event === undefined ? undefined : wordsOfEvent(event);
  }

  private indexEvent(eventNumber: number): void {
    const current = this.currentWords(eventNumber);
    this.changed.delete(eventNumber);
    this.loaded.delete(eventNumber);
    const known = this.indexed.get(eventNumber);
    if (current === undefined || (known?.title === current.title && known.others === current.others)) return;
    const words = allWordsOf(current);
    if (known !== undefined) {
      const oldWords = allWordsOf(known);
      this.unlist(eventNumber, oldWords, words);
      this.index.removeFrom(eventNumber, oldWords);
    }
    this.list(eventNumber, words, known !== undefined);
    const rareOnly = (text: string): string =>
      wordsIn(text)
        .filter((word) => !this.isCommon(word))
        .join(' ');
    const document = { id: eventNumber, title: rareOnly(current.title), text: rareOnly(current.others) };
    this.index.add(document);
    this.indexed.set(eventNumber, current);
  }

  /** Removes an event from the lists of words that it no longer has. A word without events is no longer known. */
  private unlist(eventNumber: number, oldWords: ReadonlySet<string>, words: ReadonlySet<string>): void {
    for (const word of oldWords) {
      if (words.has(word)) continue;
      const list = this.eventsOfWord.get(word) ?? [];
      const at = list.indexOf(eventNumber);
      if (at >= 0) list.splice(at, 1);
      if (list.length > 0) continue;
      this.eventsOfWord.delete(word);
      if (this.commonWords.delete(word)) this.commonIndex.removeFrom(word, [word]);
    }
  }

  private makeCommon(word: string): void {
    if (this.commonWords.has(word)) return;
    this.commonWords.add(word);
    this.commonIndex.add({ word });
  }

  /** Adds an event to the lists of its words; one listed before is added to those of its new words. */
  private list(eventNumber: number, words: ReadonlySet<string>, isKnown: boolean): void {
    for (const word of words) {
      const list = this.eventsOfWord.get(word);
      if (list?.length === COMMON_EVENTS_MIN && !holds(list, eventNumber)) this.makeCommon(word);
      if (list === undefined) this.eventsOfWord.set(word, [eventNumber]);
      else if (!isKnown && list[list.length - 1] < eventNumber) list.push(eventNumber);
      else if (!holds(list, eventNumber)) {
        const at = list.findIndex((other) => other > eventNumber);
        list.splice(at < 0 ? list.length : at, 0, eventNumber);
      }
    }
  }
}
