// Which tags go together: those that events have beside a tag. Counted when it is asked, over the events of that tag; called by
// routes/catalog.ts after the catalog has settled.
import type { EventRow } from '../views/index.ts';
import { type EventFigures, RowState } from './figures.ts';
import type { Label } from './labels.ts';

/** What is known of events: the catalog. */
interface Known {
  readonly tagsOf: (event: EventRow) => readonly Label[];
  readonly eventFiguresOf: (event: EventRow) => EventFigures;
}

/** So many of a tag's events are looked at, the newest: very large catalogs have tags of a hundred thousand. */
const COUNTED_EVENTS_MAX = 2_000;
/** So many of the events of all tags that one request asks for: counting keeps everybody else waiting. */
const COUNTED_OF_ALL_MAX = 20_000;

/**
 * The tags that are on events of a tag, those on most of them first.
 * @param closed whether only open or only closed events count; those that have drafts alone never do
 * @param askedTags for how many tags, this one among them, a request wants to know
 */
export function relatedTags(
  catalog: Known,
  tag: Label,
  eventByNumber: (number: number) => EventRow | undefined,
  closed: boolean | undefined,
  askedTags = 1,
): readonly Label[] {
  const counts = new Map<Label, number>();
  const countedMax = Math.min(COUNTED_EVENTS_MAX, Math.ceil(COUNTED_OF_ALL_MAX / askedTags));
  for (const number of tag.events.slice(-countedMax)) {
    const event = eventByNumber(number);
    if (event === undefined) continue;
    const { state } = catalog.eventFiguresOf(event);
    if ((state & RowState.ACTIVE) === 0) continue;
    if (closed !== undefined && closed !== ((state & RowState.CLOSED) !== 0)) continue;
    for (const other of catalog.tagsOf(event)) counts.set(other, (counts.get(other) ?? 0) + 1);
  }
  counts.delete(tag);
  const byCount = [...counts].toSorted(
    ([left, leftCount], [right, rightCount]) => rightCount - leftCount || left.number - right.number,
  );
  return byCount.map(([label]) => label);
}
