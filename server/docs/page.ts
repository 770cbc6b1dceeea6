// The page of /docs: swagger-ui, served from its package so that the page needs nothing but this server, with the scripts
// and styles that start it, follow the user's colour preference and make it readable. Called by routes/documentation.ts.
// Nothing is loaded from elsewhere, which the page's content security policy enforces.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Reply } from '../http/endpoint.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Outcry: the interface</title>
<script src="/docs/scheme.js"></script>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/contrast.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="interface"></div>
<noscript>This page needs scripts. Programs find the same information at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

// swagger-ui's styles are dark if the root element has this class, and light otherwise. The script runs in the page's head,
// so that nothing is drawn in the wrong colours first; the page's color-scheme does the same for what the styles leave to
// the browser.
const SCHEME = `(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
})();
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#interface',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  displayRequestDuration: true,
  syntaxHighlight: { activated: true, theme: 'tomorrow-night' },
  validatorUrl: null,
});
`;

const DAY_S = 86_400;

/** Browsers cache only swagger-ui's files for a day: the page and its own files must match each other. */
const headersOf = (contentType: string, cacheControl: string) => ({
  'content-type': contentType,
  'x-content-type-options': 'nosniff',
  'cache-control': cacheControl,
});

export const docsPage: Reply = {
  body: HTML,
  headers: {
    ...headersOf('text/html; charset=utf-8', 'no-cache'),
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  },
};

const require = createRequire(import.meta.url);
const ownFile = (type: string, body: Reply['body']): Reply => ({
  body,
  headers: headersOf(`text/${type}; charset=utf-8`, 'no-cache'),
});
const packageFile = (name: string, contentType: string): readonly [string, Reply] => {
  const body = readFileSync(require.resolve(`swagger-ui-dist/${name}`));
  return [name, { body, headers: headersOf(contentType, `max-age=${DAY_S}`) }];
};

/** The page's files, read at load time: later there may be no free file descriptor. */
const files: ReadonlyMap<string, Reply> = new Map([
  packageFile('swagger-ui.css', 'text/css; charset=utf-8'),
  packageFile('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'),
  packageFile('favicon-32x32.png', 'image/png'),
  ['scheme.js', ownFile('javascript', SCHEME)],
  ['contrast.css', ownFile('css', readFileSync(new URL('contrast.css', import.meta.url)))],
  ['start.js', ownFile('javascript', START)],
]);

/** A file that the page needs; undefined for any other name. */
export const docsFile = (name: string): Reply | undefined => files.get(name);
