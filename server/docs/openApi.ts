// The OpenAPI 3.1 document of the interface, built only from the endpoint table and the schemas of its rows. Served by
// routes/documentation.ts; the tests check every request and reply against it. Named schemas appear once, in components.
import { z } from 'zod';
import { AUTH_AGE_MS_MAX, AUTH_AHEAD_MS_MAX } from '../auth/headers.ts';
import { type RateWindow, rowsOfGroup, rowText, type ThrottleRates } from '../config/throttleTable.ts';
import type { AuthLevel, Endpoint } from '../http/endpoint.ts';
import { INTERFACE_VERSION } from '../wire/interfaceVersion.ts';
import { refusal } from '../wire/schemas/common.ts';
import type { ParameterSchemas } from '../wire/schemas/endpointSchema.ts';
import { type JsonSchema, SchemaWriter } from './schemaWriter.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content & { readonly required: boolean };
  readonly responses: Readonly<Record<string, Content & { readonly description: string; readonly headers: object }>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>> & { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, object>>;
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  };
}

const POLY = ['POLY_ADDRESS', 'POLY_API_KEY', 'POLY_PASSPHRASE', 'POLY_TIMESTAMP', 'POLY_SIGNATURE'];
const POLY_WALLET = ['POLY_ADDRESS', 'POLY_NONCE', 'POLY_TIMESTAMP', 'POLY_SIGNATURE'];
const POLY_READONLY = ['POLY_ADDRESS', 'POLY_READONLY_API_KEY'];
const POLY_BUILDER = POLY.slice(1).map((name) => name.replace('POLY', 'POLY_BUILDER'));
const asService = (names: readonly string[]): readonly string[] => names.map((name) => name.replace('POLY', 'SERVICE'));
const allOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, []]));
const eitherFamily = (names: readonly string[]) => [allOf(names), allOf(asService(names))];

const BY_READING_KEY = [...eitherFamily(POLY), ...eitherFamily(POLY.slice(0, 2)), allOf(POLY_READONLY)];

const SECURITY: Readonly<Record<AuthLevel, Operation['security']>> = {
  none: undefined,
  dev: undefined,
  l1: eitherFamily(POLY_WALLET),
  l2: eitherFamily(POLY),
  'l1-or-l2': [...eitherFamily(POLY), ...eitherFamily(POLY_WALLET)],
  'l2-or-builder': [...eitherFamily(POLY), allOf(POLY_BUILDER)],
  'l2-read': BY_READING_KEY,
  builder: [{}, ...BY_READING_KEY],
  admin: [{ admin: [] }],
  watch: [{}, { watch: [] }],
};

const AUTH_SENTENCES: Readonly<Record<AuthLevel, string>> = {
  none: 'Public.',
  dev: 'Public, in development only.',
  l1: 'Requires a wallet signature (EIP-712 ClobAuth, which clients call L1).',
  l2: 'Requires an API key signature (HMAC of timestamp, method, path and body, which clients call L2).',
  'l1-or-l2':
    'Requires an API key signature (HMAC, which clients call L2) or a wallet signature (EIP-712 ClobAuth, L1).',
  'l2-or-builder': 'Requires an API key signature, or a builder key signature in its own headers.',
  'l2-read': 'Requires an API key signature, or only the address and key of a read-only key.',
  builder: 'Public. An API key signature, or the address and key of a read-only key, if sent, identifies the caller.',
  admin: 'Requires the admin token.',
  watch:
    'Requires the metrics token or the admin token. Development on a loopback address requires neither unless a metrics token is set.',
};

const ALLOWLISTED_SENTENCE =
  'Public, but only for addresses on the allowlist if the exchange has one (--ip-allowlist).';

const BEARER = { type: 'http', scheme: 'bearer' } as const;
const HEADER_SENTENCES: Readonly<Record<string, string>> = {
  POLY_ADDRESS: 'The address of the wallet that signs the request or owns the API key.',
  POLY_API_KEY: 'The API key, a UUID.',
  POLY_READONLY_API_KEY: 'A read-only API key, for reads without a signature; POLY_API_KEY accepts it too.',
  POLY_PASSPHRASE: 'The passphrase issued with the API key.',
  POLY_TIMESTAMP: `Unix seconds, at most ${AUTH_AGE_MS_MAX / 1000} behind and ${AUTH_AHEAD_MS_MAX / 1000} ahead of the exchange's clock.`,
  POLY_NONCE: 'An integer. Each nonce yields a different API key for the wallet. Clients send 0.',
  POLY_SIGNATURE:
    'With an API key: the HMAC-SHA256 of timestamp, method, path without query, and body, keyed with the base64-decoded ' +
    'secret and encoded as base64, URL-safe base64 or hex. With a nonce: the EIP-712 signature of the ClobAuth statement.',
};

function securitySchemes(): Readonly<Record<string, JsonSchema>> {
  const names = [...new Set([...POLY, ...POLY_WALLET])];
  const headers = [...names, ...asService(names), ...POLY_READONLY.slice(1), ...POLY_BUILDER].map((name) => {
    const description = HEADER_SENTENCES[name.replace(/^SERVICE|^POLY_BUILDER/, 'POLY')];
    return [name, { type: 'apiKey', in: 'header', name, description }] as const;
  });
  return {
    ...Object.fromEntries(headers),
    admin: {
      ...BEARER,
      description:
        'The admin token (--admin-token). On a loopback address npm start has one of its own, which it prints.',
    },
    watch: { ...BEARER, description: 'The metrics token (--metrics-token), or the admin token.' },
  };
}

const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The request is malformed, or the exchange rejects it',
  401: 'Credentials are missing or wrong',
  404: 'The resource does not exist',
  413: 'The body is too large',
  415: 'The body is not JSON',
  421: 'The loopback development server does not serve this Host',
  422: 'A parameter is invalid',
  425: 'The matching engine is restarting',
  429: 'Rate limit exceeded: Retry-After, RateLimit-* and Poly-RateLimit-* state when to retry',
  503: 'The exchange does not accept commands at present, or too many long replies wait to be built',
};
/** Statuses of refusals by the endpoint itself; the others come from the HTTP layer. */
const OWN_REFUSALS = [400, 404, 422, 425, 503];
const COMMON_REFUSALS = [400, 404, 413, 415, 421, 429, 503];

function refusalStatuses({ auth, schema }: Endpoint): readonly number[] {
  const ofCredentials = auth === 'none' ? [] : [401]; // also in development, for pages of another origin
  const ofEngine = auth === 'l2' ? [425] : [];
  return [...COMMON_REFUSALS, ...ofCredentials, ...ofEngine, ...(schema.moreStatuses ?? [])].sort((a, b) => a - b);
}

const windowText = ({ requestsMax, windowMs }: RateWindow): string =>
  `${requestsMax} requests per ${windowMs / 1000} s`;

function accessSentence({ auth, isAllowlisted }: Endpoint): string {
  return isAllowlisted === true ? ALLOWLISTED_SENTENCE : AUTH_SENTENCES[auth];
}

function descriptionOf(endpoint: Endpoint, rates: ThrottleRates): string {
  const { throttle } = endpoint;
  const limits = rowsOfGroup(throttle).map((row) => `${rates[row].map(windowText).join(' and ')} (${rowText(row)})`);
  const counted =
    throttle === 'operator' ? 'Rate limit, if enabled, of requests with refused credentials' : 'Rate limit, if enabled';
  return `${accessSentence(endpoint)} ${counted}: ${limits.join('; ')}.`;
}

function refusalDescription({ isAllowlisted }: Endpoint, status: number): string {
  return isAllowlisted === true && status === 401 ? 'The address is not on the allowlist' : REFUSALS[status];
}

function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  if (/.\/$/.test(path)) words.push('slash'); // distinguishes a path with a trailing slash from the same without
  return [method.toLowerCase(), ...words.map((word) => word[0].toUpperCase() + word.slice(1))].join('');
}

const MOUNTS = ['gamma', 'data-api', 'admin', 'dev', 'auth'];
const TAGS: Readonly<Record<string, string>> = {
  none: 'Public data',
  l1: 'Keys',
  admin: 'Operator',
  watch: 'Operator',
  dev: 'Development',
};

function tagOf({ path, auth }: Endpoint): string {
  const [, first] = path.split('/');
  if (first === 'auth') return 'Keys';
  if (MOUNTS.includes(first) && TAGS[auth] === 'Public data') return `Public data under /${first}`;
  return TAGS[auth] ?? 'Trading and own data';
}

const jsonOf = (schema: JsonSchema): Content['content'] => ({ 'application/json': { schema } });

function parametersOf(writer: SchemaWriter, place: Parameter['in'], schemas: ParameterSchemas): readonly Parameter[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const { description, ...written } = writer.write(schema, 'input');
    return {
      name,
      in: place,
      required: place === 'path' || !schema.safeParse(undefined).success,
      ...(typeof description === 'string' && { description }),
      schema: written,
    };
  });
}

const anyText = z.string();
/** Headers of every reply. */
const EVERY_REPLY = { 'X-Sequence': { $ref: '#/components/headers/X-Sequence' } } as const;
const SEQUENCE_HEADER = {
  description:
    'The last durable sequence of the log when the reply was made: nothing that the reply reports can be undone',
  schema: { type: 'integer', minimum: 0 },
} as const;

function operationOf(endpoint: Endpoint, rates: ThrottleRates, writer: SchemaWriter): Operation {
  const { path, schema, summary, auth } = endpoint;
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
  const parts = Object.fromEntries(names.map((name) => [name, schema.path?.[name] ?? anyText]));
  const refusalOf = (status: number): z.ZodType => (OWN_REFUSALS.includes(status) && schema.refusal) || refusal;
  const refusals = refusalStatuses(endpoint).map((status) => [
    String(status),
    {
      description: refusalDescription(endpoint, status),
      headers: EVERY_REPLY,
      content: jsonOf(writer.write(refusalOf(status), 'output')),
    },
  ]);
  const reply = { [schema.replyType ?? 'application/json']: { schema: writer.write(schema.reply, 'output') } };
  const security = SECURITY[auth];
  return {
    operationId: operationId(endpoint),
    summary: summary.replace(/\.$/, ''),
    description: descriptionOf(endpoint, rates),
    tags: [tagOf(endpoint)],
    parameters: [
      ...parametersOf(writer, 'path', parts),
      ...parametersOf(writer, 'query', schema.query ?? {}),
      ...parametersOf(writer, 'header', schema.headers ?? {}),
    ],
    ...(schema.body !== undefined && {
      requestBody: {
        required: !schema.body.safeParse(undefined).success,
        content: jsonOf(writer.write(schema.body, 'input')),
      },
    }),
    responses: {
      '200': { description: 'Success', headers: EVERY_REPLY, content: reply },
      ...Object.fromEntries(refusals),
    },
    ...(security !== undefined && { security }),
  };
}

const ABOUT =
  'The HTTP interface of an Outcry exchange: catalog, market data, user data and trading, as Polymarket bots use it. ' +
  'An error is an object whose error field is a sentence. Amounts are decimal strings unless a field states otherwise.';

/**
 * Builds the document, one endpoint a step, so that callers can do other work in between.
 * @param rates what the exchange applies when it limits rates
 */
export function* openApiSteps(endpoints: readonly Endpoint[], rates: ThrottleRates): Generator<void, OpenApiDocument> {
  const writer = new SchemaWriter('draft-2020-12');
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of endpoints) {
    const operations = paths[endpoint.path] ?? {};
    paths[endpoint.path] = operations;
    operations[endpoint.method.toLowerCase()] = operationOf(endpoint, rates, writer);
    yield;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Outcry',
      version: INTERFACE_VERSION,
      description: ABOUT,
      license: { name: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: writer.named,
      headers: { 'X-Sequence': SEQUENCE_HEADER },
      securitySchemes: securitySchemes(),
    },
  };
}
