// Access for browser pages of other origins: all endpoints but /admin, /metrics and /dev, since no request here is
// authenticated by anything that a browser adds on its own. Called by handle.ts; it decides nothing about credentials.

import { BadRequest } from '../wire/badRequest.ts';
import type { Endpoint } from './endpoint.ts';
import { httpLimits } from './limits.ts';

const HEADER_NAMES = /^[A-Za-z0-9_\-, ]*$/;

/** Whether pages of any origin may read an endpoint's replies. */
export function isOpenToOrigins({ auth }: Endpoint): boolean {
  return auth !== 'admin' && auth !== 'watch' && auth !== 'dev';
}

/** Throws BadRequest if a page of another origin calls an endpoint restricted to its own origin. */
export function requireSameOrigin(origin: string, host: string): void {
  if (origin === '') return;
  const own = host.toLowerCase();
  if (origin.toLowerCase() === `http://${own}` || origin.toLowerCase() === `https://${own}`) return;
  const text = `this path does not accept requests from pages of ${origin}, only from pages of ${own}`;
  throw new BadRequest(text, { status: 401 });
}

/**
 * Headers of the reply to a preflight for a path open to all origins.
 * @param methods the methods of the path
 * @param requested the names of the request headers that the page wants to send
 */
export function preflightHeaders(methods: readonly string[], requested: string): Readonly<Record<string, string>> {
  const isSane = requested.length <= httpLimits.preflightHeadersCharactersMax && HEADER_NAMES.test(requested);
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': isSane && requested !== '' ? requested : '*',
    'access-control-max-age': '600',
  };
}
