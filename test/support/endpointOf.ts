// An endpoint of the server's table by its method and path. Used by tests that call a handler without a socket, or compare
// it with the document.
import type { Endpoint } from '../../server/http/endpoint.ts';
import { endpoints } from '../../server/http/endpoints.ts';

export function endpointOf(method: string, path: string): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.method === method && endpoint.path === path);
  if (found === undefined) throw new Error(`the table has no ${method} ${path}`);
  return found;
}
