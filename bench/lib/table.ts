// Plain text tables for the terminal, and the one wording of ratios and their floors. Used by the benches. It only makes
// text.
import type { Spread } from './statistics.ts';

/** One part of the bench, as main.ts prints and stores it. */
export interface Report {
  readonly title: string;
  /** Lines for the terminal. */
  readonly lines: readonly string[];
  /** The part's content in the JSON file. */
  readonly figures: unknown;
  /** Sentences about results that disagree; any of them makes the exit status 1. */
  readonly faults: readonly string[];
}

/** Columns as wide as their widest cell; the first is left-aligned, the others right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)];
}

/** A number with `digits` decimals and separated thousands. */
export function figure(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Median with its range: `81.2 (78.0 to 84.5)`. */
export function spreadText({ median, min, max }: Spread, digits = 0): string {
  return `${figure(median, digits)} (${figure(min, digits)} to ${figure(max, digits)})`;
}

/** Whether the median of a ratio reaches its floor, in words. */
export function floorText(name: string, floor: number, unit: string, ratio: Spread, digits: number): string {
  const verdict = ratio.median >= floor ? 'reached' : 'not reached';
  return `${name}: ${spreadText(ratio, digits)}${unit}; floor ${floor}${unit}: ${verdict}`;
}
