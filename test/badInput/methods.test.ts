// Wrong methods and unknown paths, on every endpoint: 405 with the allowed methods, 404 for an unknown path. Each refusal
// is JSON in words and changes nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpointCases, levelOf } from './endpoints.ts';
import { expectRefused, Target } from './harness.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

let target: Target;
beforeAll(async () => {
  target = await Target.start();
});
afterAll(() => target.close());

test('every path answers 405 to unsupported methods and lists the supported ones', () =>
  target.unchanged(async () => {
    const methodsOf = new Map<string, Set<string>>();
    for (const { method, path } of endpointCases) {
      const [bare] = path(target).split('?');
      methodsOf.set(bare, (methodsOf.get(bare) ?? new Set()).add(method));
    }
    for (const [path, taken] of methodsOf) {
      for (const method of METHODS) {
        if (taken.has(method)) continue;
        const reply = await target.send(method, path, 'l2');
        expectRefused(reply, 405, method, `${method} ${path}`);
        const allowed = String(reply.headers.allow).split(', ');
        for (const name of taken) expect(allowed, `${method} ${path}`).toContain(name);
        expect(allowed).not.toContain(method);
      }
    }
  }));

test('HEAD gets the status of GET and no body', () =>
  target.unchanged(async () => {
    for (const endpoint of endpointCases.filter(({ method }) => method === 'GET')) {
      const path = endpoint.path(target);
      const headers = target.credentialsFor(levelOf(endpoint), 'GET', path);
      const reply = await target.call('HEAD', path, { headers });
      // It does not matter whether a signature of GET is valid for HEAD, as long as nothing breaks.
      const { status = 200 } = endpoint;
      expect(endpoint.level === 'none' ? [status] : [status, 401], `HEAD ${path}`).toContain(reply.status);
      expect(reply.text).toBe('');
    }
  }));

test('a GET body is read by endpoints that accept token lists, and does no harm elsewhere', () =>
  target.unchanged(async () => {
    const { yes, no } = target.market;
    const tokens = JSON.stringify([{ token_id: yes }, { token_id: no }]);
    const asked = await target.call('GET', '/books', { body: tokens });
    expect(asked.json.map(({ asset_id }: { asset_id: string }) => asset_id)).toEqual([yes, no]);
    expect((await target.call('GET', '/last-trades-prices', { body: tokens })).json).toEqual([]);
    for (const body of ['{', '[', '{}', '[1]', 'null', '[]'.repeat(9), '['.repeat(10_000), 'x'.repeat(100_000)]) {
      for (const endpoint of endpointCases.filter(({ method, level }) => method === 'GET' && level === 'none')) {
        const path = endpoint.path(target);
        const reply = await target.call('GET', path, { body });
        expect([endpoint.status ?? 200, 400], `GET ${path} with ${body.slice(0, 20)}`).toContain(reply.status);
        if (reply.status === 400) expect(reply.json.error).toMatch(/[a-z]/i);
      }
    }
    expectRefused(await target.call('GET', '/book', { body: 'x'.repeat(1_048_577) }), 413, '1048576');
  }));

test('unknown methods get 405 with the allowed methods', () =>
  target.unchanged(async () => {
    for (const method of ['TRACE', 'PROPFIND', 'MERGE', 'SEARCH']) {
      const reply = await target.call(method, '/order');
      expectRefused(reply, 405, method);
      expect(reply.headers.allow).toContain('POST');
    }
  }));

test('an unknown path gets 404, even if it resembles a known one', () =>
  target.unchanged(async () => {
    const paths = [
      '/nowhere',
      '/order/',
      '/Order',
      '/orders/1',
      '//order',
      '/order%2f',
      '/order%00',
      '/data',
      '/data/order',
      '/data/order/',
      '/data/order/a/b',
      '/markets/',
      '/admin',
      '/admin/',
      '/admin/markets/',
      `/admin/markets/${target.market.conditionId}/resolve/`,
      '/dev',
      '/auth',
      '/.env',
      '/../order',
      '/%2e%2e/order',
      '/ord%65r',
      `/${'a'.repeat(2_000)}`,
      '/*',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST']) {
        const reply = await target.send(method, path, 'l2', method === 'POST' ? {} : undefined);
        expectRefused(reply, 404, /not found/i, `${method} ${path}`);
      }
    }
  }));

test('a malformed percent sequence in a path is rejected', () =>
  target.unchanged(async () => {
    for (const path of ['/data/order/%', '/data/order/%zz', '/markets/%ff', '/clob-markets/%c3%28']) {
      expectRefused(await target.send('GET', path, 'l2'), [400, 404], /./, path);
    }
  }));
