import type { Context } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import { roleAllows, type Permission } from '../../domain/accounts/permissions.ts';
import { resolvePrincipal, type Principal } from '../../services/accounts/resolve-principal.ts';
import { stateOf } from './state.ts';

/**
 * Resolves the principal of a request from `Authorization: Bearer` or `X-API-Key`.
 *
 * @throws AppError UNAUTHENTICATED, INSUFFICIENT_TIER, FORBIDDEN
 */
export async function authenticate(ctx: Context, permission: Permission): Promise<Principal> {
  const state = stateOf(ctx);
  state.principal = await resolvePrincipal(state.em, presentedKey(ctx));
  if (!roleAllows(state.principal.role, permission)) {
    throw new AppError('FORBIDDEN', `this needs ${permission} permission`);
  }
  return state.principal;
}

function presentedKey(ctx: Context): string {
  const bearer = /^Bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1];
  const header = ctx.get('X-API-Key').trim();
  const key = bearer ?? header;
  if (!key)
    throw new AppError(
      'UNAUTHENTICATED',
      'send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>"',
    );
  if (bearer && header && bearer !== header) {
    throw new AppError('UNAUTHENTICATED', 'Authorization and X-API-Key hold different keys');
  }
  return key;
}
