// The Host names that a loopback development server answers to, so that a web page cannot reach it under a name of its own
// (DNS rebinding). Called before anything else by handle.ts and by streams/admission.ts. It never looks at the port.
import { isLoopback, isPrivate, type ServerConfig } from '../config/config.ts';
import { BadRequest } from '../wire/badRequest.ts';

/** Throws BadRequest (421) if the Host of a request is not served. */
export type HostGuard = (host: string) => void;

/** The name in a Host header: lower case, without port and final dot; brackets of IPv6 stay. */
function hostNameOf(host: string): string {
  const text = host.trim().toLowerCase();
  const end = text.startsWith('[') ? text.indexOf(']') + 1 : text.indexOf(':');
  return (end > 0 ? text.slice(0, end) : text).replace(/\.$/, '');
}

/** The guard for a configuration; undefined unless it is development bound to a loopback address. */
export function hostGuard(config: Pick<ServerConfig, 'mode' | 'host' | 'allowHosts'>): HostGuard | undefined {
  if (!isPrivate(config.mode, config.host)) return undefined;
  const allowed = new Set(config.allowHosts.map(hostNameOf));
  let lastAccepted: string | undefined;
  return (host) => {
    if (host === lastAccepted) return;
    const name = hostNameOf(host);
    if (!isLoopback(name) && !name.endsWith('.localhost') && !allowed.has(name)) {
      const text =
        name === ''
          ? 'the Host header is empty; use 127.0.0.1 or a host name given with --allow-host'
          : `host ${name} is not served here; use 127.0.0.1 or start with --allow-host ${name}`;
      throw new BadRequest(text, { status: 421 });
    }
    lastAccepted = host;
  };
}
