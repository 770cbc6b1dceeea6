// The description of the WebSocket channels. The channels themselves are in server/streams, which the app serves beside the
// endpoints.
import { z } from 'zod';
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
    schema: { reply: z.looseObject({ asyncapi: z.string(), info: z.looseObject({}), channels: z.looseObject({}) }) },
    handler: describe,
  },
];
