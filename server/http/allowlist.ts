// Determines the address that a request comes from, and guards the endpoints that only listed addresses may call
// (interface.md 5, 7). Called by handle.ts, and by streams/admission.ts for the address alone, while uWebSockets' request is
// valid. A client's own claims about its address are ignored: X-Forwarded-For is read only if the connection comes from a
// configured proxy.
import type { HttpRequest as UwsRequest } from 'uWebSockets.js';
import type { ServerConfig } from '../config/config.ts';
import { networkSet } from '../lib/networks.ts';
import { BadRequest } from '../wire/badRequest.ts';

/** Throws BadRequest (401) if the address is not on the list. */
export type AddressGuard = (address: string) => void;

const PORT_SUFFIX = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/;

/** Addresses recorded by proxies, the nearest last. Every header of that name counts, since proxies also add lines. */
function forwardedAddresses(req: Pick<UwsRequest, 'forEach'>): readonly string[] {
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === 'x-forwarded-for') lines.push(value);
  });
  if (lines.length === 0) return [];
  return lines.flatMap((line) => line.split(',')).map((text) => withoutPort(text.trim()));
}

/** `a.b.c.d:port` and `[v6]:port` without brackets and port; anything else unchanged. */
function withoutPort(text: string): string {
  const match = PORT_SUFFIX.exec(text);
  return match === null ? text : (match[1] ?? match[2]);
}

/**
 * The address that a request comes from: starting at the connection's peer, the first that is not a trusted proxy; if all
 * are, the farthest.
 * @param forwarded the addresses in X-Forwarded-For, the nearest last; called only if the peer is trusted
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

/** Reads the address that a request comes from, given its connection's peer and its headers. */
export type AddressReader = (peer: string, req: Pick<UwsRequest, 'forEach'>) => string;

/** The address reader for a configuration's trusted proxies; undefined without any, when the peer's address is used. */
export function forwardedReader({ trustedProxies }: Pick<ServerConfig, 'trustedProxies'>): AddressReader | undefined {
  if (trustedProxies.length === 0) return undefined;
  const isTrusted = networkSet(trustedProxies);
  return (peer, req) => clientAddressOf(peer, () => forwardedAddresses(req), isTrusted);
}

/** The guard for a configuration's allowlist; undefined if it has none. */
export function addressGuard({ ipAllowlist }: Pick<ServerConfig, 'ipAllowlist'>): AddressGuard | undefined {
  if (ipAllowlist === undefined) return undefined;
  const isAllowed = networkSet(ipAllowlist);
  return (address) => {
    if (!isAllowed(address)) throw new BadRequest('unauthorized: ip_not_allowlisted', { status: 401 });
  };
}
