import { Elysia } from 'elysia';
import style from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import script from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import guide from '../../docs/integrators.md' with { type: 'text' };

export const docsPath = '/docs';

/**
 * The page that shows the API description and tries calls with a key. It is served from inside the
 * executable and works offline.
 */
export const docsPage = () =>
  new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // Only the page's own parts, and calls to this server. Swagger UI sets styles inline.
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
    },
  });

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Matterhorn API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="docs"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

const start = `SwaggerUIBundle({ url: '/v1/openapi.json', dom_id: '#docs', deepLinking: true, tryItOutEnabled: true });
`;

const file = (body: string | Blob, type: string) =>
  new Response(body, { headers: { 'content-type': `${type}; charset=utf-8` } });

/** Where each code of a refusal has a paragraph of its own. */
export const refusalsPath = '/docs/errors.md';

/** The part of the integrators' guide that says what to do about each refusal. */
const refusals = guide.slice(guide.indexOf('## When it says no'));

/** The page's parts. */
export const docsParts = () =>
  new Elysia({ name: 'docs', detail: { hide: true } })
    .get('/docs/swagger-ui.js', () => file(Bun.file(script), 'text/javascript'))
    .get('/docs/swagger-ui.css', () => file(Bun.file(style), 'text/css'))
    .get(refusalsPath, () => file(refusals, 'text/markdown'))
    .get('/docs/start.js', () => file(start, 'text/javascript'));
