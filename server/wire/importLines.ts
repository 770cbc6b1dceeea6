// Schemas for the lines of a catalog file: a tag, series, event or market each, with the fields of POST /admin/events and
// /admin/markets and, for markets that are over, how they ended. Called by server/import for every line; errors are worded
// by readFields.
import { z } from 'zod';
import { booleanField, nameField, textField } from './bodies.ts';
import { eventBody, marketBody, slugField as slug } from './operatorBodies.ts';

const label = nameField(200);

const tagLine = z.strictObject({ kind: z.literal('tag'), slug, label });
const seriesLine = z.strictObject({
  kind: z.literal('series'),
  slug,
  title: label,
  recurrence: textField(50).optional(),
});
const eventLine = eventBody.extend({ kind: z.literal('event'), slug });
const marketLine = marketBody.extend({
  kind: z.literal('market'),
  slug,
  /** How a market that is over ended: `closed` without a result, or `winner`, one of its outcomes or "split". */
  closed: booleanField.optional(),
  winner: textField(200).optional(),
});

export type TagLine = z.output<typeof tagLine>;
export type SeriesLine = z.output<typeof seriesLine>;
export type EventLine = z.output<typeof eventLine>;
export type MarketLine = z.output<typeof marketLine>;

export const lineSchemas = { tag: tagLine, series: seriesLine, event: eventLine, market: marketLine } as const;
export const LINE_KINDS = Object.keys(lineSchemas) as (keyof typeof lineSchemas)[]; // a constant has no other keys

const numberedLine = z.strictObject(
  { line: z.int('must be a whole number from 1').min(1, 'must be at least 1'), row: z.unknown() },
  'must be an object with line and row',
);

/** POST /admin/imports/{id}/lines: lines of a file with their line numbers. */
export const importLinesBody = z
  .strictObject({
    lines: z
      .array(numberedLine, 'must be a list')
      .min(1, 'must not be empty')
      .max(5_000, 'must have at most 5000 entries'),
  })
  .meta({ examples: [{ lines: [{ line: 1, row: { kind: 'tag', slug: 'weather', label: 'Weather' } }] }] });
