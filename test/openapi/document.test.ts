// /openapi.json: a valid document that describes every endpoint and every rate, the same for everybody; and the checker
// that compares the whole test suite with it, which must notice every deviation.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsOfGroup, throttleRows } from '../../server/config/throttleTable.ts';
import type { Context, Endpoint, HttpRequest } from '../../server/http/endpoint.ts';
import { endpoints } from '../../server/http/endpoints.ts';
import { gammaCatalog, rootCatalog } from '../../server/wire/catalogDialects.ts';
import { INTERFACE_VERSION } from '../../server/wire/interfaceVersion.ts';
import { BOUNDS } from '../../server/wire/userDataParameters.ts';
import { send } from '../support/client.ts';
import { endpointOf } from '../support/endpointOf.ts';
import { deviationOf } from '../support/openApiCheck.ts';
import { openApiDocument } from '../support/openApiDocument.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const document = openApiDocument(endpoints);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(JSON.stringify(document)));
  expect(result.errors).toBeUndefined();
  expect([result.valid, validator.version]).toEqual([true, '3.1']);
});

test('the document is sent from bytes, since a text would be converted for each request', async () => {
  const context = { services: server.services } as Context;
  const reply = await endpointOf('GET', '/openapi.json').handler({} as HttpRequest, context);
  expect('body' in reply && reply.body).toBeInstanceOf(Uint8Array);
});

test('the document has every endpoint of the table and no other, with unique operation ids', () => {
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.toSorted()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).toSorted());
  const ids = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations).map((operation) => operation.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s documents its parameters, responses, authentication and rate limits',
  (_name, { method, path, auth, throttle, summary }) => {
    const operation = document.paths[path][method.toLowerCase()];
    expect(operation.summary).toBe(summary.replace(/\.$/, ''));
    const { content } = operation.responses['200'];
    for (const { schema } of Object.values(content)) expect(Object.keys(schema)).not.toEqual([]);
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name, required }) => `${name} ${required}`)).toEqual(
      [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => `${name} true`),
    );
    expect(operation.security === undefined).toBe(auth === 'none' || auth === 'dev');
    for (const status of ['400', '404', '429', '503']) expect(operation.responses[status]).toBeDefined();
    for (const row of rowsOfGroup(throttle)) {
      for (const { requestsMax } of throttleRows[row]) expect(operation.description).toContain(String(requestsMax));
    }
  },
);

test('the document states the rates that the exchange applies', () => {
  const { paths } = openApiDocument(endpoints, { ...throttleRows, 'GET /book': [{ requestsMax: 7, windowMs: 3_000 }] });
  expect(paths['/book'].get.description).toContain('Rate limit, if enabled: 7 requests per 3 s (GET /book); ');
  expect(document.paths['/book'].get.description).toContain('200 requests per 10 s (GET /book)');
  expect(paths['/admin/deposits'].post.description).toContain(
    'Rate limit, if enabled, of requests with refused credentials: ',
  );
});

test('where credentials are optional, and nowhere else, sending none is one of the alternatives', () => {
  for (const { method, path, auth } of endpoints) {
    const { security = [] } = document.paths[path][method.toLowerCase()];
    const isOptional = security.some((one) => Object.keys(one).length === 0);
    expect(isOptional, path).toBe(auth === 'builder' || auth === 'watch');
  }
});

test('refusals by the HTTP layer have the same form where an endpoint gives its own another', () => {
  const formOf = (path: string, status: string) => document.paths[path].get.responses[status].content;
  expect(formOf('/gamma/markets', '421')).toEqual(formOf('/time', '421'));
  expect(formOf('/gamma/markets', '422')).not.toEqual(formOf('/gamma/markets', '421'));
});

test('two exchanges of one process each serve a document with their own rates', async () => {
  const rates = { ...throttleRows, 'GET /book': [{ requestsMax: 7, windowMs: 3_000 }] };
  const other = await startTestServer({ config: { rates } });
  const [own, others] = await Promise.all([server, other].map(({ url }) => send(url, 'GET', '/openapi.json')));
  const limitIn = ({ json }: typeof own): string => json.paths['/book'].get.description;
  expect(limitIn(own)).toContain('200 requests per 10 s (GET /book)');
  expect(limitIn(others)).toContain('7 requests per 3 s (GET /book)');
  await other.close();
});

test('user data that an allowlist may close is described so, and no other endpoint is', () => {
  for (const { method, path, isAllowlisted = false } of endpoints) {
    const { description, responses } = document.paths[path][method.toLowerCase()];
    expect(/\ballowlist\b/.test(description), path).toBe(isAllowlisted);
    expect(responses['401']?.description.includes('allowlist') ?? false, path).toBe(isAllowlisted);
  }
});

test('the summary of heartbeats says that only the first one begins to bind a key', () => {
  expect(document.paths['/v1/heartbeats'].post.summary).toContain('after its first heartbeat');
});

test('no GET has a request body, since /docs would fill it in and browsers refuse to send it', () => {
  const bodies = Object.entries(document.paths).filter(([, operations]) => operations.get?.requestBody !== undefined);
  expect(bodies.map(([path]) => path)).toEqual([]);
});

const parametersOf = (path: string) =>
  new Map(document.paths[path].get.parameters.map(({ name, description, schema }) => [name, { description, schema }]));

test('the document states the bounds and defaults of lists as the server applies them', () => {
  for (const mount of ['', '/data-api']) {
    for (const [kind, { limitDefault, limitMax, offsetMax }] of Object.entries(BOUNDS)) {
      const { limit, offset } = Object.fromEntries(parametersOf(`${mount}/${kind}`));
      expect(limit.description).toContain(`Default ${limitDefault}, maximum ${limitMax};`);
      if (offsetMax > 0) expect(offset.schema.maximum).toBe(offsetMax);
    }
    const text = (path: string, name: string) => parametersOf(mount + path).get(name)?.description;
    expect(text('/trades', 'takerOnly')).toBe('Default true');
    expect(text('/positions', 'sizeThreshold')).toBe('Default 1');
    expect(text('/positions', 'includeArchived')).toBe(mount === '' ? undefined : 'Default false');
    expect(text('/holders', 'minBalance')).toBe('Default 1');
  }
  for (const { mount, offsetMax, closedMarketsDefault } of [rootCatalog, gammaCatalog]) {
    for (const path of ['/markets', '/events', '/tags', '/series']) {
      const { maximum } = parametersOf(mount + path).get('offset')?.schema ?? {};
      expect([mount, path, maximum]).toEqual([mount, path, offsetMax ?? Number.MAX_SAFE_INTEGER]);
    }
    for (const path of ['/markets', '/markets/keyset']) {
      const { closed, archived } = Object.fromEntries(parametersOf(mount + path));
      const shown = closedMarketsDefault === undefined ? /^true or false/ : /^Default false/;
      expect(closed.description).toMatch(shown);
      expect(archived.description).toMatch(/^true or false/);
    }
    expect(parametersOf(`${mount}/public-search`).get('page')?.schema.minimum).toBe(1);
  }
});

test('every reference in the document resolves', () => {
  const text = JSON.stringify(document);
  const names = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference));
  expect(names.size).toBeGreaterThan(10);
  for (const name of names) {
    const [, kind, key] = /^#\/components\/(schemas|headers)\/(.+)$/.exec(name) ?? [];
    const known = kind === 'headers' ? document.components.headers : document.components.schemas;
    expect(Object.hasOwn(known, key ?? ''), name).toBe(true);
  }
});

test('GET /openapi.json serves the document with the version of /version and the changelog', async () => {
  const served = await send(server.url, 'GET', '/openapi.json');
  expect(served.json).toEqual(JSON.parse(JSON.stringify(document)));
  expect(served.json.info.version).toBe(INTERFACE_VERSION);
  expect((await send(server.url, 'GET', '/version')).json).toEqual({ version: 2, interface: INTERFACE_VERSION });
  const changelog = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
  expect(changelog).toContain(`Interface ${INTERFACE_VERSION}`);
});

test('an endpoint without a schema does not compile', () => {
  // @ts-expect-error: the column schema is missing
  const bare: Endpoint = {
    method: 'GET',
    path: '/bare',
    auth: 'none',
    throttle: 'general',
    section: '',
    summary: '',
    handler: () => ({ body: '' }),
  };
  expect(bare.schema).toBeUndefined();
});

/** A request as a handler would receive it. */
function requestOf(endpoint: Endpoint, query: string, params: Readonly<Record<string, string>>, json?: unknown) {
  const request: HttpRequest = {
    method: endpoint.method,
    path: endpoint.path,
    params,
    query: new URLSearchParams(query),
    body: new Uint8Array(0),
    header: () => '',
    json: () => json,
    parsed: (parse) => parse(json),
    nowMs: 0,
    ip: '127.0.0.1',
  };
  return request;
}

test('the parameters of rewards by market that official clients send are named', () => {
  const { schema } = endpointOf('GET', '/rewards/user/markets');
  const named = ['date', 'signature_type', 'next_cursor', 'order_by', 'position', 'no_competition'];
  expect(Object.keys(schema.query ?? {}).toSorted()).toEqual(named.toSorted());
});

test('the check of the test suite reports requests and replies that deviate', () => {
  const tick = endpointOf('GET', '/tick-size');
  const good = { body: '{"minimum_tick_size":0.01}' };
  const asked = requestOf(tick, 'token_id=123', {});
  const faultOf = (body: string, status = 200): string | undefined =>
    deviationOf({ endpoint: tick, request: asked, reply: { body, status } });
  expect(deviationOf({ endpoint: tick, request: asked, reply: good })).toBeUndefined();
  expect(faultOf('{}')).toContain("must have required property 'minimum_tick_size'");
  expect(faultOf('{"minimum_tick_size":"0.01"}')).toContain('/minimum_tick_size must be');
  expect(faultOf('{"minimum_tick_size":0.02}')).toContain('/minimum_tick_size must be equal to one of');
  expect(faultOf('{"minimum_tick_size":0.01,"more":1}')).toContain('must NOT have additional properties');
  expect(faultOf('{"error":"no"}', 404)).toBeUndefined();
  expect(faultOf('{"message":"no"}', 404)).toContain("must have required property 'error'");
  expect(faultOf('{"error":"no"}', 500)).toContain('a status that the document does not have');
  const wrongly = { endpoint: tick, reply: good };
  expect(deviationOf({ ...wrongly, request: requestOf(tick, '', {}) })).toContain('token_id is required');
  expect(deviationOf({ ...wrongly, request: requestOf(tick, 'token_id=abc', {}) })).toContain('must match pattern');
  const books = endpointOf('POST', '/books');
  const served = (json: unknown): string | undefined =>
    deviationOf({ endpoint: books, request: requestOf(books, '', {}, json), reply: { body: '[]' } });
  expect(served([{ token_id: '1' }])).toBeUndefined();
  expect(served([{ token_id: 1 }])).toContain('the body was served');
  expect(served(undefined)).toContain('a body is required');
  expect(deviationOf({ endpoint: undefined, request: undefined, reply: { status: 404, body: '{}' } })).toContain(
    'a refusal without error',
  );
});
