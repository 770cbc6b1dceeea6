// The description of the WebSocket channels. The channels themselves are server/streams, which the app serves beside the
// endpoints.
import type { Endpoint, Handler } from '../http/endpoint.ts';
import { asyncApiText } from '../streams/asyncapi.ts';

const describe: Handler = ({ header }, { services }) => ({
  body: asyncApiText(header('host'), services.config.streams),
});

export const streamEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/asyncapi.json',
    auth: 'none',
    throttle: 'general',
    section: 'E',
    summary: 'The WebSocket channels `/ws/market` and `/ws/user` as an AsyncAPI document.',
    handler: describe,
  },
];
