// Exact conversion between whole units and decimal text: pips, lots and micro as minimal decimals ("0.5", "85.36", "5"), and
// the strict parsing of what clients send; the formats of times. Called by this folder, by routes, and by whatever else reads
// or writes such texts. Nothing is computed in fractions: floats appear only as the JSON numbers that clients display.

import { LOTS_PER_SHARE, MICRO_PER_UNIT, PIPS_PER_UNIT } from '../../engine/index.ts';
import { parseDecimal } from '../lib/decimals.ts';

const PIPS_DECIMALS = 4;
const LOTS_DECIMALS = 2;
const MICRO_DECIMALS = 6;

/** Minimal decimal text of `units` / 10^decimals, where `scale` is that power of ten; units ≥ 0. */
function decimalText(units: number, scale: number, decimals: number): string {
  const rest = units % scale;
  const whole = (units - rest) / scale;
  if (rest === 0) return String(whole);
  let digits = String(rest).padStart(decimals, '0');
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end -= 1;
  if (end < digits.length) digits = digits.slice(0, end);
  return `${whole}.${digits}`;
}

const pipsTexts: string[] = [];

/** A price: pips as a decimal of one unit, 0 to 10,000 → "0" to "1". */
export function pipsText(pips: number): string {
  let text = pipsTexts[pips];
  if (text === undefined) {
    text = decimalText(pips, PIPS_PER_UNIT, PIPS_DECIMALS);
    pipsTexts[pips] = text;
  }
  return text;
}

/** Half a sum of two prices (a midpoint), exact: up to five decimals. */
export function halfPipsText(sumPips: number): string {
  return decimalText(sumPips * 5, PIPS_PER_UNIT * 10, PIPS_DECIMALS + 1);
}

/** A price as a JSON number: the double nearest to the decimal, which prints as that decimal. */
export function pipsNumber(pips: number): number {
  return pips / PIPS_PER_UNIT;
}

/** A size as a JSON number of shares. */
export function lotsNumber(lots: number): number {
  return lots / LOTS_PER_SHARE;
}

/** An amount as a JSON number of units. */
export function microNumber(micro: number): number {
  return micro / MICRO_PER_UNIT;
}

let lastMs = Number.NaN;
let lastMsText = '';

/** Milliseconds as digits. The last one is cached: times repeat, and a double this large is slow to print. */
export function msText(ms: number): string {
  if (ms === lastMs) return lastMsText;
  lastMs = ms;
  lastMsText = String(ms);
  return lastMsText;
}

/** A size in shares. */
export function lotsText(lots: number): string {
  return decimalText(lots, LOTS_PER_SHARE, LOTS_DECIMALS);
}

/** An amount of collateral or shares in units. */
export function microText(micro: number): string {
  return decimalText(micro, MICRO_PER_UNIT, MICRO_DECIMALS);
}

/** An amount in units ("12.5") as micro; undefined unless it is a decimal of at most six places up to 2^53 − 1 micro. */
export function parseMicro(text: string): number | undefined {
  return parseDecimal(text, MICRO_DECIMALS);
}

/** A size in shares as lots; undefined unless it is a decimal of at most two places. */
export function parseLots(text: string): number | undefined {
  return parseDecimal(text, LOTS_DECIMALS);
}

/** A price as pips; undefined unless it is a decimal of at most four places. */
export function parsePips(text: string): number | undefined {
  return parseDecimal(text, PIPS_DECIMALS);
}

/** A decimal format: its largest number of places, and the conversion to whole units and back. */
export interface DecimalUnit {
  readonly places: number;
  readonly parse: (text: string) => number | undefined;
  readonly print: (units: number) => string;
}

export const decimalUnits = {
  pips: { places: PIPS_DECIMALS, parse: parsePips, print: pipsText },
  lots: { places: LOTS_DECIMALS, parse: parseLots, print: lotsText },
  micro: { places: MICRO_DECIMALS, parse: parseMicro, print: microText },
  /** A fee rate has the same unit as a price: 1e-4. */
  feeRate: { places: PIPS_DECIMALS, parse: parsePips, print: pipsText },
} as const satisfies Record<string, DecimalUnit>;

/** ISO 8601 date-time with milliseconds, in UTC. */
export function isoTime(tMs: number): string {
  return new Date(tMs).toISOString();
}

/** A time in the format of two keys of Polymarket's catalog markets: "2030-06-01 15:10:00+00", in whole seconds. */
export function databaseTime(tMs: number): string {
  return `${isoTime(tMs).slice(0, -'.000Z'.length).replace('T', ' ')}+00`;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A time as text, of which a day written as YYYY-MM-DD means its beginning. */
export const dateTimeText = (text: string): string => (DAY.test(text) ? `${text}T00:00:00Z` : text);

/** When a day written as YYYY-MM-DD begins, in ms; NaN if there is no such day, such as the 30th of February. */
export function dayStartMs(day: string): number {
  const tMs = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // Date.parse turns a day past a month's end into one of the next month.
  return !Number.isNaN(tMs) && isoTime(tMs).startsWith(day) ? tMs : Number.NaN;
}

/** A time in whole unix seconds, rounded down. */
export function unixSeconds(tMs: number): number {
  return Math.floor(tMs / 1000);
}

/** A time in whole unix seconds, as digits. */
export function secondsText(tMs: number): string {
  return String(unixSeconds(tMs));
}
