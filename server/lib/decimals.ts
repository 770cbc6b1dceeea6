// Strict, exact parsing of plain decimal texts: digits, and maybe a point. Called by wire/numbers.ts, which gives the numbers
// their units, by what reads parameters and file names, and by the views for texts of the log. It never computes in fractions.

/** The value of plain decimal digits up to 2^53 − 1; undefined for anything else (signs, exponents, spaces, ''). */
export function parseWhole(text: string): number | undefined {
  if (text === '') return undefined;
  let value = 0;
  for (let i = 0; i < text.length; i += 1) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return Number.isSafeInteger(value) ? value : undefined;
}

/**
 * A decimal text in units of 10^−decimals, exactly: digits, and maybe a point followed by 1 to `decimals` digits.
 * Undefined for anything else, and for values past 2^53 − 1 units.
 */
export function parseDecimal(text: string, decimals: number): number | undefined {
  const point = text.indexOf('.');
  if (point < 0) return parseWhole(text === '' ? '' : text + '0'.repeat(decimals));
  const fraction = text.length - point - 1;
  if (point === 0 || fraction === 0 || fraction > decimals) return undefined;
  // A second point is not a digit, so parseWhole refuses it.
  return parseWhole(text.slice(0, point) + text.slice(point + 1) + '0'.repeat(decimals - fraction));
}

/** A decimal's digits on either side of its point, of which one side may have none, and its power of ten, if written. */
const DECIMAL = /^(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;

/**
 * The digits of a decimal before and after its point, as clients write parameters: one side may have none (".1", "5."), and
 * languages print small and large numbers with a power of ten ("1e-05", "2.5e+16"), which moves the point. Undefined for any
 * other text (signs, spaces, '').
 */
export function decimalDigits(text: string): readonly [whole: string, fraction: string] | undefined {
  const [, whole, fraction = '', power = '0'] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const places = Number(power);
  const digits = whole.padStart(-places, '0') + fraction.padEnd(places, '0');
  const point = Math.max(whole.length, -places) + places;
  return [digits.slice(0, point), digits.slice(point)];
}
