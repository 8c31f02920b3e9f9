import { Router } from '@koa/router';
import Koa from 'koa';
import helmet from 'koa-helmet';
import type { ApiDeps } from './deps.ts';
import { renderErrors } from './http/render-errors.ts';
import { requestContext } from './http/request-context.ts';
import { register } from './http/route.ts';
import { watchBody } from './http/watch-body.ts';
import { ROUTES } from './routes/index.ts';
import { docsRouter } from './routes/system/docs-routes.ts';
import { systemRouter } from './routes/system/system-routes.ts';

/** The complete HTTP application, without a listening port. */
export function createApp(deps: ApiDeps): Koa {
  const app = new Koa();
  app.on('error', (error: unknown) => deps.log.warn({ err: error }, 'response failed'));

  const api = new Router({ prefix: '/api/v2' });
  for (const route of ROUTES) register(api, route, deps);

  app.use(requestContext(deps));
  app.use(watchBody(deps.bodyPace));
  app.use(renderErrors());
  app.use(helmet());
  for (const router of [systemRouter(deps), docsRouter(), api]) app.use(router.routes());
  // Sets `Allow` and a bare status; renderErrors adds the body.
  app.use(api.allowedMethods());
  return app;
}
