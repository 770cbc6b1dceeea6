// /docs: a page that needs nothing but this server, and tells browsers so. People must judge its look; that it can be
// rendered at all without a network follows from what it loads and from its policy.
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('the page links only to files on this server, each with its content type', async () => {
  const page = await fetch(`${server.url}/docs`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const html = await page.text();
  expect(html).not.toMatch(/https?:|"\/\//);
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  const types: Record<string, string | null> = {};
  const kept: string[] = [];
  for (const path of files) {
    const reply = await fetch(`${server.url}${path}`);
    expect([path, reply.status]).toEqual([path, 200]);
    expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(100);
    if (reply.headers.get('cache-control') !== 'no-cache') kept.push(path);
    types[path] = reply.headers.get('content-type');
  }
  expect(types).toEqual({
    '/docs/scheme.js': 'text/javascript; charset=utf-8',
    '/docs/swagger-ui.css': 'text/css; charset=utf-8',
    '/docs/contrast.css': 'text/css; charset=utf-8',
    '/docs/favicon-32x32.png': 'image/png',
    '/openapi.json': 'application/json; charset=utf-8',
    '/docs/swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
    '/docs/start.js': 'text/javascript; charset=utf-8',
  });
  // The other files must be of the page's own version, also after an update.
  expect(kept.filter((path) => path.startsWith('/docs/'))).toEqual([
    '/docs/swagger-ui.css',
    '/docs/favicon-32x32.png',
    '/docs/swagger-ui-bundle.js',
  ]);
});

/** Runs the page's colour scheme script with these preferences for dark, in turn; returns the classes set after each. */
async function schemesOf(...preferences: readonly boolean[]): Promise<readonly string[]> {
  const script = await (await fetch(`${server.url}/docs/scheme.js`)).text();
  const classes = new Set<string>();
  const classList = { toggle: (name: string, on: boolean) => (on ? classes.add(name) : classes.delete(name)) };
  const query = Object.assign(new EventTarget(), { matches: preferences[0] });
  const asked: string[] = [];
  const matchMedia = (text: string) => {
    asked.push(text);
    return query;
  };
  runInNewContext(script, { matchMedia, document: { documentElement: { classList } } });
  const shown = [[...classes].join()];
  for (const matches of preferences.slice(1)) {
    query.matches = matches;
    query.dispatchEvent(new Event('change'));
    shown.push([...classes].join());
  }
  expect(asked).toEqual(['(prefers-color-scheme: dark)']);
  return shown;
}

test('the page follows the preferred colour scheme on load and whenever it changes', async () => {
  expect(await schemesOf(false, true)).toEqual(['', 'dark-mode']);
  expect(await schemesOf(true, false, true)).toEqual(['dark-mode', '', 'dark-mode']);
  const styles = await (await fetch(`${server.url}/docs/swagger-ui.css`)).text();
  expect(styles).toContain('html.dark-mode .swagger-ui{'); // the class name in swagger-ui's own styles
  const [head] = (await (await fetch(`${server.url}/docs`)).text()).split('<body>');
  expect(head).toContain('<meta name="color-scheme" content="light dark">');
  expect(head).toContain('/docs/scheme.js'); // before anything is rendered
  expect(head.indexOf('/docs/contrast.css')).toBeGreaterThan(head.indexOf('/docs/swagger-ui.css'));
});

/** The luminance of a colour such as #1f62ab, as WCAG 2.2 defines it. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Backgrounds of swagger-ui under text: the one with the least contrast in each scheme. */
const GROUNDS = { light: '#e8ecf1', dark: '#40291c' };

test('the colours added to swagger-ui have a contrast of at least 4.5 in both schemes', async () => {
  const styles = await (await fetch(`${server.url}/docs/contrast.css`)).text();
  const rules = [...styles.matchAll(/(html(?::not\(\.dark-mode\)|\.dark-mode)[^{]*)\{([^}]*)\}/g)];
  const contrasts = rules.flatMap(([, selector, body]) => {
    const scheme = selector.startsWith('html:not') ? 'light' : 'dark';
    return [...body.matchAll(/(?<![-\w])(color|background|background-color|fill): (#[0-9a-f]{6})/g)].map(
      ([, property, color]) => {
        // Where only the background is changed, swagger-ui writes on it in white, or nearly so in dark mode.
        const other = property.startsWith('background')
          ? scheme === 'light'
            ? '#ffffff'
            : '#e4e6e6'
          : GROUNDS[scheme];
        const [less, more] = [luminance(color), luminance(other)].toSorted((left, right) => left - right);
        return { selector: selector.trim(), contrast: (more + 0.05) / (less + 0.05) };
      },
    );
  });
  expect(contrasts.length).toBeGreaterThan(10);
  expect(contrasts.filter(({ contrast }) => contrast < 4.5)).toEqual([]);
});

test('the page hides the unused links column and lifts the width limit of the filter field', async () => {
  const document = await (await fetch(`${server.url}/openapi.json`)).text();
  expect(document).not.toContain('"links":');
  const styles = await (await fetch(`${server.url}/docs/contrast.css`)).text();
  expect(styles).toMatch(/\.response-col_links \{\n {2}display: none;/);
  // The width that swagger-ui's own styles give every field of a narrow page.
  const own = await (await fetch(`${server.url}/docs/swagger-ui.css`)).text();
  expect(own).toContain('.swagger-ui input[type=text]{max-width:175px}');
  expect(styles).toMatch(/\.operation-filter-input \{\n {2}max-width: none;/);
});

test('GET /docs/ returns the same page as GET /docs', async () => {
  const [plain, slashed] = await Promise.all([fetch(`${server.url}/docs`), fetch(`${server.url}/docs/`)]);
  expect([slashed.status, slashed.redirected]).toEqual([200, false]);
  expect(await slashed.text()).toBe(await plain.text());
  expect(slashed.headers.get('content-security-policy')).toBe(plain.headers.get('content-security-policy'));
});

test('the content security policy forbids foreign resources and framing', async () => {
  const policy = (await fetch(`${server.url}/docs`)).headers.get('content-security-policy') ?? '';
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
    expect(policy.split('; ')).toContain(rule);
  }
  expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:|\*/);
});

test('other file names under /docs get status 404', async () => {
  for (const name of ['package.json', 'swagger-ui-bundle.js.map', '..%2Fpackage.json', 'constructor', 'Start.js']) {
    const reply = await fetch(`${server.url}/docs/${name}`);
    expect([name, reply.status, await reply.json()]).toEqual([name, 404, { error: 'not found' }]);
  }
});
