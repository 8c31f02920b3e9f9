import type { Context } from 'koa';
import { refuseAccess, type Action } from '../../domain/accounts/access.ts';
import { AppError } from '../../domain/app-error.ts';
import { logDenial } from '../../services/accounts/log-denial.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import type { ApiDeps } from '../deps.ts';
import { stateOf } from './state.ts';

/**
 * Refuses what a caller may not do, and has that recorded in the audit log. The answer does not wait for the record, and
 * does not depend on it.
 *
 * @throws AppError SESSION_REQUIRED, FORBIDDEN, INSUFFICIENT_TIER as domain/accounts/access.ts says
 */
export function permitOrLog(
  { ctx, deps, principal }: { ctx: Context; deps: Pick<ApiDeps, 'orm'>; principal: Principal },
  { permit: action, operationId }: { permit: Action; operationId: string },
): void {
  const refusal = refuseAccess(principal, action);
  if (!refusal) return;
  const { clientAddress: ipAddress, log } = stateOf(ctx);
  logDenial(deps.orm.em.fork(), { principal, action, refusal, operationId, ipAddress }).catch(
    (error: unknown) => log.warn({ err: error }, 'a refused request could not be recorded in the audit log'),
  );
  throw new AppError(refusal.code, refusal.message);
}
