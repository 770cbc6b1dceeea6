// Pages with anchored cursors: all rows exactly once whatever comes and goes between the requests, plain offsets of
// clients, and invalid cursors. Trade ids and key ids, which the rows carry, are here too.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyIdOfUuid, uuidOfKeyId } from '../../server/auth/keyIds.ts';
import { BadRequest } from '../../server/wire/badRequest.ts';
import { parseTradeId, tradeId, transactionHash } from '../../server/wire/ids.ts';
import { type Cursor, END_CURSOR, findPage, newestFirst, pageJson, parseCursor } from '../../server/wire/pages.ts';

const same = (row: number): number => row;
/** The page of rows that need no pause. */
function pageOf(...parameters: Parameters<typeof findPage<number>>) {
  const { done, value } = findPage(...parameters).next();
  return done === true ? value : expect.unreachable('it paused');
}
const plain = (text: string): string => Buffer.from(text).toString('base64');

test('a missing cursor, an empty cursor and MA== all request the first page', () => {
  for (const text of [null, '', 'MA==']) expect(parseCursor(text)).toEqual({ offset: 0, after: undefined });
  expect(parseCursor(plain('100'))).toEqual({ offset: 100, after: undefined });
  expect(parseCursor(plain('100@77'))).toEqual({ offset: 100, after: 77 });
});

test.each([
  'LTE=',
  '*',
  'abc',
  'M*A=',
  'MA===',
  plain('-5'),
  plain('1.5'),
  plain('x'),
  plain('1@'),
  plain('1@x'),
  plain('@1'),
  plain('1@2@3'),
  plain('99999999999999999999'),
])('%s is not a valid cursor', (text) => {
  expect(() => parseCursor(text)).toThrow(new BadRequest('Invalid next_cursor'));
});

test('a page has its row count and the cursor of the next page', () => {
  const first = pageOf([10, 20, 30], same, false, parseCursor(null), 2);
  expect(first.rows).toEqual([10, 20]);
  const second = pageOf([10, 20, 30], same, false, parseCursor(first.nextCursor), 2);
  expect(second).toEqual({ rows: [30], nextCursor: END_CURSOR });
  expect(pageOf([10, 20], same, false, parseCursor(null), 2).nextCursor).toBe(END_CURSOR);
  expect(pageOf([10, 20], same, false, parseCursor(plain('9')), 2)).toEqual({ rows: [], nextCursor: END_CURSOR });
  expect(pageOf([10, 20, 30, 40], same, false, parseCursor(plain('3')), 5).rows).toEqual([40]);
  expect(JSON.parse(pageJson(['1', '2'], 'X', 2))).toEqual({ data: [1, 2], next_cursor: 'X', limit: 2, count: 2 });
});

test('pages neither repeat nor skip rows while rows are added and removed', () => {
  const step = fc.record({ added: fc.nat(5), removed: fc.array(fc.nat(60)) });
  const steps = fc.array(step, { maxLength: 40, size: 'max' });
  const property = fc.property(
    fc.nat(60),
    fc.integer({ min: 1, max: 7 }),
    fc.boolean(),
    steps,
    (count, limit, isFalling, changes) => {
      const rows = Array.from({ length: count }, (_, i) => i + 1);
      let nextNumber = count + 1;
      const stayed = new Set(rows);
      const seen: number[] = [];
      let cursor: Cursor = parseCursor(null);
      for (let page = 0; ; page += 1) {
        const source = isFalling ? rows.toReversed() : rows;
        const { after = Number.POSITIVE_INFINITY } = cursor;
        const newest = [...newestFirst(rows.length, (index) => rows[index], cursor)];
        expect(newest).toEqual(rows.toReversed().filter((number) => number < after));
        const { rows: given, nextCursor } = pageOf(source, same, isFalling, cursor, limit);
        seen.push(...given);
        expect(new Set(seen).size).toBe(seen.length); // at each page, since a repeated row could repeat for good
        if (nextCursor === END_CURSOR) break;
        cursor = parseCursor(nextCursor);
        const { added, removed } = changes[page] ?? { added: 0, removed: [] };
        for (let i = 0; i < added; i += 1) rows.push(nextNumber++);
        for (const number of removed) {
          stayed.delete(number);
          const at = rows.indexOf(number);
          if (at >= 0) rows.splice(at, 1);
        }
      }
      for (const number of stayed) expect(seen).toContain(number);
    },
  );
  fc.assert(property, { numRuns: 300, seed: 4 });
});

test('a trade id encodes its market and number, and is a version 8 UUID', () => {
  const property = fc.property(fc.nat(0xffff_ffff), fc.maxSafeNat(), (marketIndex, tradeNumber) => {
    const id = tradeId(marketIndex, tradeNumber);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseTradeId(id)).toEqual({ marketIndex, tradeNumber });
    expect(parseTradeId(id.toUpperCase())).toEqual({ marketIndex, tradeNumber });
  });
  fc.assert(property, { seed: 5 });
  for (const text of ['', 'x', '00000000-0000-4000-8000-000000000001', '00000000-0000-8000-8fff-ffffffffffff']) {
    expect(parseTradeId(text), text).toBeUndefined();
  }
  const hashes = [transactionHash(tradeId(0, 1)), transactionHash(tradeId(0, 2)), transactionHash(tradeId(1, 1))];
  expect(new Set(hashes).size).toBe(3);
  for (const hash of hashes) expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
});

test('a key id and its UUID are the same 16 bytes', () => {
  const uuid = '0f0e0d0c-0b0a-4908-8706-050403020100';
  expect(keyIdOfUuid(uuid)).toBe('0x0f0e0d0c0b0a49088706050403020100');
  expect(keyIdOfUuid(uuid.toUpperCase())).toBe('0x0f0e0d0c0b0a49088706050403020100');
  expect(uuidOfKeyId('0x0f0e0d0c0b0a49088706050403020100')).toBe(uuid);
  for (const text of ['', uuid.slice(1), `${uuid}0`, uuid.replaceAll('-', '')])
    expect(keyIdOfUuid(text)).toBeUndefined();
});
