import type { Credential } from '../../domain/accounts/access.ts';
import type { Middleware } from 'koa';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { Gauge, Histogram } from 'prom-client';
import type { ApiDeps } from '../deps.ts';
import { toUsageEvent } from './usage-event.ts';
import { clientAddress } from './client-address.ts';
import { isServiceError } from './problem.ts';
import { stateOf, type RequestState } from './state.ts';

const ACCEPTED_ID = /^[\w.-]{1,128}$/;

/** The header by which a client names its request. */
export const requestIdHeader = z.object({
  'X-Request-Id': z
    .string()
    .optional()
    .describe(
      'Your own id of the request: 1 to 128 letters, digits, underscores, hyphens and dots; by default one of ours',
    ),
});

const seconds = new Histogram({
  name: 'darkroom_http_request_seconds',
  help: 'Duration of HTTP requests',
  labelNames: ['method', 'route', 'status', 'fault'],
  buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
});

const inProgress = new Gauge({
  name: 'darkroom_http_requests_in_progress',
  help: 'HTTP requests without a complete response, this one included',
});

/** Gives each request its id, logger and EntityManager; logs one line and records its use when its response has closed. */
export function requestContext({
  orm,
  log,
  trustedProxies,
  requestEvents,
}: Pick<ApiDeps, 'orm' | 'log' | 'trustedProxies' | 'requestEvents'>): Middleware {
  return async (ctx, next) => {
    const given = ctx.get('X-Request-Id');
    const requestId = ACCEPTED_ID.test(given) ? given : randomUUID();
    const state: RequestState = {
      requestId,
      log: log.child({ request_id: requestId }),
      em: orm.em.fork(),
      clientAddress: clientAddress(ctx.req, trustedProxies),
    };
    Object.assign(ctx.state, state);
    ctx.set('X-Request-Id', requestId);
    const began = performance.now();
    inProgress.inc();
    let answeredAt: number | undefined;
    ctx.res.once('close', () => {
      inProgress.dec();
      const elapsed = performance.now() - began;
      const route = (ctx as { _matchedRoute?: string })._matchedRoute ?? 'unmatched';
      // An upgraded connection writes its own headers.
      const status = ctx.res.headersSent || ctx.status === 101 ? ctx.status : 499;
      const { principal, errorCode } = stateOf(ctx);
      const fault = isServiceError(status, errorCode) ? 'service' : 'none';
      seconds.observe({ method: ctx.method, route, status, fault }, elapsed / 1000);
      // A stream may stay open for hours after it was answered.
      const responseMs = answeredAt === undefined ? elapsed : answeredAt - began;
      if (principal) requestEvents.add(toUsageEvent(ctx, principal, { route, status, responseMs }));
      state.log.info(
        {
          method: ctx.method,
          path: ctx.path,
          address: state.clientAddress,
          status,
          duration_ms: Math.round(elapsed),
          tenant_id: principal?.tenantId,
          ...(principal && credentialIds(principal.credential)),
        },
        'request',
      );
    });
    await next();
    answeredAt = performance.now();
  };
}

/** The public ids of a credential, safe in logs. */
function credentialIds(credential: Credential): Record<string, string> {
  return credential.kind === 'api_key'
    ? { key_id: credential.keyId }
    : { user_id: credential.userId, session_id: credential.sessionId };
}
