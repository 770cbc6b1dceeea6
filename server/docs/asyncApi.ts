// The AsyncAPI document of the streams, built from their schemas and limits. Served by routes/documentation.ts; it knows
// nothing of sockets. Named schemas appear once, in components, as in the OpenAPI document.
import type { z } from 'zod';
import type { StreamSettings } from '../config/streamSettings.ts';
import { CHANNEL_PATHS } from '../http/streamPaths.ts';
import { streamLimits } from '../streams/limits.ts';
import {
  controlSchemas,
  marketEventSchemas,
  marketRequestSchema,
  userEventSchemas,
  userRequestSchema,
} from '../wire/schemas/streams.ts';
import { NO_NEW_ASSETS } from '../wire/streamRequests.ts';
import { SchemaWriter } from './schemaWriter.ts';

type Schemas = Readonly<Record<string, z.ZodType>>;

const messagesOf = (writer: SchemaWriter, schemas: Schemas, io: 'input' | 'output') =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      { name, contentType: 'application/json', payload: writer.write(schema, io) },
    ]),
  );

const refs = (channel: string, names: readonly string[]) =>
  names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));

interface Channel {
  readonly address: string;
  readonly description: string;
  readonly events: Schemas;
  readonly request: z.ZodType;
}

function channelOf({ address, description, events, request }: Channel, writer: SchemaWriter) {
  const sent = messagesOf(writer, { ...events, ...controlSchemas }, 'output');
  // A request may contain more than the exchange reads.
  return { address, description, messages: { ...sent, ...messagesOf(writer, { request }, 'input') } };
}

function operations(name: string, events: Schemas) {
  const names = Object.keys({ ...events, ...controlSchemas });
  const channelRef = { $ref: `#/channels/${name}` };
  return {
    [`${name}Events`]: { action: 'send', channel: channelRef, messages: refs(name, names) },
    [`${name}Request`]: { action: 'receive', channel: channelRef, messages: refs(name, ['request']) },
  };
}

const MARKET_CHANNEL: Channel = {
  address: CHANNEL_PATHS.market,
  description: 'Order books, prices and trades of tokens.',
  events: marketEventSchemas,
  request: marketRequestSchema,
};
const USER_CHANNEL: Channel = {
  address: CHANNEL_PATHS.user,
  description: 'Orders and trades of the owner of an API key.',
  events: userEventSchemas,
  request: userRequestSchema,
};

/** Builds the document, which takes some milliseconds; its JSON text for a host then takes none. */
export function asyncApiTexts(settings: StreamSettings): (host: string) => string {
  const { messageBytesMax, subscriptionsMax, messagesBurst, messagesPerSecond } = streamLimits;
  const { answerMsMax, connectionsPerIpMax, idleSecondsMax, heartbeatMs } = settings;
  const description = [
    'A socket on /ws or /ws/ joins the channel that its first request names in type.',
    `Every message except an error, and except the plain texts PONG (the answer to PING) and ${NO_NEW_ASSETS} (the answer to a`,
    'subscription that adds nothing), carries stream_id, sequence (contiguous within its stream) and server_ts_ms. A frame is',
    'one message, or an array of the books that answer a subscription or follow a gap. The exchange closes a socket that',
    'loses a message with code 1013, and every socket with code 1012 when it stops; reconnect and resume.',
    `Limits: ${subscriptionsMax} tokens per socket, ${messageBytesMax} bytes per message,`,
    `${messagesBurst} messages at once and then ${messagesPerSecond} per second, as many pings and pongs,`,
    `${connectionsPerIpMax} sockets per address,`,
    `${idleSecondsMax} s without an answer to pings. A client that has answered a ping and is late with a later answer`,
    `(after ${answerMsMax} ms at most) is sent nothing until it answers, and then what it missed. Heartbeats are sent to sockets`,
    `that have sent resume or heartbeat: true, every ${heartbeatMs} ms while a stream is idle.`,
  ].join(' ');
  const writer = new SchemaWriter('draft-07'); // the version of which AsyncAPI's schemas are an extension
  const head = { asyncapi: '3.0.0', info: { title: 'Outcry streams', version: '1', description } };
  const rest = {
    channels: {
      market: channelOf(MARKET_CHANNEL, writer),
      user: channelOf(USER_CHANNEL, writer),
    },
    operations: { ...operations('market', marketEventSchemas), ...operations('user', userEventSchemas) },
    // After the channels, which name them.
    components: { schemas: writer.named },
  };
  const [open, close] = [JSON.stringify(head).slice(0, -1), JSON.stringify(rest).slice(1)];
  return (host) => `${open},"servers":${JSON.stringify({ exchange: { host, protocol: 'ws' } })},${close}`;
}
