import type { Context } from 'koa';
import type { AccessRefusal, Action } from '../../domain/accounts/access.ts';
import { AppError } from '../../domain/app-error.ts';
import { logDenial } from '../../services/accounts/log-denial.ts';
import type { Principal } from '../../services/accounts/principal.ts';
import type { ApiDeps } from '../deps.ts';
import { stateOf } from './state.ts';

/**
 * Rejects a forbidden action and records that in the audit log. The response neither awaits nor depends on the record.
 *
 * @throws AppError, always, with the code of the refusal
 */
export function deny(
  { ctx, deps, principal }: { ctx: Context; deps: Pick<ApiDeps, 'orm'>; principal: Principal },
  { permit: action, operationId }: { permit: Action; operationId: string },
  refusal: AccessRefusal,
): never {
  const { clientAddress: ipAddress, log } = stateOf(ctx);
  logDenial(deps.orm.em.fork(), { principal, action, refusal, operationId, ipAddress }).catch(
    (error: unknown) => log.warn({ err: error }, 'a refused request could not be recorded in the audit log'),
  );
  throw new AppError(refusal.code, refusal.message);
}
