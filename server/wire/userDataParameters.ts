// The parameters of a user-data request, each parsed into its meaning (interface.md 4.1, 7, 8; catalog-and-data.md 2, 3, 7,
// 8) under the rules of one dialect: the root accepts only its own parameters; the mount also accepts those of official
// clients and ignores the rest. Called by userDataQuery.ts. An empty value counts as absent; of a repeated parameter the
// first value counts; addresses, ids and words may be in any letter case.

import { isAddress, isBytes32 } from '../auth/hex.ts';
import { decimalDigits, parseWhole } from '../lib/decimals.ts';
import { BadRequest } from './badRequest.ts';
import {
  ACTIVITY_TYPES,
  type ActivityType,
  type HistoryQuery,
  type MarketScope,
  type PageQuery,
  THRESHOLD_UNITS,
  type TimeRange,
  type TradeThreshold,
} from './historyQueries.ts';
import { decimalUnits, microText } from './numbers.ts';

/** Kinds of queries that have a list of parameters: all except those for an order. */
export type AskedKind = Exclude<HistoryQuery['kind'], 'order' | 'original'>;

interface Bounds {
  readonly limitDefault: number;
  readonly limitMax: number;
  readonly offsetMax: number;
}

/** Rows of a page, and the largest offset, by kind. */
export const BOUNDS = {
  trades: { limitDefault: 100, limitMax: 10_000, offsetMax: 10_000 },
  positions: { limitDefault: 100, limitMax: 500, offsetMax: 10_000 },
  'closed-positions': { limitDefault: 10, limitMax: 50, offsetMax: 100_000 },
  activity: { limitDefault: 100, limitMax: 500, offsetMax: 10_000 },
  holders: { limitDefault: 100, limitMax: 500, offsetMax: 0 },
} as const satisfies Record<string, Bounds>;

/** The values of parameters that are not given; of amounts, in units. */
export const DEFAULTS = {
  takerOnly: true,
  redeemable: false,
  mergeable: false,
  sizeThreshold: 1,
  minBalance: 1,
  positionSort: 'TOKENS',
  closedPositionSort: 'REALIZEDPNL',
  activitySort: 'TIMESTAMP',
} as const;

/** Most condition ids or event ids in one request. */
const NAMES_MAX = 500;
export const TITLE_CHARACTERS_MAX = 100;
/** Most characters of an unknown parameter's name that the refusal shows. */
const SHOWN_NAME_CHARACTERS = 100;
const MICRO_DECIMALS = decimalUnits.micro.places;

export const DIRECTIONS = ['ASC', 'DESC', 'ASCENDING', 'DESCENDING'] as const;
/** Activity types that official clients may ask for but that never occur here. */
const FOREIGN_TYPES: readonly string[] = [
  'REWARD',
  'CONVERSION',
  'DEPOSIT',
  'WITHDRAWAL',
  'YIELD',
  'MAKER_REBATE',
  'TAKER_REBATE',
  'REFERRAL_REWARD',
  'MIGRATION',
  'TIP',
];

const PAGE = ['limit', 'offset'] as const;
const SORT = ['sortBy', 'sortDirection'] as const;

/** The documented parameters of each kind of query; not the keys of their schemas, since the historian's thread loads no zod. */
const DOCUMENTED: Readonly<Record<AskedKind, readonly string[]>> = {
  trades: [...PAGE, 'takerOnly', 'filterType', 'filterAmount', 'market', 'user', 'side'],
  positions: ['user', 'market', 'sizeThreshold', 'redeemable', 'mergeable', ...PAGE, ...SORT, 'title'],
  'closed-positions': ['user', 'market', 'title', ...PAGE, ...SORT],
  activity: ['user', ...PAGE],
  holders: ['market', 'limit', 'minBalance'],
  value: ['user', 'market'],
  traded: ['user'],
  oi: ['market'],
  'live-volume': ['id', 'market'],
};
/** Further parameters of official clients. */
const OFFICIAL: Readonly<Record<AskedKind, readonly string[]>> = {
  trades: ['eventId', 'start', 'end'],
  positions: ['eventId', 'includeArchived'],
  'closed-positions': ['eventId'],
  activity: ['market', 'eventId', 'type', 'excludeDepositsWithdrawals', 'start', 'end', ...SORT, 'side'],
  holders: [],
  value: [],
  traded: [],
  oi: [],
  'live-volume': [],
};

export const invalid = (name: string, allowed: string): BadRequest =>
  new BadRequest(`invalid_field: ${name} (${allowed})`);

/** The dialects' differences in handling a query's parameters. */
export interface ParameterRules {
  /** The names that are read; other names are refused or ignored. */
  readonly readNames: (kind: AskedKind, given: Iterable<string>) => readonly string[];
  readonly missing: (name: string) => BadRequest;
  /** The error for a required user that is not an address. */
  readonly noAddress: () => BadRequest;
  /** Handles a limit past its maximum: cuts or refuses it. */
  readonly excessiveLimit: (limitMax: number) => number;
  readonly excessiveOffset: (kind: keyof typeof BOUNDS, offsetMax: number) => BadRequest;
  /** Whether positions in archived markets are shown by default. */
  readonly includesArchived: boolean;
}

const wholeUpTo = (max: number): string => `a whole number from 0 to ${max}`;
const ADDRESS_FORM = '0x and 40 hex digits';

export const plainRules: ParameterRules = {
  readNames: (kind, given) => {
    const names = DOCUMENTED[kind];
    for (const name of given) {
      if (names.includes(name)) continue;
      throw new BadRequest(`unknown_field: ${name.slice(0, SHOWN_NAME_CHARACTERS)}`);
    }
    return names;
  },
  missing: (name) => new BadRequest(`missing_field: ${name}`),
  noAddress: () => invalid('user', ADDRESS_FORM),
  excessiveLimit: (limitMax) => {
    throw invalid('limit', wholeUpTo(limitMax));
  },
  excessiveOffset: (_kind, offsetMax) => invalid('offset', wholeUpTo(offsetMax)),
  includesArchived: true,
};

const notProvided = (name: string): BadRequest => new BadRequest(`required query param '${name}' not provided`);

export const officialRules: ParameterRules = {
  readNames: (kind) => [...DOCUMENTED[kind], ...OFFICIAL[kind]],
  missing: notProvided,
  noAddress: () => notProvided('user'),
  excessiveLimit: (limitMax) => limitMax,
  excessiveOffset: (kind, offsetMax) =>
    kind === 'trades' || kind === 'activity'
      ? new BadRequest(`max historical activity offset of ${offsetMax} exceeded`)
      : invalid('offset', wholeUpTo(offsetMax)),
  includesArchived: false,
};

/** The parameters of one request. */
export class Parameters {
  private readonly query: URLSearchParams;
  private readonly rules: ParameterRules;
  private readonly names: readonly string[];

  /** @throws BadRequest for a name that the rules refuse */
  constructor(kind: AskedKind, query: URLSearchParams, rules: ParameterRules) {
    this.query = query;
    this.rules = rules;
    this.names = rules.readNames(kind, query.keys());
  }

  text(name: string): string | undefined {
    return this.names.includes(name) ? this.query.get(name) || undefined : undefined; // '' counts as absent
  }

  required(name: string): string {
    const text = this.text(name);
    if (text === undefined) throw this.rules.missing(name);
    return text;
  }

  user(): string {
    const text = this.required('user');
    if (!isAddress(text)) throw this.rules.noAddress();
    return text.toLowerCase();
  }

  optionalUser(): string | undefined {
    const text = this.text('user');
    if (text === undefined) return undefined;
    if (!isAddress(text)) throw invalid('user', ADDRESS_FORM);
    return text.toLowerCase();
  }

  /** A whole number; infinite if it has more digits than any maximum. */
  private whole(name: string, max: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^\d+$/.test(text)) throw invalid(name, wholeUpTo(max));
    return parseWhole(text) ?? Number.POSITIVE_INFINITY;
  }

  limit(kind: keyof typeof BOUNDS): number {
    const { limitDefault, limitMax } = BOUNDS[kind];
    const limit = this.whole('limit', limitMax) ?? limitDefault;
    return limit <= limitMax ? limit : this.rules.excessiveLimit(limitMax);
  }

  page(kind: keyof typeof BOUNDS): PageQuery {
    const limit = this.limit(kind);
    const { offsetMax } = BOUNDS[kind];
    const offset = this.whole('offset', offsetMax) ?? 0;
    if (offset > offsetMax) throw this.rules.excessiveOffset(kind, offsetMax);
    return { limit, offset };
  }

  /** A decimal with any number of places as micro, rounded up: no amount lies between two micro. */
  microCeiling(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const digits = decimalDigits(text);
    if (digits !== undefined) {
      const [whole, fraction] = digits;
      const kept = fraction.slice(0, MICRO_DECIMALS).padEnd(MICRO_DECIMALS, '0');
      const more = /[1-9]/.test(fraction.slice(MICRO_DECIMALS)) ? 1 : 0;
      const micro = (parseWhole(whole + kept) ?? Number.POSITIVE_INFINITY) + more;
      if (micro <= Number.MAX_SAFE_INTEGER) return micro;
    }
    throw invalid(name, `a decimal number from 0 to ${microText(Number.MAX_SAFE_INTEGER)}`);
  }

  flag(name: string, otherwise: boolean): boolean {
    const text = this.text(name)?.toLowerCase();
    if (text === undefined) return otherwise;
    if (text !== 'true' && text !== 'false') throw invalid(name, 'true or false');
    return text === 'true';
  }

  /** One of the given words, in any letter case. */
  word<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const text = this.text(name)?.toUpperCase();
    if (text === undefined) return undefined;
    const word = words.find((one) => one === text);
    if (word === undefined) throw invalid(name, words.join(', '));
    return word;
  }

  isAscending(): boolean {
    return this.word('sortDirection', DIRECTIONS)?.startsWith('ASC') ?? false;
  }

  title(): string | undefined {
    const text = this.text('title');
    if (text !== undefined && [...text].length > TITLE_CHARACTERS_MAX) {
      throw invalid('title', `at most ${TITLE_CHARACTERS_MAX} characters`);
    }
    return text;
  }

  /** Condition ids in the given order, without duplicates. */
  conditionIds(): readonly string[] | undefined {
    const ids = this.text('market')?.split(',');
    if (ids === undefined) return undefined;
    if (ids.length > NAMES_MAX || !ids.every(isBytes32)) {
      throw invalid('market', `1 to ${NAMES_MAX} comma-separated condition ids, each 0x and 64 hex digits`);
    }
    return [...new Set(ids.map((id) => id.toLowerCase()))];
  }

  eventNumbers(name: 'eventId' | 'id'): readonly number[] | undefined {
    const texts = this.text(name)?.split(',');
    if (texts === undefined) return undefined;
    const max = name === 'id' ? 1 : NAMES_MAX;
    const numbers = texts.map((text) => parseWhole(text) ?? 0);
    if (numbers.length > max || numbers.includes(0)) {
      throw invalid(name, max === 1 ? 'an event id' : `1 to ${max} comma-separated event ids`);
    }
    return [...new Set(numbers)];
  }

  scope(eventName: 'eventId' | 'id' = 'eventId'): MarketScope {
    const conditionIds = this.conditionIds();
    const eventNumbers = this.eventNumbers(eventName);
    if (conditionIds !== undefined && eventNumbers !== undefined) {
      throw invalid(eventName, `market and ${eventName} are mutually exclusive`);
    }
    return { conditionIds, eventNumbers };
  }

  /** A range in whole unix seconds; both ends are inclusive, the last through its final millisecond. */
  range(): TimeRange {
    const [start, end] = ['start', 'end'].map((name) => {
      const text = this.text(name);
      const value = text === undefined ? undefined : parseWhole(text);
      if (text !== undefined && value === undefined) throw invalid(name, 'whole unix seconds');
      return value;
    });
    if (start !== undefined && end !== undefined && start > end) throw invalid('start', `at most end, which is ${end}`);
    const startMs = start === undefined ? undefined : Math.min(start * 1_000, Number.MAX_SAFE_INTEGER);
    const endMs = end === undefined ? undefined : Math.min(end * 1_000 + 999, Number.MAX_SAFE_INTEGER);
    return { startMs, endMs };
  }

  /** The trade threshold; requires both parameters or neither. */
  threshold(): TradeThreshold | undefined {
    const unit = this.word('filterType', THRESHOLD_UNITS);
    const micro = this.microCeiling('filterAmount');
    if (unit === undefined && micro === undefined) return undefined;
    if (unit === undefined) throw this.rules.missing('filterType');
    if (micro === undefined) throw this.rules.missing('filterAmount');
    return { unit, micro };
  }

  /** Undefined = all types; empty if all the requested types never occur here. */
  activityTypes(): readonly ActivityType[] | undefined {
    const texts = this.text('type')?.split(',');
    if (texts === undefined) return undefined;
    const asked = texts.map((text) => text.toUpperCase());
    const known: readonly string[] = ACTIVITY_TYPES;
    if (!asked.every((type) => known.includes(type) || FOREIGN_TYPES.includes(type))) {
      throw invalid('type', [...ACTIVITY_TYPES, ...FOREIGN_TYPES].join(', '));
    }
    return ACTIVITY_TYPES.filter((type) => asked.includes(type));
  }
}
