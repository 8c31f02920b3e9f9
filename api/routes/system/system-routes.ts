import { Router } from '@koa/router';
import type { IncomingMessage } from 'node:http';
import { Gauge, register as metrics } from 'prom-client';
import { createReadStream } from 'node:fs';
import { ACTIONS } from '../../../domain/accounts/access.ts';
import { isInwardHost } from '../../../domain/inward-host.ts';
import { VERSION } from '../../../domain/version.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Route } from '../../http/route.ts';
import { sessionCookieName } from '../../http/session-cookie.ts';
import { partOf, withSessionCookie } from '../../openapi/document.ts';
import { WHOLE_DOCUMENT } from '../whole-document.ts';
import { ROUTES } from '../index.ts';
import { guidePage } from '../../openapi/guide-pages.ts';

const PROBE_MS = 2000;
const MISSING_MODELS_REMEDY = 'run npm run models, or copy MODELS_DIR of a machine that has them';
const PRIVATE_PEER = /^(::ffff:)?(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)|^::1$|^f[cd]/;

const PROXY_HEADER = /^(forwarded|via|x-real-ip|x-forwarded-.*)$/;

const heldMemory = new Gauge({
  name: 'darkroom_upload_memory_bytes',
  help: 'Bytes that uploads in flight hold in memory',
});

/** Health and metrics, outside the versioned API and without authentication. */
export function systemRouter(deps: ApiDeps): Router {
  const router = new Router();

  router.get('/healthz', (ctx) => {
    ctx.body = { status: 'ok', version: VERSION };
  });

  router.get('/readyz', async (ctx) => {
    const checks = await probe(deps);
    // Without database or object store no request works; without engine or index, uploads and reads still do.
    const down = deps.draining() || !checks.database || !checks.object_store;
    // Without free space, reads still work.
    const degraded = !checks.workflow_engine || !checks.vector_index || !checks.free_space;
    const missing = deps.missingModels();
    ctx.status = down ? 503 : 200;
    ctx.body = {
      status: down ? 'down' : degraded ? 'degraded' : 'ok',
      draining: deps.draining(),
      checks,
      // Without them, less is read, seen and understood.
      missing_models: missing.map(({ name }) => name),
      ...(missing.length > 0 && { remedy: MISSING_MODELS_REMEDY }),
    };
  });

  router.get('/metrics', async (ctx) => {
    // Not public: scrapers are in the same network and use no proxy, unlike a page in a browser there.
    const peer = ctx.req.socket.remoteAddress ?? '';
    if (!PRIVATE_PEER.test(peer) || cameThroughProxy(ctx.req) || !isInwardHost(ctx.headers.host)) return;
    heldMemory.set(deps.uploadMemory.inUse());
    ctx.type = metrics.contentType;
    ctx.body = await metrics.metrics();
  });

  return router;
}

/** Detected by any header with which proxies announce themselves, even an empty one. */
function cameThroughProxy({ headers }: IncomingMessage): boolean {
  return Object.keys(headers).some((name) => PROXY_HEADER.test(name));
}

async function probe({ orm, objects, engine, vectors }: ApiDeps): Promise<Record<string, boolean>> {
  const [database, objectStore, freeSpace, workflowEngine, vectorIndex] = await Promise.all([
    answers(() => orm.em.fork().execute('select 1')),
    answers(() => objects.ready()),
    answers(() => objects.hasRoom()),
    answers(() =>
      engine.within(PROBE_MS, (client) =>
        client.workflowService.describeNamespace({ namespace: client.options.namespace }),
      ),
    ),
    answers(() => vectors.ready()),
  ]);
  return {
    database,
    object_store: objectStore,
    free_space: freeSpace,
    workflow_engine: workflowEngine,
    vector_index: vectorIndex,
  };
}

/** Whether a check resolves in time to anything but false. */
async function answers(check: () => Promise<unknown>): Promise<boolean> {
  const deadline = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => deadline.resolve(false), PROBE_MS);
  const answer = check().then(
    (result) => result !== false,
    () => false,
  );
  return Promise.race([answer, deadline.promise]).finally(() => clearTimeout(timer));
}

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

/** Whether an operation is of use to a program with an API key; login operations are not. */
export function isForPrograms(route: Route): boolean {
  if ('permit' in route) return ACTIONS[route.permit].by !== 'session';
  return route.tag !== 'Authentication';
}

/** Serves the OpenAPI document, whole or in part, Swagger UI without third-party requests, and the guide. */
export function docsRouter(deps: Pick<ApiDeps, 'publicBaseUrl'>): Router {
  const router = new Router();
  const current = ROUTES.filter(({ deprecated }) => !deprecated);
  const cookie = sessionCookieName(deps);
  const whole = withSessionCookie(WHOLE_DOCUMENT, cookie);
  const withoutDeprecated = withSessionCookie(partOf(WHOLE_DOCUMENT, current), cookie);
  const forPrograms = withSessionCookie(partOf(WHOLE_DOCUMENT, current.filter(isForPrograms)), cookie);
  const base = '/api/v2';

  // For browsers that open the root URL of the service. Relative, like the links of the page.
  router.get('/', (ctx) => ctx.redirect('api/v2/docs'));

  router.get(`${base}/openapi.json`, (ctx) => {
    if (ctx.query['for'] === 'programs') ctx.body = forPrograms;
    else ctx.body = ctx.query['deprecated'] === 'false' ? withoutDeprecated : whole;
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
  router.get([`${base}/docs/:page.md`, `${base}/docs/guide/:page.md`], (ctx) => {
    const page = guidePage(ctx.path.slice(`${base}/docs/`.length));
    if (page === undefined) return;
    ctx.type = 'html';
    ctx.body = page;
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
