// Printing and parsing of decimals against BigInt arithmetic, over the whole range of values: printed text is minimal and
// parses back to the same units, and text that is no plain decimal within its places is never accepted.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalDigits, parseDecimal, parseWhole } from '../../server/lib/decimals.ts';
import {
  halfPipsText,
  isoTime,
  lotsText,
  microText,
  parseLots,
  parseMicro,
  parsePips,
  pipsNumber,
  pipsText,
  secondsText,
} from '../../server/wire/numbers.ts';

/** The decimal of units / 10^decimals without trailing zeros, by BigInt. */
function expectedText(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`);
}

const safe = fc.maxSafeNat();
const printers = [
  [microText, parseMicro, 6],
  [lotsText, parseLots, 2],
] as const;

test('printed amounts are minimal decimals and parse back exactly', () => {
  for (const [print, parse, decimals] of printers) {
    const property = fc.property(fc.oneof(safe, fc.nat(10_000_000)), (units) => {
      const text = print(units);
      expect(text).toBe(expectedText(BigInt(units), decimals));
      expect(parse(text)).toBe(units);
    });
    fc.assert(property, { numRuns: 2_000, seed: 1 });
  }
});

test('every price prints as a minimal decimal, parses back, and equals its JSON number', () => {
  for (let pips = 0; pips <= 10_000; pips += 1) {
    const text = pipsText(pips);
    expect(text).toBe(expectedText(BigInt(pips), 4));
    expect(parsePips(text)).toBe(pips);
    if (pips !== 0) expect(JSON.parse(text)).toBe(pipsNumber(pips));
    expect(halfPipsText(2 * pips)).toBe(text);
    expect(halfPipsText(2 * pips + 1)).toBe(expectedText(BigInt(pips) * 10n + 5n, 5));
  }
  expect([pipsText(5000), lotsText(8536), microText(5_000_000)]).toEqual(['0.5', '85.36', '5']);
});

test('a decimal is parsed exactly or rejected', () => {
  const digits = fc.stringMatching(/^[0-9]{1,14}$/);
  const property = fc.property(
    digits,
    fc.stringMatching(/^[0-9]{0,8}$/),
    fc.integer({ min: 1, max: 6 }),
    (whole, fraction, places) => {
      const text = fraction === '' ? whole : `${whole}.${fraction}`;
      const units =
        BigInt(whole) * 10n ** BigInt(places) + BigInt(fraction.padEnd(places, '0').slice(0, places) || '0');
      const isRead = fraction.length <= places && units <= BigInt(Number.MAX_SAFE_INTEGER);
      const read = parseDecimal(text, places);
      expect(read).toBe(isRead ? Number(units) : undefined);
    },
  );
  fc.assert(property, { numRuns: 5_000, seed: 2 });
  expect(parseMicro('9007199254.740991')).toBe(Number.MAX_SAFE_INTEGER);
  expect(parseMicro('9007199254.740992')).toBeUndefined();
  expect(parseMicro('0.000001')).toBe(1);
});

const NOT_DECIMALS = [
  '',
  '.',
  '1.',
  '.5',
  '-1',
  '+1',
  '1e3',
  '1E3',
  ' 1',
  '1 ',
  '0x10',
  '1,5',
  '1.2.3',
  '1.1234567',
  '1:5',
  '1/5',
  'NaN',
  '١',
];

test.each(NOT_DECIMALS)('%j is not a decimal', (text) => {
  expect(parseMicro(text)).toBeUndefined();
});

test('parseWhole accepts only digits, up to 2^53 - 1', () => {
  fc.assert(
    fc.property(safe, (value) => {
      expect(parseWhole(String(value))).toBe(value);
    }),
    { seed: 3 },
  );
  for (const text of ['', '-1', '1.0', '1e3', '0x1', ' 1', '9007199254740992', '99999999999999999']) {
    expect(parseWhole(text), text).toBeUndefined();
  }
  expect(parseWhole('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
});

test('leading zeros do not change a value, however many there are', () => {
  const zeros = '0'.repeat(30);
  expect([parseWhole(zeros), parseWhole(`${zeros}7`)]).toEqual([0, 7]);
  expect([parseMicro(`${zeros}12`), parseMicro(`${zeros}12.5`)]).toEqual([12_000_000, 12_500_000]);
  expect(parseWhole(`${zeros}9007199254740992`)).toBeUndefined();
});

test('times print as ISO 8601 or as whole seconds', () => {
  expect(isoTime(1_700_000_000_123)).toBe('2023-11-14T22:13:20.123Z');
  expect(secondsText(1_700_000_000_999)).toBe('1700000000');
});

test('a power of ten moves the point of a decimal', () => {
  expect(decimalDigits('1e-05')).toEqual(['', '00001']);
  expect(decimalDigits('12.5e-1')).toEqual(['1', '25']);
  expect(decimalDigits('12.5e-2')).toEqual(['', '125']);
  expect(decimalDigits('.5E1')).toEqual(['5', '']);
  expect(decimalDigits('2.5e+3')).toEqual(['2500', '']);
  expect(decimalDigits('1.2345e2')).toEqual(['123', '45']);
  expect(decimalDigits('5.e0')).toEqual(['5', '']);
});

test('the digits of a decimal may stand on either side of its point', () => {
  expect(decimalDigits('12.50')).toEqual(['12', '50']);
  expect(decimalDigits('12')).toEqual(['12', '']);
  expect(decimalDigits('.1')).toEqual(['', '1']);
  expect(decimalDigits('5.')).toEqual(['5', '']);
  const others = ['', '.', '-1', '+1', 'e3', '.e3', '1e', '1e1.5', '1e1000', '1.2.3', '..1', ' 1', '1 ', '1,5', '１'];
  for (const text of others) {
    expect(decimalDigits(text), text).toBeUndefined();
  }
});
