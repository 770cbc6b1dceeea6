// The metrics endpoint for Prometheus and compatible scrapers. Thin: metrics/ gathers the figures. Unreadable counters must
// not stop the exchange, so no failure here counts as a defect.
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { METRICS_TYPE } from '../metrics/figures.ts';
import { BadRequest } from '../wire/badRequest.ts';
import * as schemas from '../wire/schemas/operator.ts';

const HEADERS = { 'content-type': METRICS_TYPE } as const;

const metrics: Handler = async (_request, { services }) => {
  try {
    return { body: await services.metrics.text(), headers: HEADERS };
  } catch (error) {
    services.log.error({ err: error }, 'The metrics could not be read.');
    throw new BadRequest('the metrics cannot be read at present; see the log', { status: 503 });
  }
};

export const metricsEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/metrics',
    auth: 'watch',
    throttle: 'operator',
    section: '8',
    summary: 'Metrics of the exchange and its process in the Prometheus text format.',
    schema: schemas.metrics,
    handler: metrics,
  },
];
