// The page of /docs: swagger-ui, which is served from its package so that the page needs nothing but this server, and the
// few lines that start it. Called by routes/documentation.ts. Nothing is loaded from elsewhere, which the page's content
// security policy enforces.
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
<title>Outcry: the interface</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="interface"></div>
<noscript>This page needs scripts; the same is told to programs at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#interface',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

const PACKAGE_FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};
const DAY_S = 86_400;

const headersOf = (contentType: string) => ({
  'content-type': contentType,
  'x-content-type-options': 'nosniff',
  'cache-control': `max-age=${DAY_S}`,
});

/** The page itself. */
export const docsPage: Reply = {
  body: HTML,
  headers: {
    ...headersOf('text/html; charset=utf-8'),
    'cache-control': 'no-cache',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  },
};

const require = createRequire(import.meta.url);
const read = new Map<string, Reply>([
  ['start.js', { body: START, headers: headersOf('text/javascript; charset=utf-8') }],
]);

/** A file that the page needs, read once; undefined for any other name. */
export function docsFile(name: string): Reply | undefined {
  const known = read.get(name);
  if (known !== undefined) return known;
  if (!Object.hasOwn(PACKAGE_FILES, name)) return undefined;
  const body = readFileSync(require.resolve(`swagger-ui-dist/${name}`));
  const reply: Reply = { body, headers: headersOf(PACKAGE_FILES[name]) };
  read.set(name, reply);
  return reply;
}
