// The documentation of the interface: /openapi.json and, of the streams, /asyncapi.json for programs, /docs for people. Thin:
// docs/ builds both documents, on the first request for each.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { StreamSettings } from '../config/streamSettings.ts';
import type { ThrottleRates } from '../config/throttleTable.ts';
import { asyncApiTexts } from '../docs/asyncApi.ts';
import { openApiSteps } from '../docs/openApi.ts';
import { docsFile, docsPage } from '../docs/page.ts';
import type { Endpoint, Handler, Reply } from '../http/endpoint.ts';
import { BadRequest } from '../wire/badRequest.ts';
import { bytesOf } from '../wire/pieces.ts';
import type { EndpointSchema } from '../wire/schemas/endpointSchema.ts';

const page: Handler = () => docsPage;

const file: Handler = ({ params }) => {
  const found = docsFile(params.file);
  if (found === undefined) throw new BadRequest('not found', { status: 404 });
  return found;
};

const documentSchema: EndpointSchema = {
  reply: z.looseObject({ openapi: z.literal('3.1.0'), info: z.looseObject({}), paths: z.looseObject({}) }),
};
const pageSchema: EndpointSchema = { reply: z.string(), replyType: 'text/html' };
const fileSchema: EndpointSchema = { reply: z.string(), replyType: '*/*' };

const row = { method: 'GET', auth: 'none', throttle: 'general', section: '9' } as const;

/** By the settings of the streams: exchanges of one process may have different ones. */
const streamDocuments = new WeakMap<StreamSettings, (host: string) => string>();

const asyncApi: Handler = ({ header }, { services }) => {
  const { streams } = services.config;
  const textFor = streamDocuments.get(streams) ?? asyncApiTexts(streams);
  streamDocuments.set(streams, textFor);
  return { body: textFor(header('host')) };
};
const asyncApiSchema: EndpointSchema = {
  reply: z.looseObject({ asyncapi: z.string(), info: z.looseObject({}), channels: z.looseObject({}) }),
};

/** Apart from the others, since the table has it in the section of the streams. */
export const streamDocumentationEndpoint: Endpoint = {
  ...row,
  path: '/asyncapi.json',
  section: 'E',
  summary: 'The WebSocket channels `/ws/market` and `/ws/user` as an AsyncAPI document.',
  schema: asyncApiSchema,
  handler: asyncApi,
};

/** Built in small steps: it takes some hundred milliseconds, and orders must not wait for it. */
async function documentOf(table: readonly Endpoint[], rates: ThrottleRates): Promise<Reply> {
  const steps = openApiSteps(table, rates);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return { body: bytesOf(JSON.stringify(value)) }; // it has 640 kB: as a text it would be converted for each reply
    await nextTurn();
  }
}

/** @param table the whole table, which includes these endpoints */
export function documentationEndpoints(table: () => readonly Endpoint[]): readonly Endpoint[] {
  // By rates: exchanges of one process may have different ones.
  const documents = new Map<string, Promise<Reply>>();
  const openApi: Handler = (_request, { services }) => {
    const { rates } = services.config;
    const key = JSON.stringify(rates);
    const document = documents.get(key) ?? documentOf(table(), rates);
    documents.set(key, document);
    return document;
  };
  return [
    {
      ...row,
      path: '/openapi.json',
      summary: 'This interface, as an OpenAPI 3.1 document.',
      schema: documentSchema,
      handler: openApi,
    },
    { ...row, path: '/docs', summary: 'This interface, as an interactive page.', schema: pageSchema, handler: page },
    { ...row, path: '/docs/', summary: 'The same page.', schema: pageSchema, handler: page },
    { ...row, path: '/docs/{file}', summary: 'Files of that page.', schema: fileSchema, handler: file },
  ];
}
