import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { Principal } from '../../services/accounts/resolve-principal.ts';

/** What the middlewares leave for those after them. */
export interface RequestState {
  requestId: string;
  log: Logger;
  em: EntityManager;
  principal?: Principal;
  /** The answer is not the last word: see idempotent.ts. */
  provisional?: boolean;
}

/** The state of a request; typed here because Koa's own is a bag of anything. */
export function stateOf(ctx: Context): RequestState {
  return ctx.state;
}
