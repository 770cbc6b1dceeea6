// The matrix: every endpoint of the server's table with each of its parameters, fields and path parts missing, empty, given
// twice, of another kind, too long or out of range, as endpoints.ts declares them; and with requests that break off. Each
// refusal is a 4xx in words that name what is wrong, and changes nothing.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../server/http/endpoints.ts';
import { makeRouter } from '../../server/http/router.ts';
import { wordOf } from '../support/hex.ts';
import { openApiDocument } from '../support/openApiDocument.ts';
import type { EndpointCase } from './endpointCase.ts';
import { endpointCases, levelOf, titleOf } from './endpoints.ts';
import { expectRefused, type Reply, Target } from './harness.ts';
import type { Kind } from './kinds.ts';
import { MISSING, shown, withValue } from './wrongFields.ts';

/** More than any sentence with a figure needs: a refusal never echoes its input at length. */
const ERROR_CHARACTERS_MAX = 3_000;

/** Default texts of the schema library, where a schema gives none of its own. */
const LIBRARY_TEXTS = /it (Invalid|Too |Unrecognized)/;

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

const errorOf = (name: string, kind: Kind): RegExp => kind.error ?? new RegExp(name);

function expectRefusal(reply: Reply, expected: RegExp, label: string, statuses: readonly number[] = [400, 422]): void {
  expectRefused(reply, statuses, expected, label);
  expect(reply.text.length, label).toBeLessThan(ERROR_CHARACTERS_MAX);
  expect(reply.json.error, label).not.toMatch(LIBRARY_TEXTS);
}

test('every endpoint of the server has one row in endpoints.ts, with its level of authentication', () => {
  const route = makeRouter(endpoints);
  const rowed = endpointCases.map(({ method, path }) => route(path(target).split('?')[0])?.entry.byMethod.get(method));
  const missing = endpoints.filter((endpoint) => !rowed.includes(endpoint));
  expect(
    missing.map(({ method, path }) => `${method} ${path}`),
    'give these a row in endpoints.ts',
  ).toEqual([]);
  expect(new Set(rowed).size).toBe(endpointCases.length);
  const ofNobody = { none: 'none', dev: 'none', builder: 'none', watch: 'none' };
  const ofKey = { l2: 'l2', 'l1-or-l2': 'l2', 'l2-or-builder': 'l2', 'l2-read': 'l2' };
  const levels = { ...ofNobody, ...ofKey, l1: 'l1', admin: 'admin' };
  for (const [index, row] of endpointCases.entries()) {
    expect(row.level, titleOf(row)).toBe(levels[rowed[index]?.auth ?? 'none']);
    if (rowed[index]?.path.includes('{')) expect(row.part, titleOf(row)).toBeDefined();
  }
});

test('every numeric or boolean query parameter of the server has its kind in endpoints.ts', () => {
  const route = makeRouter(endpoints);
  const { paths } = openApiDocument(endpoints);
  // Their catalog form is that of the mount.
  const hasOtherForm = (path: string): boolean => /^\/markets(\/\{\w+\})?$/.test(path);
  const missing = endpointCases.flatMap((row) => {
    const path = route(row.path(target).split('?')[0])?.entry.byMethod.get(row.method)?.path ?? '';
    if (hasOtherForm(path)) return [];
    const { parameters } = paths[path][row.method.toLowerCase()];
    const typed = parameters.filter(
      (one) => one.in === 'query' && ['integer', 'number', 'boolean'].includes(String(one.schema.type)),
    );
    const names = typed.map(({ name }) => name).filter((name) => row.query?.[name] === undefined);
    return names.map((name) => `${titleOf(row)} ${name}`);
  });
  expect(missing).toEqual([]);
});

const send = (row: EndpointCase, path: string, body: unknown): Promise<Reply> =>
  target.send(row.method, path, levelOf(row), body);

const queried = endpointCases
  .filter(({ query, part }) => query !== undefined || part !== undefined)
  .map((row) => ({ title: titleOf(row), row }));

/** The path with one parameter changed: none, one or several values of it. */
function withParameter(path: string, name: string, values: readonly string[]): string {
  const [bare, queryText = ''] = path.split('?');
  const query = new URLSearchParams(queryText);
  query.delete(name);
  for (const value of values) query.append(name, value);
  return `${bare}?${query}`;
}

test.each(queried)('$title rejects an invalid query parameter by name', ({ row }) =>
  target.unchanged(async () => {
    const path = row.path(target);
    const body = row.body?.(target);
    const right = new URLSearchParams(path.split('?')[1]);
    for (const [name, kind] of Object.entries(row.query ?? {})) {
      const isRequired = row.required?.includes(name) === true;
      const expected = errorOf(name, kind);
      const expectBad = async (values: readonly string[]): Promise<void> => {
        const reply = await send(row, withParameter(path, name, values), body);
        expectRefusal(reply, expected, `${name}=${shown(values)}`);
      };
      for (const text of kind.texts) await expectBad([text]);
      const value = right.get(name);
      // Of a parameter given twice the first value counts.
      if (kind.texts[1] !== undefined && value !== null) await expectBad([kind.texts[1], value]);
      if (row.method === 'DELETE') continue; // a valid request would take effect
      for (const values of [
        [],
        [''],
        ...(value === null
          ? []
          : [
              [value, value],
              [value, kind.texts[1] ?? ''],
            ]),
      ]) {
        const reply = await send(row, withParameter(path, name, values), body);
        const isRefused = values[0] === '' ? isRequired || kind.texts.includes('') : isRequired && values.length === 0;
        if (!isRefused) expect(reply.status, `${name}=${shown(values)} ${reply.text}`).toBe(200);
        else expectRefusal(reply, /missing_field|Invalid|required query param/, `${name}=${shown(values)}`);
      }
    }
  }),
);

test.each(queried.filter(({ row }) => row.part !== undefined))(
  '$title rejects an invalid path parameter by name',
  ({ row }) =>
    target.unchanged(async () => {
      const { part } = row;
      const [bare, queryText] = row.path(target).split('?');
      const segments = bare.split('/');
      const at = segments.findLastIndex((segment) => /^(0x[0-9a-fA-F]{40,}|\d+|bad-\w+)$/.test(segment));
      for (const text of part?.texts ?? []) {
        const path = segments.with(at, encodeURIComponent(text)).join('/');
        const reply = await send(row, queryText === undefined ? path : `${path}?${queryText}`, row.body?.(target));
        expectRefusal(reply, part?.error ?? /address/, shown(text), [400, 404, 422]);
      }
      const without = segments.with(at, '').join('/');
      if (endpointCases.some((other) => other.path(target) === without)) return; // an endpoint of its own
      const empty = await send(row, without, row.body?.(target));
      expectRefusal(empty, /not found/, 'nothing', [404]);
    }),
);

/** The body with one field set or removed; in a list, of its first element. */
function withField(body: unknown, name: string, value: unknown): unknown {
  if (Array.isArray(body)) return [withValue(body[0], [name], value), ...body.slice(1)];
  return withValue(body, [name], value);
}

/** The JSON of a body with one field given twice, the wrong value last, which is the one that counts. */
function withFieldTwice(body: unknown, name: string, wrong: unknown): string {
  return JSON.stringify(withField(body, name, wrong)).replace('{', () => `{${JSON.stringify(name)}:null,`);
}

const fielded = endpointCases
  .filter(({ fields, items }) => fields !== undefined || items !== undefined)
  .map((row) => ({ title: titleOf(row), row }));

test.each(fielded)('$title rejects an invalid body field by name', ({ row }) =>
  target.unchanged(async () => {
    const path = row.path(target);
    const body = row.body?.(target);
    for (const [name, kind] of Object.entries(row.fields ?? {})) {
      const isRequired = row.required?.includes(name) === true;
      const values = [...kind.values, ...kind.texts, 'x'.repeat(100_000)];
      for (const value of values) {
        const reply = await send(row, path, withField(body, name, value));
        expectRefusal(reply, errorOf(name, kind), `${name}: ${shown(value)}`);
      }
      if (isRequired) {
        for (const value of [MISSING, null]) {
          const reply = await send(row, path, withField(body, name, value));
          expectRefusal(reply, new RegExp(`${errorOf(name, kind).source}|${name}`), `${name}: ${shown(value)}`);
        }
      }
      const last = kind.values[0] ?? kind.texts[0];
      const twice = await send(row, path, withFieldTwice(body, name, last));
      expectRefusal(twice, errorOf(name, kind), `${name} twice`);
    }
    const { items } = row;
    if (items === undefined || !Array.isArray(body)) return;
    for (const value of [null, ...items.values, ...items.texts, '', 'x'.repeat(100_000)]) {
      for (const list of [[value], [...body, value]]) {
        expectRefusal(await send(row, path, list), errorOf('', items), shown(value));
      }
    }
    const many = Array.from({ length: 1_001 }, (_, index) => wordOf(index));
    expectRefusal(await send(row, path, many), /limit|max allowed/, 'too many');
    for (const other of [{}, { ids: body }, 'x', 1, true]) {
      expectRefusal(await send(row, path, JSON.stringify(other)), /Invalid|payload/, shown(other));
    }
  }),
);

/** Sends bytes and disconnects without reading an answer. */
function vanish(bytes: string, waitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(target.server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.write(bytes, () => setTimeout(() => socket.destroy(), waitMs));
  });
}

test('requests that are cut off, on every endpoint, leave the state unchanged', () =>
  target.unchanged(async () => {
    for (const row of endpointCases) {
      const path = row.path(target);
      const content = row.body?.(target);
      const body = content === undefined ? '' : JSON.stringify(content);
      const headers = target.credentialsFor(levelOf(row), row.method, path, body);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const length = row.method === 'GET' ? '' : `Content-Length: ${Math.max(body.length, 2)}\r\n`;
      const head = `${row.method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}${length}\r\n`;
      // Reads may be sent whole: the client is gone before the answer.
      const whole = row.method === 'GET' ? head : head + body.slice(0, -1);
      const cuts = [3, Math.floor(head.length / 2), head.length - 1, whole.length];
      await Promise.all(cuts.map((end, index) => vanish(whole.slice(0, end), index)));
    }
  }));
