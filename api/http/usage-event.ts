import type { Context } from 'koa';
import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import type { UsageEvent } from '../../db/entities/usage/usage-event.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { requestEvent, type DropReason } from '../../services/usage/request-events.ts';
import { stateOf } from './state.ts';

const dropped = new Counter({
  name: 'darkroom_usage_events_dropped_total',
  help: 'Requests that are missing in the usage analytics: the database was away, or more came than could be written',
  labelNames: ['reason'],
});

/** Counts events that could not be written, and logs why. */
export function reportDropped(log: Logger) {
  return (count: number, reason: DropReason, error?: unknown): void => {
    dropped.inc({ reason }, count);
    if (error !== undefined) log.warn({ err: error, count }, 'requests are missing in the usage analytics');
  };
}

/** The usage event of an authenticated request whose response has closed. */
export function toUsageEvent(
  ctx: Context,
  { tenantId, credential }: Principal,
  { route, status, responseMs }: { route: string; status: number; responseMs: number },
): UsageEvent {
  const { operationId = null, errorCode = null } = stateOf(ctx);
  return requestEvent({
    occurredAt: new Date(),
    tenantId,
    subtype: operationId,
    endpoint: route.replace(/:(\w+)/g, '{$1}'),
    method: ctx.method,
    status,
    durationMs: Math.round(responseMs),
    errorCode,
    apiKeyId: credential.kind === 'api_key' ? credential.keyId : null,
    userId: credential.kind === 'session' ? credential.userId : null,
  });
}
