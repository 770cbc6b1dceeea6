// The check of --url, the address of a running exchange. Used by import and by replay. It sends nothing: whether an exchange
// answers there shows with the first request.
import { fatal } from './fatal.ts';

const EXAMPLE = 'http://127.0.0.1:8080';

/**
 * Parses the address of a running exchange, which is served from the root of its host and port.
 * @param protocols those that the caller can speak, with their colon
 * @throws FatalError for another protocol, credentials (a command line is seen by every user), a path, a query or a fragment
 */
export function exchangeUrl(text: string, protocols: readonly ('http:' | 'https:')[]): URL {
  const url = URL.parse(text);
  if (url === null || !protocols.some((protocol) => protocol === url.protocol)) {
    const schemes = protocols.map((protocol) => `${protocol}//`).join(' or ');
    fatal('usage', `--url must be an ${schemes} address such as ${EXAMPLE}; it is ${text}.`);
  }
  if (url.username !== '' || url.password !== '') {
    fatal(
      'usage',
      '--url must not contain a user name or password; pass the token in --admin-token or OUTCRY_ADMIN_TOKEN.',
    );
  }
  if (url.href !== `${url.origin}/`) {
    fatal(
      'usage',
      `--url must end with the host and port, as ${EXAMPLE} does, because an exchange is served from their root; it is ${text}.`,
    );
  }
  return url;
}
