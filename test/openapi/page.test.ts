// /docs: a page that needs nothing but this server, and says so to browsers. What it looks like is for people to judge;
// that it can be drawn at all without a network follows from what it loads and from its policy.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('the page names only files that this server has, each with its type', async () => {
  const page = await fetch(`${server.url}/docs`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const html = await page.text();
  expect(html).not.toMatch(/https?:|"\/\//);
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  const types: Record<string, string | null> = {};
  for (const path of files) {
    const reply = await fetch(`${server.url}${path}`);
    expect([path, reply.status]).toEqual([path, 200]);
    expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(100);
    types[path] = reply.headers.get('content-type');
  }
  expect(types).toEqual({
    '/docs/swagger-ui.css': 'text/css; charset=utf-8',
    '/docs/favicon-32x32.png': 'image/png',
    '/openapi.json': 'application/json; charset=utf-8',
    '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
    '/docs/start.js': 'text/javascript; charset=utf-8',
  });
});

test('it is found with a slash at its end too', async () => {
  const [plain, slashed] = await Promise.all([fetch(`${server.url}/docs`), fetch(`${server.url}/docs/`)]);
  expect([slashed.status, slashed.redirected]).toEqual([200, false]);
  expect(await slashed.text()).toBe(await plain.text());
  expect(slashed.headers.get('content-security-policy')).toBe(plain.headers.get('content-security-policy'));
});

test('its policy keeps it from loading anything from elsewhere, and from being framed', async () => {
  const policy = (await fetch(`${server.url}/docs`)).headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
    expect(policy.split('; ')).toContain(rule);
  }
  expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/);
});

test('no other file is given', async () => {
  for (const name of ['package.json', 'swagger-ui-bundle.js.map', '..%2Fpackage.json', 'constructor', 'Start.js']) {
    const reply = await fetch(`${server.url}/docs/${name}`);
    expect([name, reply.status, await reply.json()]).toEqual([name, 404, { error: 'not found' }]);
  }
});
