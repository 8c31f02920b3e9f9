import type { Context } from 'koa';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AppError } from '../../domain/app-error.ts';
import { resolveLoginSession } from '../../services/accounts/login-sessions/open-login-session.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { resolveApiKey } from '../../services/accounts/api-key.ts';
import type { ApiDeps } from '../deps.ts';
import { refuseForeignOrigin } from './origin.ts';
import { readSessionCookie } from './session-cookie.ts';
import { stateOf } from './state.ts';

export type AuthenticationDeps = Pick<ApiDeps, 'publicBaseUrl' | 'credentialFailures'>;

/**
 * The principal of a request, from its API key (`Authorization: Bearer` or `X-API-Key`) or else from its session cookie.
 *
 * @throws AppError UNAUTHENTICATED, TENANT_DISABLED, FOREIGN_ORIGIN, RATE_LIMITED
 */
export async function authenticate(ctx: Context, deps: AuthenticationDeps): Promise<Principal> {
  const state = stateOf(ctx);
  state.principal = await resolvePrincipal(ctx, deps, state.em);
  return state.principal;
}

/** Like `authenticate`, for a request that may have been answered before. */
export async function resolvePrincipal(
  ctx: Context,
  deps: AuthenticationDeps,
  em: EntityManager,
): Promise<Principal> {
  const { credentialFailures } = deps;
  const key = presentedKey(ctx);
  if (key) return credentialFailures.guard(ctx, key, () => resolveApiKey(em, key));
  const token = readSessionCookie(ctx, deps);
  if (!token) {
    throw new AppError(
      'UNAUTHENTICATED',
      'log in, or send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>"',
    );
  }
  refuseForeignOrigin(ctx, deps);
  return credentialFailures.guard(ctx, token, () => resolveLoginSession(em, token));
}

function presentedKey(ctx: Context): string | undefined {
  const authorization = ctx.get('Authorization').trim();
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const header = ctx.get('X-API-Key').trim();
  // A header without a valid key must not fall back to the user who is logged in.
  if (authorization && !bearer) throw new AppError('UNAUTHENTICATED', 'Authorization must be "Bearer <key>"');
  if (bearer && header && bearer !== header) {
    throw new AppError('UNAUTHENTICATED', 'Authorization and X-API-Key hold different keys');
  }
  return bearer ?? (header || undefined);
}
