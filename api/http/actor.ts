import type { Context } from 'koa';
import { AppError } from '../../domain/app-error.ts';
import type { Actor, Caller, Principal } from '../../services/accounts/principal.ts';
import { stateOf } from './state.ts';

/** @throws AppError LOGIN_SESSION_REQUIRED; never for routes whose action already requires a session */
export function actorOf({ ctx, principal }: { ctx: Context; principal: Principal }): Actor {
  const { tenantId, credential } = principal;
  if (credential.kind !== 'session')
    throw new AppError('LOGIN_SESSION_REQUIRED', 'this needs a login session');
  return { tenantId, userId: credential.userId, credential, ipAddress: stateOf(ctx).clientAddress };
}

/** The caller of an action that is also open to API keys. */
export function callerOf({ ctx, principal }: { ctx: Context; principal: Principal }): Caller {
  const { tenantId, credential } = principal;
  return { tenantId, credential, ipAddress: stateOf(ctx).clientAddress };
}
