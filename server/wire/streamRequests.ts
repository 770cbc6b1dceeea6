// Client messages on a WebSocket (wire.md E.2), and the short server messages that are not events of the exchange:
// heartbeats, gaps and errors. Called by the channels of server/streams. Unknown keys are ignored, as in production; a
// known key of the wrong type is refused with a sentence.

import { type Fields, isFields } from '../lib/jsonFields.ts';
import { headText } from './streamMessages.ts';

/** A message that is refused; the error's text goes to the client. */
export class BadStreamRequest extends Error {
  override readonly name = 'BadStreamRequest';
}

/** Credentials that are malformed and so identify nobody. */
export class BadCredentials extends BadStreamRequest {}

/** Names unknown ids in an error: the first three, each cut to the length of a valid id. */
function unknownText(what: string, ids: readonly string[]): string {
  const shown = ids.slice(0, 3).map((id) => (id.length > 80 ? `${id.slice(0, 80)}…` : id));
  const more = ids.length > shown.length ? ` and ${ids.length - shown.length} more` : '';
  return `no such ${what}: ${shown.join(', ')}${more}`;
}

/**
 * Reports unknown ids and streams in one error.
 * @throws BadStreamRequest unless both lists are empty
 */
export function refuseUnknown(what: 'token' | 'market', ids: readonly string[], streams: readonly string[] = []): void {
  const texts = [
    ...(ids.length > 0 ? [unknownText(what, ids)] : []),
    ...(streams.length > 0 ? [unknownText('stream', streams)] : []),
  ];
  if (texts.length > 0) throw new BadStreamRequest(texts.join('; '));
}

/** A client's position in a stream. */
export interface ResumePoint {
  readonly streamId: string;
  readonly sequence: number;
}

/** The channels of sockets. */
export type Channel = 'market' | 'user';

export interface StreamCredentials {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

export interface StreamRequest {
  /** Undefined if the message leaves the type to the path or to earlier messages. */
  readonly type: Channel | undefined;
  readonly isUnsubscribe: boolean;
  readonly assetIds: readonly string[];
  /** Condition ids, lower case. */
  readonly markets: readonly string[];
  readonly isCustom: boolean | undefined;
  readonly hasDump: boolean;
  /** Malformed ones matter to the user channel only: clients send empty ones where the market channel needs none. */
  readonly credentials: StreamCredentials | BadCredentials | undefined;
  readonly resume: readonly ResumePoint[];
  /** Whether the client shows that it knows heartbeats, which production does not send. */
  readonly wantsHeartbeats: boolean;
}

function readTexts(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new BadStreamRequest(`${name} must be a list of strings`);
}

function readFlag(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw new BadStreamRequest(`${name} must be true or false`);
  return value;
}

/** The type in lower case; undefined if there is none. */
function typeName({ type }: Fields): string | undefined {
  if (type === undefined || type === null) return undefined;
  return typeof type === 'string' ? type.toLowerCase() : '';
}

/** Many clients name the operation in `type`, and leave the channel to the path. */
function readType(fields: Fields): StreamRequest['type'] {
  const name = typeName(fields);
  if (name === undefined || name === 'subscribe' || name === 'unsubscribe') return undefined;
  if (name !== 'market' && name !== 'user') throw new BadStreamRequest('type must be market or user');
  return name;
}

function readIsUnsubscribe(fields: Fields): boolean {
  const { operation } = fields;
  if (operation === undefined || operation === null) return typeName(fields) === 'unsubscribe';
  if (operation === 'subscribe') return false;
  if (operation === 'unsubscribe') return true;
  throw new BadStreamRequest('INVALID OPERATION: operation must be subscribe or unsubscribe');
}

function readCredentials({ auth }: Fields): StreamCredentials | BadCredentials | undefined {
  if (auth === undefined || auth === null) return undefined;
  if (!isFields(auth)) return new BadCredentials('auth must be an object with apiKey, secret and passphrase');
  const { secret, passphrase } = auth;
  const apiKey = auth.apiKey ?? auth.apikey;
  if (typeof apiKey !== 'string' || typeof secret !== 'string' || typeof passphrase !== 'string') {
    return new BadCredentials('auth must have apiKey, secret and passphrase as strings');
  }
  return { apiKey, secret, passphrase };
}

function readPoint(value: unknown): ResumePoint {
  const { stream_id: streamId, sequence } = isFields(value) ? value : {};
  const isWhole = typeof sequence === 'number' && Number.isSafeInteger(sequence) && sequence >= 0;
  if (typeof streamId === 'string' && isWhole) return { streamId, sequence };
  throw new BadStreamRequest(
    'resume must be {"stream_id":"…","sequence":n} or a list of these, where n is a whole number from 0',
  );
}

function readResume({ resume }: Fields): readonly ResumePoint[] {
  if (resume === undefined || resume === null) return [];
  return Array.isArray(resume) ? resume.map(readPoint) : [readPoint(resume)];
}

/** Whoever resumes knows heartbeats, also with an empty list; others ask for them. */
function readWantsHeartbeats(fields: Fields): boolean {
  const isAsked = readFlag(fields, 'heartbeat') ?? false;
  return isAsked || (fields.resume !== undefined && fields.resume !== null);
}

/** Parses a message into a request. @throws BadStreamRequest with a sentence */
export function parseStreamRequest(text: string): StreamRequest {
  let fields: unknown;
  try {
    fields = JSON.parse(text);
  } catch {
    throw new BadStreamRequest('the message is not JSON; send PING, or a request as /asyncapi.json describes it');
  }
  if (!isFields(fields)) throw new BadStreamRequest('the message must be one JSON object');
  return {
    type: readType(fields),
    isUnsubscribe: readIsUnsubscribe(fields),
    assetIds: readTexts(fields, 'assets_ids'),
    markets: readTexts(fields, 'markets').map((market) => market.toLowerCase()),
    isCustom: readFlag(fields, 'custom_feature_enabled'),
    hasDump: readFlag(fields, 'initial_dump') ?? true,
    credentials: readCredentials(fields),
    resume: readResume(fields),
    wantsHeartbeats: readWantsHeartbeats(fields),
  };
}

/** A heartbeat: states a stream's current sequence and consumes none. */
export function heartbeatText(streamId: string, sequence: number, serverMs: number): string {
  return `${headText('heartbeat', streamId, String(sequence), serverMs)}}`;
}

/** Messages of a stream after the number `after` are not available. */
export interface Gap {
  readonly after: number;
  readonly reason: string;
}

/** A gap marker; the stream continues after `sequence`. */
function gapText(streamId: string, sequence: number, serverMs: number, { after, reason }: Gap): string {
  const rest = `,"missed_from":${after + 1},"reason":${JSON.stringify(reason)}}`;
  return `${headText('gap', streamId, String(sequence), serverMs)}${rest}`;
}

/** What precedes the messages of a stream: its current sequence, or a gap. */
export type Opening = 'heartbeat' | Gap;

export const openingText = (opening: Opening, streamId: string, sequence: number, serverMs: number): string =>
  opening === 'heartbeat'
    ? heartbeatText(streamId, sequence, serverMs)
    : gapText(streamId, sequence, serverMs, opening);

export function streamErrorText(sentence: string): string {
  return JSON.stringify({ event_type: 'error', error: sentence });
}

/** Production's reply to a subscription that adds nothing. */
export const NO_NEW_ASSETS = 'NO NEW ASSETS';
