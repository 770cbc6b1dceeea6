// Tags and series, which the texts of events name by slug: numbered in order of first appearance, with the events that carry
// them. Fed by index.ts with every new event; numbers follow from the log and so never change. A label keeps the title of the
// first event that gives one.
import { isFields } from '../lib/jsonFields.ts';
import type { EventRow } from '../views/index.ts';

/** A tag or a series. */
export interface Label {
  /** From 1. */
  readonly number: number;
  readonly slug: string;
  title: string;
  /** Whether an event gave the title; otherwise it is derived from the slug. */
  isTitleGiven: boolean;
  /** How often a series recurs; '' if not given. */
  recurrence: string;
  readonly createdMs: number;
  updatedMs: number;
  /** Numbers of its events, ascending. */
  readonly events: number[];
}

/** A slug's words, with the first letter in upper case: "world-cup" becomes "World cup". */
function titleOfSlug(slug: string): string {
  const words = slug.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const textIn = (value: unknown, key: string): string => {
  const text = isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return typeof text === 'string' ? text : '';
};

/** The tag slugs of an event's texts, each once. */
export function tagSlugs(tags: unknown): readonly string[] {
  return Array.isArray(tags) ? [...new Set(tags.filter((tag) => typeof tag === 'string' && tag !== ''))] : [];
}

export class Labels {
  private readonly rows: Label[] = [];
  private readonly bySlugText = new Map<string, Label>();
  private renamingCount = 0;

  /** How often an existing label got its title from a later event. */
  get renamings(): number {
    return this.renamingCount;
  }

  /** All labels, by ascending number. */
  list(): readonly Label[] {
    return this.rows;
  }

  byNumber(number: number): Label | undefined {
    return this.rows[number - 1];
  }

  /** Finds a label by slug, case-insensitively. */
  bySlug(slug: string): Label | undefined {
    return this.bySlugText.get(slug.toLowerCase());
  }

  /** Records that an event carries a label; a title given with it applies unless an earlier event gave one. */
  add(slug: string, { eventNumber, createdMs }: EventRow, title: string, recurrence = ''): void {
    const key = slug.toLowerCase();
    let label = this.bySlugText.get(key);
    if (label === undefined) {
      const number = this.rows.length + 1;
      label = {
        number,
        slug,
        title: titleOfSlug(slug),
        isTitleGiven: false,
        recurrence: '',
        createdMs,
        updatedMs: createdMs,
        events: [],
      };
      this.rows.push(label);
      this.bySlugText.set(key, label);
    }
    if (title !== '' && !label.isTitleGiven) {
      label.title = title;
      label.isTitleGiven = true;
      if (label.events.length > 0) this.renamingCount += 1;
    }
    if (label.recurrence === '') label.recurrence = recurrence;
    label.updatedMs = createdMs;
    label.events.push(eventNumber);
  }
}

/** Adds the tags and the series of a new event. */
export function addLabelsOf(event: EventRow, tags: Labels, series: Labels): void {
  const { texts } = event;
  for (const slug of tagSlugs(texts.tags)) tags.add(slug, event, textIn(texts.tagLabels, slug));
  if (typeof texts.series !== 'string' || texts.series === '') return;
  const { seriesTexts } = texts;
  series.add(texts.series, event, textIn(seriesTexts, 'title'), textIn(seriesTexts, 'recurrence'));
}
