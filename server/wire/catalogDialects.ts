// The two forms of the catalog: interface.md 2.1 to 2.3 and 7 on the root paths, and catalog-and-data.md 6 to 8 on the
// mount /gamma, as official clients know it. One object each, picked where the routes are made. The shape of a record, the
// defaults of a list and the wording of a refusal are decided here and nowhere else.

import type { EventRow, Market } from '../views/index.ts';
import { BadRequest } from './badRequest.ts';
import {
  appendEvent,
  appendEventSummary,
  appendLongEvent,
  appendMarketEvent,
  appendMarketlessEvent,
  appendOfficialMarketEvent,
  asLong,
  type LongShape,
  marketWith,
  type Shape,
} from './catalogTexts.ts';

export interface CatalogDialect {
  /** The prefix of its paths. */
  readonly mount: '' | '/gamma';
  readonly marketInList: Shape<Market>;
  readonly oneMarket: Shape<Market>;
  readonly eventInList: LongShape<EventRow>;
  /** An event for requests that exclude markets. */
  readonly marketlessEvent: LongShape<EventRow>;
  readonly oneEvent: LongShape<EventRow>;
  readonly foundEvent: LongShape<EventRow>;
  readonly eventInSeries: LongShape<EventRow>;
  /** An event in the results of an optimized search. */
  readonly slimEvent: LongShape<EventRow>;
  /** The default of the `closed` filter of GET /markets; undefined = open and closed markets. */
  readonly closedMarketsDefault: boolean | undefined;
  /** Largest offset of a list; undefined for no limit. */
  readonly offsetMax: number | undefined;
  /** The refusal of a parameter: its name, and what it must be. */
  readonly invalid: (name: string, must: string) => BadRequest;
  readonly missingQuery: () => BadRequest;
  readonly invalidOrder: (columns: readonly string[]) => BadRequest;
  /** Names the keyset list that can page further, undefined if there is none, and the largest offset. */
  readonly offsetTooLarge: (keysetPath: string | undefined, max: number) => BadRequest;
  readonly offsetOnKeyset: () => BadRequest;
  /** The refusal for a record that does not exist. */
  readonly notFound: (what: 'id' | 'slug' | 'profile') => BadRequest;
  /** The refusal for a malformed or missing address. */
  readonly invalidAddress: () => BadRequest;
  /** Whether sort columns of lists may be named in snake case. */
  readonly takesSnakeCase: boolean;
  /** Whether a condition id may stand in place of a market's number. */
  readonly takesConditionIds: boolean;
}

const refusal =
  (status: number, type: string) =>
  (text: string): BadRequest =>
    new BadRequest(text, { status, extra: { type } });
const notFoundRefusal = refusal(404, 'not found error');
const badRequest = refusal(400, 'bad request');
const sharedRefusals = {
  notFound: (what: 'id' | 'slug' | 'profile'): BadRequest => notFoundRefusal(`${what} not found`),
  invalidAddress: (): BadRequest => badRequest('invalid address'),
};

/** The root paths. */
export const rootCatalog: CatalogDialect = {
  mount: '',
  marketInList: marketWith(appendEventSummary),
  oneMarket: marketWith(appendMarketEvent),
  eventInList: asLong(appendEvent),
  marketlessEvent: asLong(appendEvent),
  oneEvent: appendLongEvent,
  foundEvent: asLong(appendEventSummary),
  eventInSeries: asLong(appendEventSummary),
  slimEvent: asLong(appendEventSummary),
  closedMarketsDefault: undefined,
  offsetMax: undefined,
  invalid: (name, must) => badRequest(`invalid_field: ${name}: it ${must}`),
  missingQuery: () => badRequest('q is required'),
  invalidOrder: (columns) => badRequest(`invalid_field: order: it must be one of ${columns.join(', ')}`),
  offsetTooLarge: (keysetPath, max) =>
    badRequest(
      `invalid_field: offset: it must be at most ${max}${keysetPath === undefined ? '' : `; use ${keysetPath}`}`,
    ),
  offsetOnKeyset: () => badRequest('invalid_field: offset: it is not allowed on keyset endpoints; use after_cursor'),
  ...sharedRefusals,
  takesSnakeCase: true,
  takesConditionIds: true,
};

const validationError = refusal(422, 'validation error');

/** The mount that official catalog clients use. */
export const gammaCatalog: CatalogDialect = {
  mount: '/gamma',
  marketInList: marketWith(appendOfficialMarketEvent),
  oneMarket: marketWith(appendOfficialMarketEvent),
  eventInList: appendLongEvent,
  marketlessEvent: appendMarketlessEvent,
  oneEvent: appendLongEvent,
  foundEvent: appendLongEvent,
  eventInSeries: asLong(appendMarketEvent),
  slimEvent: asLong(appendMarketEvent),
  closedMarketsDefault: false,
  offsetMax: 2_000,
  invalid: (name) => validationError(`${name} is invalid`),
  missingQuery: () => validationError('query argument "q": empty'),
  invalidOrder: () => validationError('order fields are not valid'),
  // Polymarket's own text names the path without the mount.
  offsetTooLarge: (keysetPath, max) =>
    validationError(
      `offset too large, ${keysetPath === undefined ? `at most ${max}` : `use ${keysetPath} for deeper pagination`}`,
    ),
  offsetOnKeyset: () => validationError('offset is not allowed on keyset endpoints'),
  ...sharedRefusals,
  takesSnakeCase: false,
  takesConditionIds: false,
};
