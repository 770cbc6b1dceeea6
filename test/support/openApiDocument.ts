// The whole OpenAPI document at once, for tests of the document and for the check of every reply against it. The server builds
// the same document in steps, with other work in between.
import { type ThrottleRates, throttleRows } from '../../server/config/throttleTable.ts';
import { type OpenApiDocument, openApiSteps } from '../../server/docs/openApi.ts';
import type { Endpoint } from '../../server/http/endpoint.ts';

/** The document of a table; the same table and rates give the same document. */
export function openApiDocument(endpoints: readonly Endpoint[], rates: ThrottleRates = throttleRows): OpenApiDocument {
  const steps = openApiSteps(endpoints, rates);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
