import type { Context } from 'koa';
import { refuseAccess, type Action } from '../../domain/accounts/access.ts';
import { AppError } from '../../domain/app-error.ts';
import { resolveLoginSession } from '../../services/accounts/login-sessions/resolve-login-session.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import { resolveApiKey } from '../../services/accounts/resolve-api-key.ts';
import type { ApiDeps } from '../deps.ts';
import { refuseForeignOrigin } from './origin.ts';
import { readSessionCookie } from './session-cookie.ts';
import { stateOf } from './state.ts';

/**
 * The principal of a request, from its API key (`Authorization: Bearer` or `X-API-Key`) or else from its session cookie.
 *
 * @throws AppError UNAUTHENTICATED, TENANT_DISABLED, FOREIGN_ORIGIN
 */
export async function authenticate(ctx: Context, deps: Pick<ApiDeps, 'publicBaseUrl'>): Promise<Principal> {
  const state = stateOf(ctx);
  state.principal = await resolve(ctx, deps);
  return state.principal;
}

/** @throws AppError SESSION_REQUIRED, FORBIDDEN, INSUFFICIENT_TIER as domain/accounts/access.ts says */
export function permit(principal: Principal, action: Action): void {
  const refusal = refuseAccess(principal, action);
  if (refusal) throw new AppError(refusal.code, refusal.message);
}

async function resolve(ctx: Context, deps: Pick<ApiDeps, 'publicBaseUrl'>): Promise<Principal> {
  const { em } = stateOf(ctx);
  const key = presentedKey(ctx);
  if (key) return resolveApiKey(em, key);
  const token = readSessionCookie(ctx, deps);
  if (!token) {
    throw new AppError(
      'UNAUTHENTICATED',
      'log in, or send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>"',
    );
  }
  refuseForeignOrigin(ctx, deps);
  return resolveLoginSession(em, token);
}

function presentedKey(ctx: Context): string | undefined {
  const authorization = ctx.get('Authorization').trim();
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const header = ctx.get('X-API-Key').trim();
  // A header that holds no key must not fall back to whoever is logged in.
  if (authorization && !bearer) throw new AppError('UNAUTHENTICATED', 'Authorization must be "Bearer <key>"');
  if (bearer && header && bearer !== header) {
    throw new AppError('UNAUTHENTICATED', 'Authorization and X-API-Key hold different keys');
  }
  return bearer ?? (header || undefined);
}
