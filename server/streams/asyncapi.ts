// Builds the AsyncAPI document of the streams from their schemas and limits. Served at /asyncapi.json by routes/streams.ts; it
// knows nothing of sockets.

import { z } from 'zod';
import type { StreamSettings } from '../config/streamSettings.ts';
import { CHANNEL_PATHS } from '../http/streamPaths.ts';
import { NO_NEW_ASSETS } from '../wire/streamRequests.ts';
import { streamLimits } from './limits.ts';
import {
  controlSchemas,
  marketEventSchemas,
  marketRequestSchema,
  userEventSchemas,
  userRequestSchema,
} from './schema.ts';

type Schemas = Readonly<Record<string, z.ZodType>>;

const messagesOf = (schemas: Schemas, io: 'input' | 'output') =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      { name, contentType: 'application/json', payload: z.toJSONSchema(schema, { io }) },
    ]),
  );

const refs = (channel: string, names: readonly string[]) =>
  names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));

function channel(address: string, description: string, events: Schemas, request: z.ZodType) {
  // A request may contain more than the exchange reads.
  const messages = { ...messagesOf({ ...events, ...controlSchemas }, 'output'), ...messagesOf({ request }, 'input') };
  return { address, description, messages };
}

function operations(name: string, events: Schemas) {
  const names = Object.keys({ ...events, ...controlSchemas });
  const channelRef = { $ref: `#/channels/${name}` };
  return {
    [`${name}Events`]: { action: 'send', channel: channelRef, messages: refs(name, names) },
    [`${name}Request`]: { action: 'receive', channel: channelRef, messages: refs(name, ['request']) },
  };
}

/** The document as JSON text. */
export function asyncApiText(host: string, settings: StreamSettings): string {
  const { messageBytesMax, subscriptionsMax, messagesBurst, messagesPerSecond } = streamLimits;
  const { answerMsMax, connectionsPerIpMax, idleSecondsMax, heartbeatMs } = settings;
  const description = [
    'A socket on /ws or /ws/ joins the channel that its first request names in type.',
    `Every message except an error, and except the plain texts PONG (the answer to PING) and ${NO_NEW_ASSETS} (the answer to a`,
    'subscription that adds nothing), carries stream_id, sequence (contiguous within its stream) and server_ts_ms. A frame is',
    'one message, or an array of the books that answer a subscription or follow a gap. The exchange closes a socket that',
    'loses a message with code 1013, and every socket with code 1012 when it stops; reconnect and resume.',
    `Limits: ${subscriptionsMax} tokens per socket, ${messageBytesMax} bytes per message,`,
    `${messagesBurst} messages at once and then ${messagesPerSecond} per second, ${connectionsPerIpMax} sockets per address,`,
    `${idleSecondsMax} s without an answer to pings. A client that has answered a ping and is late with a later answer`,
    `(after ${answerMsMax} ms at most) is sent nothing until it answers, and then what it missed. Heartbeats are sent to sockets`,
    `that have sent resume or heartbeat: true, every ${heartbeatMs} ms while a stream is idle.`,
  ].join(' ');
  return JSON.stringify({
    asyncapi: '3.0.0',
    info: { title: 'Outcry streams', version: '1', description },
    servers: { exchange: { host, protocol: 'ws' } },
    channels: {
      market: channel(
        CHANNEL_PATHS.market,
        'Order books, prices and trades of tokens.',
        marketEventSchemas,
        marketRequestSchema,
      ),
      user: channel(
        CHANNEL_PATHS.user,
        'Orders and trades of the owner of an API key.',
        userEventSchemas,
        userRequestSchema,
      ),
    },
    operations: { ...operations('market', marketEventSchemas), ...operations('user', userEventSchemas) },
  });
}
