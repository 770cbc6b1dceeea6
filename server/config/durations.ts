// The units of durations, as an operator writes them. Used by the settings and by the table of throttle rates, which check the
// form of the text first.

const UNITS_MS: Readonly<Record<string, number>> = { '': 0, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration such as 250ms, 90s, 15m, 24h or 7d; 0 needs no unit. */
export function durationMs(text: string): number {
  const digits = /^[0-9]+/.exec(text)?.[0] ?? '';
  return Number(digits) * (UNITS_MS[text.slice(digits.length)] ?? Number.NaN);
}
