import { Router } from '@koa/router';
import Koa, { type Middleware } from 'koa';
import helmet from 'koa-helmet';
import { AppError } from '../domain/app-error.ts';
import type { ApiDeps } from './deps.ts';
import { consolePages } from './http/console-pages.ts';
import { renderErrors } from './http/render-errors.ts';
import { requestContext } from './http/request-context.ts';
import { resourceMethods } from './http/resource-methods.ts';
import { register } from './http/route.ts';
import { watchBody } from './http/watch-body.ts';
import { createLocalClient } from './mcp/local-client.ts';
import { mcpRouter } from './mcp/mcp-router.ts';
import { ROUTES } from './routes/index.ts';
import { docsRouter, systemRouter } from './routes/system/system-routes.ts';

/** The complete HTTP application, without a listening port. */
export function createApp(deps: ApiDeps): Koa {
  const app = new Koa();
  app.on('error', (error: NodeJS.ErrnoException) => {
    // A client that leaves during a streamed answer is already logged with its request.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') deps.log.warn({ err: error }, 'response failed');
  });

  const api = new Router({ prefix: '/api/v2' });
  for (const route of ROUTES) register(api, route, deps);

  app.use(requestContext(deps));
  app.use(watchBody(deps.bodyPace));
  app.use(renderErrors());
  // Pages load everything from the same origin; on plain HTTP, upgrading to https would break them.
  app.use(helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }));
  app.use(refuseExpectations());
  const mcp = mcpRouter(deps, createLocalClient(app));
  const routers = [systemRouter(deps), docsRouter(deps), mcp, api];
  app.use(consolePages(deps));
  app.use(resourceMethods(routers));
  for (const router of routers) app.use(router.routes());
  return app;
}

/** Refuses requests that expect anything but `100-continue`, which Node itself answers. */
function refuseExpectations(): Middleware {
  return (ctx, next) => {
    const expected = ctx.get('Expect').toLowerCase();
    if (expected === '' || expected === '100-continue') return next();
    throw new AppError('EXPECTATION_FAILED', 'only the expectation 100-continue can be met');
  };
}
