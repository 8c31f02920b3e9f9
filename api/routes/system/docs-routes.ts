import { Router } from '@koa/router';
import { createReadStream } from 'node:fs';
import { openApiDocument } from '../../openapi/document.ts';
import { ROUTES } from '../index.ts';

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
};

const PAGE = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Darkroom API</title><link rel="stylesheet" href="docs/swagger-ui.css"></head>
  <body><div id="ui"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body>
</html>`;

const START = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#ui', deepLinking: true });`;

/** The OpenAPI document, and Swagger UI without third-party requests. */
export function docsRouter(): Router {
  const router = new Router();
  const document = openApiDocument(ROUTES);
  const base = '/api/v2';

  // For browsers that open the root URL of the service. Relative, like the links of the page.
  router.get('/', (ctx) => ctx.redirect('api/v2/docs'));

  router.get(`${base}/openapi.json`, (ctx) => {
    ctx.body = document;
  });
  router.get(`${base}/docs`, (ctx) => {
    // The links of the page are relative, including any path prefix of a proxy.
    if (ctx.path.endsWith('/')) return ctx.redirect('../docs');
    ctx.type = 'html';
    ctx.body = PAGE;
  });
  router.get(`${base}/docs/start.js`, (ctx) => {
    ctx.type = 'text/javascript';
    ctx.body = START;
  });
  router.get(`${base}/docs/:asset`, (ctx) => {
    const asset = String(ctx['params'].asset);
    const type = Object.hasOwn(ASSETS, asset) ? ASSETS[asset] : undefined;
    if (!type) return;
    ctx.type = type;
    ctx.body = createReadStream(new URL(import.meta.resolve(`swagger-ui-dist/${asset}`)));
  });
  return router;
}
