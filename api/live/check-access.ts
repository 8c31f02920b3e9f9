import type { Context } from 'koa';
import { refuseAccess, type Action } from '../../domain/accounts/access.ts';
import { AppError } from '../../domain/app-error.ts';
import { resolvePrincipal, type AuthenticationDeps } from '../http/authenticate.ts';
import type { ApiDeps } from '../deps.ts';

/** Access confirmed this recently is not checked again: all channels of a connection share one statement. */
const CONFIRMED_FOR_MS = 1_000;

/**
 * Authenticates the request of a live connection anew: its key or session, the membership and role behind it, and the
 * tenant that it acts in, which a session can switch.
 *
 * @returns why the connection has to end; undefined if it may continue
 * @throws errors of the database
 */
export type AccessCheck = () => Promise<AppError | undefined>;

/** The check that every live connection runs before each delivery and with each of its pings. */
export function createAccessCheck(
  ctx: Context,
  deps: AuthenticationDeps & Pick<ApiDeps, 'orm'>,
  { action, tenantId }: { action: Action; tenantId: string },
): AccessCheck {
  let refusal: AppError | undefined;
  let confirmedAt = -Infinity;
  let checking: Promise<void> | undefined;

  async function check(): Promise<void> {
    const began = performance.now();
    try {
      const principal = await resolvePrincipal(ctx, deps, deps.orm.em.fork());
      const refused = refuseAccess(principal, action);
      if (refused) refusal = new AppError(refused.code, refused.message);
      else if (principal.tenantId !== tenantId) refusal = tenantLeft();
      confirmedAt = began;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      refusal = error;
    }
  }

  return async () => {
    if (refusal || performance.now() - confirmedAt < CONFIRMED_FOR_MS) return refusal;
    checking ??= check().finally(() => (checking = undefined));
    await checking;
    return refusal;
  };
}

function tenantLeft(): AppError {
  return new AppError('FORBIDDEN', 'the login session has changed to another account; connect again');
}
