import { Router } from '@koa/router';
import type { IncomingMessage } from 'node:http';
import { Gauge, register as metrics } from 'prom-client';
import type { ApiDeps } from '../../deps.ts';

const PROBE_MS = 2000;
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
    ctx.body = { status: 'ok' };
  });

  router.get('/readyz', async (ctx) => {
    const checks = await probe(deps);
    // Without database or object store no request works; without engine or index, uploads and reads still do.
    const down = deps.draining() || !checks.database || !checks.object_store;
    // Without free space, reads still work.
    const degraded = !checks.workflow_engine || !checks.vector_index || !checks.free_space;
    ctx.status = down ? 503 : 200;
    ctx.body = {
      status: down ? 'down' : degraded ? 'degraded' : 'ok',
      draining: deps.draining(),
      checks,
    };
  });

  router.get('/metrics', async (ctx) => {
    // Not public: scrapers are in the same network and use no proxy.
    const peer = ctx.req.socket.remoteAddress ?? '';
    if (!PRIVATE_PEER.test(peer) || cameThroughProxy(ctx.req)) return;
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

/** Whether a check resolves in time, to anything but false. */
async function answers(check: () => Promise<unknown>): Promise<boolean> {
  const deadline = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => deadline.resolve(false), PROBE_MS);
  const answer = check().then(
    (result) => result !== false,
    () => false,
  );
  return Promise.race([answer, deadline.promise]).finally(() => clearTimeout(timer));
}
