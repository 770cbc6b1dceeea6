// Rows kept once they are rendered: a bounded number of each form, for each catalog, and the oldest one makes room. The tests
// of rows themselves are catalog/texts.test.ts and markets.test.ts; http/longLists.test.ts has pages of more rows than that.
import { expect, test } from 'vitest';
import { KEPT_ROWS_MAX, KeptRows, renderedCount } from '../../server/wire/keptRows.ts';

test('the newest 20,000 rows of a form are kept, whatever is rendered', () => {
  const rows = new KeptRows<string>();
  const owner = {};
  const before = renderedCount();
  for (let row = 0; row < 50_000; row += 1) rows.set(owner, row, `${row}`);
  expect(renderedCount() - before).toBe(50_000);
  const kept = Array.from({ length: 50_000 }, (_, row) => rows.get(owner, row)).filter((text) => text !== undefined);
  expect(kept).toEqual(Array.from({ length: KEPT_ROWS_MAX }, (_, at) => `${30_000 + at}`));
  expect(KEPT_ROWS_MAX).toBe(20_000);
});

test('a kept row that is rendered again replaces itself alone, and each catalog has its own rows', () => {
  const rows = new KeptRows<string>();
  const [owner, other] = [{}, {}];
  for (let row = 0; row < KEPT_ROWS_MAX; row += 1) rows.set(owner, row, 'old');
  rows.set(owner, 7, 'new');
  expect([rows.get(owner, 0), rows.get(owner, 7), rows.get(other, 7)]).toEqual(['old', 'new', undefined]);
});
