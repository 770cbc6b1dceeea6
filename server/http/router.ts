// Finds the path entry of the endpoint table for a request: exact paths by one lookup, paths with `{name}` parts by their
// segments. Called once a request by handle.ts. Matching is exact: slashes are not normalized.

import { BadRequest } from '../wire/badRequest.ts';
import { isOpenToOrigins } from './cors.ts';
import type { Endpoint, Method } from './endpoint.ts';

/** The endpoints of a path. */
export interface PathEntry {
  readonly byMethod: ReadonlyMap<Method, Endpoint>;
  /** For the Allow header: the path's methods, HEAD if it has GET, and OPTIONS. */
  readonly allowed: readonly string[];
  /** Whether pages of any origin may read the path's replies. */
  readonly isOpen: boolean;
}

interface Route {
  readonly entry: PathEntry;
  /** Values of the `{name}` parts. */
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  /** Literal text, or the name of a part. */
  readonly segments: readonly { readonly name: string | undefined; readonly text: string }[];
  readonly entry: PathEntry;
}

export type Router = (path: string) => Route | undefined;

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

function groupByPath(endpoints: readonly Endpoint[]): Map<string, PathEntry> {
  const methods = new Map<string, Map<Method, Endpoint>>();
  for (const endpoint of endpoints) {
    const byMethod = methods.get(endpoint.path) ?? new Map<Method, Endpoint>();
    if (byMethod.has(endpoint.method))
      throw new Error(`endpoints: ${endpoint.method} ${endpoint.path} is defined twice`);
    byMethod.set(endpoint.method, endpoint);
    methods.set(endpoint.path, byMethod);
  }
  const entries = new Map<string, PathEntry>();
  for (const [path, byMethod] of methods) {
    const allowed = [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const isOpen = [...byMethod.values()].every(isOpenToOrigins);
    entries.set(path, { byMethod, allowed: [...allowed, 'OPTIONS'], isOpen });
  }
  return entries;
}

function patternOf(path: string, entry: PathEntry): Pattern {
  const segments = path.split('/').map((text) => {
    const isNamed = text.startsWith('{') && text.endsWith('}');
    return { name: isNamed ? text.slice(1, -1) : undefined, text };
  });
  return { segments, entry };
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new BadRequest(`the path has a malformed percent sequence in ${JSON.stringify(segment)}`);
  }
}

function match(pattern: Pattern, parts: readonly string[]): Readonly<Record<string, string>> | undefined {
  const { segments } = pattern;
  if (!segments.every(({ name, text }, index) => (name === undefined ? text === parts[index] : parts[index] !== ''))) {
    return undefined;
  }
  return Object.fromEntries(
    segments.flatMap(({ name }, index) => (name === undefined ? [] : [[name, decode(parts[index])] as const])),
  );
}

/**
 * The router over a table. Exact paths win over patterns; of several matching patterns the first in the table wins. The
 * router throws BadRequest on a malformed percent sequence.
 */
export function makeRouter(endpoints: readonly Endpoint[]): Router {
  const exact = new Map<string, Route>();
  const bySegmentCount = new Map<number, Pattern[]>();
  for (const [path, entry] of groupByPath(endpoints)) {
    if (!path.includes('{')) {
      exact.set(path, { entry, params: NO_PARAMS });
      continue;
    }
    const pattern = patternOf(path, entry);
    const sameLength = bySegmentCount.get(pattern.segments.length) ?? [];
    sameLength.push(pattern);
    bySegmentCount.set(pattern.segments.length, sameLength);
  }
  return (path) => {
    const route = exact.get(path);
    if (route !== undefined) return route;
    const parts = path.split('/');
    for (const pattern of bySegmentCount.get(parts.length) ?? []) {
      const params = match(pattern, parts);
      if (params !== undefined) return { entry: pattern.entry, params };
    }
    return undefined;
  };
}
