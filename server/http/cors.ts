// What browsers may do from pages of other origins: everything but /admin, /metrics and /dev, since no request here is
// authenticated by what a browser adds on its own. Called by handle.ts; it decides nothing about credentials.
import type { Endpoint } from './endpoint.ts';
import { BadRequest } from './errors.ts';
import { hostNameOf } from './host.ts';
import { httpLimits } from './limits.ts';

const HEADER_NAMES = /^[A-Za-z0-9_\-, ]*$/;

/** Whether pages of any origin may read the replies of an endpoint. */
export function isOpenToOrigins({ auth }: Endpoint): boolean {
  return auth !== 'admin' && auth !== 'watch' && auth !== 'dev';
}

/** Throws BadRequest when a page of another origin calls an endpoint that is for its own origin only. */
export function requireSameOrigin(origin: string, host: string): void {
  if (origin === '') return;
  const own = host.toLowerCase();
  if (origin.toLowerCase() === `http://${own}` || origin.toLowerCase() === `https://${own}`) return;
  const text = `this path takes no requests from pages of ${origin}, only from ${hostNameOf(host)} itself`;
  throw new BadRequest(text, { status: 401 });
}

/**
 * Headers of the answer to a preflight for a path that pages of any origin may use.
 * @param methods what the path answers to
 * @param asked the request headers that the page wants to send
 */
export function preflightHeaders(methods: readonly string[], asked: string): Readonly<Record<string, string>> {
  const isSane = asked.length <= httpLimits.preflightHeadersCharactersMax && HEADER_NAMES.test(asked);
  return {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': isSane && asked !== '' ? asked : '*',
    'access-control-max-age': '600',
  };
}
