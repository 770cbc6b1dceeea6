// What a row of endpoints.ts says of an endpoint: a right request, and the kind of each thing in it that can be wrong. Used
// by the files that hold rows and by the tests that spoil them.
import type { Level, Target } from './harness.ts';
import type { Kind } from './kinds.ts';

type Kinds = Readonly<Record<string, Kind>>;

export interface EndpointCase {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PUT' | 'PATCH';
  /** Path with its query, right in every part. */
  readonly path: (target: Target) => string;
  /** `l1` endpoints are signed by a wallet; development's are for anybody. */
  readonly level: Level | 'l1';
  /** A right body; absent where none is taken. */
  readonly body?: (target: Target) => unknown;
  /** Whether no body at all is right too. */
  readonly isBodyOptional?: boolean;
  /** Parameters of the query, all of them. */
  readonly query?: Kinds;
  /** Fields of the body, or of each element of a list. */
  readonly fields?: Kinds;
  /** Elements of a body that is a list of texts. */
  readonly items?: Kind;
  /** The one part of the path that varies. */
  readonly part?: Kind;
  /** Parameters and fields that must be there. */
  readonly required?: readonly string[];
  /** Status of the right request; 200 unless given. */
  readonly answers?: number;
}

/** What a row says beyond method, path and level. */
export type Extras = Omit<EndpointCase, 'method' | 'path' | 'level'>;

/** A row; a path that is the same for every target is given as it is. */
export const row = (
  method: EndpointCase['method'],
  path: string | EndpointCase['path'],
  level: EndpointCase['level'],
  more: Extras = {},
): EndpointCase => ({ method, path: typeof path === 'string' ? () => path : path, level, ...more });

/** Paths with the market's condition as a part. */
export const ofCondition =
  (before: string, after = ''): EndpointCase['path'] =>
  ({ market }) =>
    `${before}/${market.conditionId}${after}`;
