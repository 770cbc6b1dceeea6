// The query parameters of catalog lists (interface.md 4.2, catalog-and-data.md 6.1): parses each one, with its aliases,
// format and default, into plain values. Called by the routes of the catalog. Unknown parameters are ignored, and an empty
// value counts as absent. It does not check whether what they name exists.

import { isBytes32 } from '../auth/hex.ts';
import { isUint256Decimal } from '../auth/uint256.ts';
import { type ColumnsPlace, type ListForm, RowState, STATE_COUNT } from '../catalog/index.ts';
import { decimalDigits, parseWhole } from '../lib/decimals.ts';
import type { CatalogDialect } from './catalogDialects.ts';
import { dayStartMs } from './numbers.ts';

const LIST_LIMIT_DEFAULT = 20;
export const LIST_LIMIT_MAX = 100;
/** Most values of a list parameter. */
const LIST_VALUES_MAX = 500;
const SEARCH_LIMIT_DEFAULT = 25;
const SEARCH_CHARACTERS_MAX = 500;
/** Database numbers in Polymarket's clients stay below this. */
const NUMBER_MAX = 1e15;
/** A date, optionally with a time and a zone, as JSON or a database writes it; an unescaped "+" arrives as a space. */
const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|([ +-])(\d\d)(?::?(\d\d))?)?)?$/i;

/** A date-time in milliseconds, UTC if it names no zone; NaN if it is invalid, such as the 30th of February. */
function timeOf(text: string): number {
  const [, day = '', clock = '00:00', sign = '+', hours = '00', minutes = '00'] = DATE_TIME.exec(text) ?? [];
  if (Number.isNaN(dayStartMs(day))) return Number.NaN;
  return Date.parse(`${day}T${clock}${sign === ' ' ? '+' : sign}${hours}:${minutes}`);
}

/** What a whole number must be that is at least `min`. */
export const wholeFrom = (min: number): string => `must be a whole number from ${min} to ${Number.MAX_SAFE_INTEGER}`;

/** Reads one request's parameters and words its refusals in the request's dialect. */
export class QueryReader {
  readonly dialect: CatalogDialect;
  private readonly query: URLSearchParams;

  constructor(query: URLSearchParams, dialect: CatalogDialect) {
    this.query = query;
    this.dialect = dialect;
  }

  /** The first non-empty value under any of the names. */
  text(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const value = this.query.getAll(name).find((one) => one !== '');
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** All values under any of the names, repeated or comma-separated, without duplicates. @throws BadRequest for too many */
  texts(...names: readonly string[]): readonly string[] | undefined {
    const values = names.flatMap((name) => this.query.getAll(name)).flatMap((value) => value.split(','));
    const given = [...new Set(values.map((value) => value.trim()).filter((value) => value !== ''))];
    if (given.length > LIST_VALUES_MAX) throw this.dialect.invalid(names[0], `must name at most ${LIST_VALUES_MAX}`);
    return given.length === 0 ? undefined : given;
  }

  whole(name: string, min = 0): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = parseWhole(text);
    if (value === undefined || value < min) throw this.dialect.invalid(name, wholeFrom(min));
    return value;
  }

  wholes(...names: readonly string[]): readonly number[] | undefined {
    return this.texts(...names)?.map((text) => {
      const value = parseWhole(text);
      if (value === undefined) throw this.dialect.invalid(names[0], wholeFrom(0));
      return value;
    });
  }

  flag(name: string): boolean | undefined {
    const text = this.text(name)?.toLowerCase();
    if (text === undefined) return undefined;
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
    throw this.dialect.invalid(name, 'must be true or false');
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = decimalDigits(text.replace(/^-/, '')) === undefined ? Number.NaN : Number(text);
    if (!(Math.abs(value) <= NUMBER_MAX)) {
      throw this.dialect.invalid(name, `must be a decimal number from -${NUMBER_MAX} to ${NUMBER_MAX}`);
    }
    return value;
  }

  /** A date-time, in milliseconds. */
  time(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const ms = timeOf(text);
    if (Number.isNaN(ms)) throw this.dialect.invalid(name, 'must be an ISO 8601 date or date-time');
    return ms;
  }

  conditionIds(...names: readonly string[]): readonly string[] | undefined {
    for (const name of names) {
      const isRight = this.texts(name)?.every(isBytes32) ?? true;
      if (!isRight) throw this.dialect.invalid(name, 'must be 0x and 64 hex digits');
    }
    return this.texts(...names)?.map((text) => text.toLowerCase());
  }

  tokenIds(name: string): readonly string[] | undefined {
    return this.texts(name)?.map((text) => {
      if (!isUint256Decimal(text)) throw this.dialect.invalid(name, 'must be a decimal token id');
      return BigInt(text).toString();
    });
  }
}

interface StateDefaults {
  readonly closed?: boolean | undefined;
}

/** The wanted states as a bit mask. Drafts are excluded unless `active=false` asks for them. */
function readStates(reader: QueryReader, defaults: StateDefaults): number {
  const active = reader.flag('active') ?? true;
  const closed = reader.flag('closed') ?? defaults.closed;
  const archived = reader.flag('archived');
  let states = 0;
  for (let state = 0; state < STATE_COUNT; state += 1) {
    const fits = (wanted: boolean | undefined, bit: number): boolean =>
      wanted === undefined || wanted === ((state & bit) !== 0);
    const isFit = fits(active, RowState.ACTIVE) && fits(closed, RowState.CLOSED) && fits(archived, RowState.ARCHIVED);
    if (isFit) states |= 1 << state;
  }
  return states;
}

function readLimit(reader: QueryReader): number {
  return Math.min(reader.whole('limit') ?? LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX);
}

/** Aliases of sort columns. */
const COLUMN_ALIASES: Readonly<Record<string, string>> = {
  volumeNum: 'volume',
  liquidityNum: 'liquidity',
  volume24Hr: 'volume24hr',
  startDateIso: 'startDate',
  endDateIso: 'endDate',
  creationDate: 'createdAt',
};
const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const BY_NUMBER: readonly string[] = ['id'];

/** The column that a name stands for, in snake case or camel case; undefined if it is not one of `columns`. */
function columnNamed(name: string, columns: readonly string[]): string | undefined {
  const plain = camelCase(name);
  const column = Object.hasOwn(COLUMN_ALIASES, plain) ? COLUMN_ALIASES[plain] : plain;
  return columns.includes(column) ? column : undefined;
}

/** The columns of `order` without duplicates; undefined if none is named. */
function columnsOf(reader: QueryReader, columns: readonly string[]): readonly string[] | undefined {
  const names = reader.texts('order');
  const known = names?.map((name) => {
    const isAllowed = reader.dialect.takesSnakeCase || !name.includes('_');
    const column = isAllowed ? columnNamed(name, columns) : undefined;
    if (column === undefined) throw reader.dialect.invalidOrder(columns);
    return column;
  });
  return known && [...new Set(known)];
}

/** The form of an offset list: descending by default, or by ascending number if no column is named. */
export function readList(
  reader: QueryReader,
  columns: readonly string[],
  keysetPath: string | undefined,
  defaults: StateDefaults,
): ListForm {
  const named = columnsOf(reader, columns);
  const isRising = reader.flag('ascending') ?? named === undefined;
  const offset = reader.whole('offset') ?? 0;
  const { offsetMax } = reader.dialect;
  if (offsetMax !== undefined && offset > offsetMax) throw reader.dialect.offsetTooLarge(keysetPath, offsetMax);
  const states = readStates(reader, defaults);
  return { states, columns: named ?? BY_NUMBER, isRising, limit: readLimit(reader), offset, after: undefined };
}

/** The form of a keyset list, which continues after a cursor; ascending by default. */
export function readKeyset(reader: QueryReader, columns: readonly string[], defaults: StateDefaults): ListForm {
  if (reader.text('offset') !== undefined) throw reader.dialect.offsetOnKeyset();
  const named = columnsOf(reader, columns) ?? BY_NUMBER;
  const isRising = reader.flag('ascending') ?? true;
  const cursor = reader.text('after_cursor');
  const after = cursor === undefined ? undefined : parsePlace(cursor, named, isRising);
  if (cursor !== undefined && after === undefined) {
    throw reader.dialect.invalid('after_cursor', 'must be the next_cursor of a page with the same sort order');
  }
  const states = readStates(reader, defaults);
  return { states, columns: named, isRising, limit: Math.max(1, readLimit(reader)), offset: 0, after };
}

/** The cursor that encodes a place in a list. */
export function formatPlace({ columns, isRising }: ListForm, { keys, row }: ColumnsPlace): string {
  return Buffer.from(JSON.stringify([columns.join(), isRising, keys.map((key) => key ?? null), row])).toString(
    'base64url',
  );
}

function parsePlace(cursor: string, columns: readonly string[], isRising: boolean): ColumnsPlace | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(parts) || parts.length !== 4) return undefined;
    const [names, direction, keys, row]: readonly unknown[] = parts;
    if (names !== columns.join() || direction !== isRising) return undefined;
    if (typeof row !== 'number' || !Number.isSafeInteger(row) || row < 0) return undefined;
    if (!Array.isArray(keys) || keys.length !== columns.length) return undefined;
    if (!keys.every((key) => key === null || (typeof key === 'number' && Number.isFinite(key)))) return undefined;
    return { keys: keys.map((key: number | null) => key ?? undefined), row };
  } catch {
    return undefined;
  }
}

export interface SearchForm {
  readonly text: string;
  readonly limit: number;
  /** From 1. */
  readonly page: number;
  readonly hasTags: boolean;
  readonly creator: string | undefined;
  /** Only closed events if true, only open ones if false, both if undefined. */
  readonly closed: boolean | undefined;
  /** Whether events are returned in their slim form. */
  readonly isSlim: boolean;
  /** The sort column of events; undefined = by relevance, best first. */
  readonly column: string | undefined;
  readonly isRising: boolean;
}

const BY_RELEVANCE = 'relevance';

/** The sort column of a search; production's clients write its name in snake case, as database columns. */
function sortColumn(reader: QueryReader, columns: readonly string[]): string | undefined {
  const name = reader.text('sort') ?? BY_RELEVANCE;
  if (name === BY_RELEVANCE) return undefined;
  const column = columnNamed(name, columns);
  if (column === undefined) {
    throw reader.dialect.invalid('sort', `must be ${BY_RELEVANCE} or one of ${columns.join(', ')}`);
  }
  return column;
}

/**
 * Parses a search. `search_profiles` is accepted and has no effect.
 * @param columns the columns that events can be sorted by
 */
export function readSearch(reader: QueryReader, columns: readonly string[]): SearchForm {
  const text = reader.text('q')?.trim() ?? '';
  if (text === '') throw reader.dialect.missingQuery();
  if (text.length > SEARCH_CHARACTERS_MAX) {
    throw reader.dialect.invalid('q', `must have at most ${SEARCH_CHARACTERS_MAX} characters`);
  }
  const page = reader.whole('page', 1) ?? 1;
  reader.flag('search_profiles');
  const status = reader.text('events_status')?.toLowerCase();
  const closed = status === 'active' ? false : status === 'closed' || status === 'resolved' ? true : undefined;
  // At least one row, as on keyset pages, or a client that pages while there is more would never finish.
  const limit = Math.min(Math.max(1, reader.whole('limit_per_type') ?? SEARCH_LIMIT_DEFAULT), LIST_LIMIT_MAX);
  const hasTags = reader.flag('search_tags') ?? true;
  const isSlim = reader.flag('optimized') ?? false;
  const column = sortColumn(reader, columns);
  const isRising = reader.flag('ascending') ?? false;
  return { text, limit, page, hasTags, creator: reader.text('creator'), closed, isSlim, column, isRising };
}

/**
 * The events by which tags are related: open ones, closed ones, or all. `omit_empty` is accepted and has no effect, since
 * every related tag has events.
 */
export function readRelated(reader: QueryReader): { readonly closed: boolean | undefined } {
  reader.flag('omit_empty');
  const status = reader.text('status')?.toLowerCase() ?? 'all';
  if (status !== 'all' && status !== 'active' && status !== 'closed') {
    throw reader.dialect.invalid('status', 'must be active, closed or all');
  }
  return { closed: status === 'all' ? undefined : status === 'closed' };
}

/** Whether rows must have all of the requested tags instead of any of them. */
export function requiresAllTags(reader: QueryReader): boolean {
  const match = reader.text('tag_match')?.toLowerCase() ?? 'any';
  if (match !== 'any' && match !== 'all') throw reader.dialect.invalid('tag_match', 'must be any or all');
  return match === 'all';
}

/** Whether the request filters by something that no row here has, such as a game, a partner or a user as its maker. */
export function hasForeignFilter(reader: QueryReader, names: readonly string[], flags: readonly string[]): boolean {
  const named = names.map((name) => reader.texts(name) !== undefined);
  return [...named, ...flags.map((name) => reader.flag(name) ?? false)].includes(true);
}
