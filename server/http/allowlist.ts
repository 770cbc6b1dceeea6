// Which address a request comes from, and who may call the endpoints that are for listed addresses alone (interface.md 5,
// 7). Called by handle.ts while uWebSockets' request lives. What a client says of its own address counts for nothing:
// X-Forwarded-For is read only where the connection comes from a configured proxy.
import type { HttpRequest as UwsRequest } from 'uWebSockets.js';
import type { ServerConfig } from '../config/config.ts';
import { BadRequest } from './errors.ts';
import { networkSet } from './networks.ts';

/** Throws BadRequest (401) when this address is not on the list. */
export type AddressGuard = (address: string) => void;

const PORT_SUFFIX = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/** Addresses that proxies wrote down, the nearest last. Every header of that name counts: proxies add lines, too. */
function forwardedAddresses(req: Pick<UwsRequest, 'forEach'>): readonly string[] {
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value);
  });
  if (lines.length === 0) return [];
  return lines.flatMap((line) => line.split(',')).map((text) => withoutPort(text.trim()));
}

/** `a.b.c.d:port` and `[v6]:port` without brackets and port; anything else as it is. */
function withoutPort(text: string): string {
  const match = PORT_SUFFIX.exec(text);
  return match === null ? text : (match[1] ?? match[2]);
}

/**
 * The address that a request comes from: going back from the connection, the first that is no trusted proxy; where all
 * are proxies, the farthest.
 * @param forwarded what X-Forwarded-For says, the nearest last; asked for only when the peer is trusted
 */
export function clientAddressOf(
  peer: string,
  forwarded: () => readonly string[],
  isTrusted: (address: string) => boolean,
): string {
  if (!isTrusted(peer)) return peer;
  const addresses = forwarded();
  return addresses.findLast((address) => !isTrusted(address)) ?? addresses[0] ?? peer;
}

/** The address that a request comes from, by the peer of its connection and its headers. */
export type AddressReader = (peer: string, req: Pick<UwsRequest, 'forEach'>) => string;

/** Looks behind the proxies that a configuration trusts; undefined where there are none: then it is the peer. */
export function forwardedReader({ trustedProxies }: Pick<ServerConfig, 'trustedProxies'>): AddressReader | undefined {
  if (trustedProxies.length === 0) return undefined;
  const isTrusted = networkSet(trustedProxies);
  return (peer, req) => clientAddressOf(peer, () => forwardedAddresses(req), isTrusted);
}

/** The guard that a configuration asks for; undefined where there is no list. */
export function addressGuard({ ipAllowlist }: Pick<ServerConfig, 'ipAllowlist'>): AddressGuard | undefined {
  if (ipAllowlist === undefined) return undefined;
  const isAllowed = networkSet(ipAllowlist);
  return (address) => {
    if (!isAllowed(address)) throw new BadRequest('unauthorized: ip_not_allowlisted', { status: 401 });
  };
}
