// The description of an endpoint in a row of endpoints.ts: a valid request, and the kind of each part of it that can be
// wrong. Used by the files that hold rows and by the tests that spoil them.
import type { Level, Target } from './harness.ts';
import type { Kind } from './kinds.ts';

type Kinds = Readonly<Record<string, Kind>>;

export interface EndpointCase {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';
  /** Path with its query, valid in every part. */
  readonly path: (target: Target) => string;
  /** `l1` endpoints are signed by a wallet; development's need no credentials. */
  readonly level: Level | 'l1';
  /** A valid body; absent where none is taken. */
  readonly body?: (target: Target) => unknown;
  /** Whether a request without a body is valid too. */
  readonly isBodyOptional?: boolean;
  /** All parameters of the query. */
  readonly query?: Kinds;
  /** Fields of the body, or of each element of a list. */
  readonly fields?: Kinds;
  /** Elements of a body that is a list of strings. */
  readonly items?: Kind;
  /** The one part of the path that varies. */
  readonly part?: Kind;
  /** Parameters and fields that must be present. */
  readonly required?: readonly string[];
  /** Status of the reply to the valid request; 200 unless given. */
  readonly status?: number;
}

/** The fields of a row besides method, path and level. */
export type Extras = Omit<EndpointCase, 'method' | 'path' | 'level'>;

/** A row; a path that is the same for every target is given as a string. */
export const row = (
  method: EndpointCase['method'],
  path: string | EndpointCase['path'],
  level: EndpointCase['level'],
  more: Extras = {},
): EndpointCase => ({ method, path: typeof path === 'string' ? () => path : path, level, ...more });

/** Paths with the market's condition id as a part. */
export const ofCondition =
  (before: string, after = ''): EndpointCase['path'] =>
  ({ market }) =>
    `${before}/${market.conditionId}${after}`;
