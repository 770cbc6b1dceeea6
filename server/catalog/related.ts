// Finds the tags that occur together with a tag on its events. Computed on request, over the events of that tag; called by
// routes/catalog after the catalog has settled.
import type { EventRow } from '../views/index.ts';
import { type EventFigures, isActive, RowState } from './figures.ts';
import type { Label } from './labels.ts';

/** The parts of the catalog that are needed. */
interface EventReader {
  readonly tagsOf: (event: EventRow) => readonly Label[];
  readonly eventFiguresOf: (event: EventRow) => EventFigures;
}

/** Most events of a tag that are counted, the newest ones: very large catalogs have tags with a hundred thousand. */
const COUNTED_EVENTS_MAX = 2_000;
/** Most events counted for all tags of one request: counting blocks everybody else. */
const COUNTED_OF_ALL_MAX = 20_000;

/**
 * The other tags on the events of a tag, most frequent first.
 * @param closed counts only closed (true) or only open (false) events; events with drafts alone never count
 * @param tagCount how many tags, including this one, the request asks about
 */
export function relatedTags(
  catalog: EventReader,
  tag: Label,
  eventByNumber: (number: number) => EventRow | undefined,
  closed: boolean | undefined,
  tagCount = 1,
): readonly Label[] {
  const counts = new Map<Label, number>();
  const countedMax = Math.min(COUNTED_EVENTS_MAX, Math.ceil(COUNTED_OF_ALL_MAX / tagCount));
  for (const number of tag.events.slice(-countedMax)) {
    const event = eventByNumber(number);
    if (event === undefined) continue;
    const { state } = catalog.eventFiguresOf(event);
    if (!isActive(state)) continue;
    if (closed !== undefined && closed !== ((state & RowState.CLOSED) !== 0)) continue;
    for (const other of catalog.tagsOf(event)) counts.set(other, (counts.get(other) ?? 0) + 1);
  }
  counts.delete(tag);
  const byCount = [...counts].toSorted(
    ([left, leftCount], [right, rightCount]) => rightCount - leftCount || left.number - right.number,
  );
  return byCount.map(([label]) => label);
}
