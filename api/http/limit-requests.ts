import type { Context } from 'koa';
import { UNLIMITED } from '../../domain/accounts/tiers.ts';
import { AppError } from '../../domain/app-error.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import {
  consumeRateLimits,
  tenantCounterKey,
  type RateLimit,
  type RateLimitState,
} from '../../services/accounts/consume.ts';
import { stateOf } from './state.ts';

/** A limit of one operation, beside the one of the tenant's tier. */
export interface EndpointLimit {
  requests: number;
  per: 'minute' | 'hour' | 'day';
  /** Key of the requests that count together; by default the tenant. */
  of?: 'user';
}

const SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const;

/**
 * Counts a request against the limits of its tenant and its operation, and sets the contract's headers to the rest of
 * the tighter one.
 *
 * @throws AppError RATE_LIMITED
 */
export async function limitRequests(
  ctx: Context,
  principal: Principal,
  { operationId, limit }: { operationId: string; limit?: EndpointLimit | undefined },
): Promise<void> {
  const limits = [
    ...tenantLimit(principal),
    ...(limit ? [endpointLimit(principal, operationId, limit)] : []),
  ];
  if (limits.length === 0) return;
  const states = await consumeRateLimits(stateOf(ctx).em, limits);
  const exceeded = states.filter((state) => state.exceeded);
  const shown = exceeded.toSorted((a, b) => b.resetsInSeconds - a.resetsInSeconds)[0] ?? tightest(states);
  ctx.set('X-RateLimit-Limit', String(shown.requests));
  ctx.set('X-RateLimit-Remaining', String(shown.remaining));
  ctx.set('X-RateLimit-Reset', String(shown.resetsAt));
  if (!shown.exceeded) return;
  const window = Object.entries(SECONDS).find(([, seconds]) => seconds === shown.seconds)?.[0] ?? 'minute';
  throw new AppError('RATE_LIMITED', `at most ${shown.requests} requests per ${window}`, {
    retryAfterSeconds: shown.resetsInSeconds,
  });
}

function tenantLimit({ tenantId, requestsPerMinute }: Principal): RateLimit[] {
  if (requestsPerMinute === UNLIMITED) return [];
  return [{ key: tenantCounterKey(tenantId), requests: requestsPerMinute, seconds: SECONDS.minute }];
}

function endpointLimit(
  { tenantId, credential }: Principal,
  operationId: string,
  limit: EndpointLimit,
): RateLimit {
  const owner = limit.of === 'user' && credential.kind === 'session' ? credential.userId : tenantId;
  return { key: `${operationId}/${owner}`, requests: limit.requests, seconds: SECONDS[limit.per] };
}

function tightest(states: readonly RateLimitState[]): RateLimitState {
  return states.reduce((least, state) => (state.remaining < least.remaining ? state : least));
}
