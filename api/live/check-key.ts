import type { Context } from 'koa';
import type { Action } from '../../domain/accounts/access.ts';
import { AppError } from '../../domain/app-error.ts';
import { authenticate, permit } from '../http/authenticate.ts';
import { stateOf } from '../http/state.ts';
import type { ApiDeps } from '../deps.ts';

/** Authenticates the request of a live connection anew. Returns why it has to end, once its key or login session is no longer valid. */
export type KeyCheck = () => Promise<AppError | undefined>;

/** The check that every kind of live connection runs with each of its pings. */
export function createKeyCheck(
  ctx: Context,
  { orm, publicBaseUrl }: Pick<ApiDeps, 'orm' | 'publicBaseUrl'>,
  action: Action,
): KeyCheck {
  return async () => {
    // A fresh EntityManager, since rows cached by the old one would hide a revocation.
    const state = stateOf(ctx);
    state.em = orm.em.fork();
    try {
      permit(await authenticate(ctx, { publicBaseUrl }), action);
    } catch (error) {
      if (error instanceof AppError) return error;
      // During a database outage no key can be checked, but no frames can be read either.
      state.log.warn({ err: error }, 'the key of a live connection could not be checked');
    }
    return undefined;
  };
}
