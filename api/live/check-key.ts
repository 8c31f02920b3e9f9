import type { Context } from 'koa';
import type { Permission } from '../../domain/accounts/permissions.ts';
import { AppError } from '../../domain/app-error.ts';
import { authenticate } from '../http/authenticate.ts';
import { stateOf } from '../http/state.ts';
import type { ApiDeps } from '../deps.ts';

/** Authenticates the request of a live connection anew. Returns why it has to end, once its key is no longer valid. */
export type KeyCheck = () => Promise<AppError | undefined>;

/** The check that every kind of live connection runs with each of its pings. */
export function createKeyCheck(
  ctx: Context,
  { orm }: Pick<ApiDeps, 'orm'>,
  permission: Permission,
): KeyCheck {
  return async () => {
    // A fresh EntityManager, since rows cached by the old one would hide a revocation.
    const state = stateOf(ctx);
    state.em = orm.em.fork();
    try {
      await authenticate(ctx, permission);
    } catch (error) {
      if (error instanceof AppError) return error;
      // During a database outage no key can be checked, but no frames can be read either.
      state.log.warn({ err: error }, 'the key of a live connection could not be checked');
    }
    return undefined;
  };
}
